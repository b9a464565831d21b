package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/urfave/cli/v2"

	"nvim-agent-diff/journal"
	"nvim-agent-diff/policy"
	"nvim-agent-diff/review"
	"nvim-agent-diff/visible"
)

// logCommand shows what agents have proposed, and what became of it.
func logCommand() *cli.Command {
	return &cli.Command{
		Name:  "log",
		Usage: "show what agents have proposed and what became of it",
		Description: "The log is in ~/.local/state/nvim-agent-diff/log.jsonl, for you only; `log = false` in the configuration " +
			"switches it off. The newest entry comes last.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "n", Value: 20, Usage: "show the last `N` entries; 0 for all"},
			&cli.BoolFlag{Name: "diff", Usage: "show the diffs too"},
			&cli.BoolFlag{Name: "json", Usage: "print the entries as JSON, one on a line"},
		},
		Action: showLog,
	}
}

func showLog(c *cli.Context) error {
	n := c.Int("n")
	if n < 0 {
		return errors.New("-n is a number of entries: 0 or more")
	}
	if n == 0 {
		n = -1
	}
	path, err := journal.Path()
	if err != nil {
		return err
	}
	entries, broken, err := journal.At(path).Last(n)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(c.App.Writer)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for i := range entries {
		if c.Bool("json") {
			err = lines.Encode(&entries[i])
		} else {
			_, err = out.WriteString(entries[i].Text(c.Bool("diff"), !visible.UTF8(os.Getenv)))
		}
		if err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if broken > 0 {
		fmt.Fprintf(c.App.ErrWriter, "%d lines of %s are no entries, and were left out\n", broken, path)
	}
	return nil
}

// recorded is a reviewer whose reviews are written into the log, unless the user's configuration says otherwise.
func recorded(reviewer review.Reviewer, guard *policy.Guard) review.Reviewer {
	path, err := journal.Path()
	if err != nil {
		slog.Warn("there is no place for the log", "error", err)
		return reviewer
	}
	return journal.Record(reviewer, journal.At(path), func() bool { return guard.Load().Logged() }, slog.Default())
}
