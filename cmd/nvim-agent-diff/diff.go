package main

import (
	"context"
	"errors"
	"os"
	"strconv"

	"github.com/urfave/cli/v2"

	"nvim-agent-diff/tools"
)

// The exit codes of diff are the usual ones of such programs.
const (
	exitIdentical = 0
	exitDiffers   = 1
)

// diffCommand compares two files as the person sees them; no editor is needed.
func diffCommand() *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "print the unified diff of two files, with the unsaved changes that are in Neovim",
		ArgsUsage: "FILE_A FILE_B",
		Description: "Exit codes: 0 the files are identical, 1 they differ, 2 error, 130 interrupted. Files may be anywhere, unless --root " +
			"names folders.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "context", Aliases: []string{"U"}, Value: 3, Usage: "`N` unchanged lines around each change, 0 to 20"},
			&cli.BoolFlag{Name: "json", Usage: "print the result as JSON"},
		},
		Action: interruptible(diff),
	}
}

func diff(ctx context.Context, c *cli.Context) error {
	if c.Args().Len() != 2 {
		return errors.New("diff takes two files; see nvim-agent-diff diff --help")
	}
	roots := c.StringSlice("root")
	if len(roots) == 0 {
		roots = []string{"/"}
	}
	// Without a policy: a person may read what they may read.
	server, closeServer, err := newServerIn(c, roots, nil)
	if err != nil {
		return err
	}
	defer closeServer()
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	result := server.Call(ctx, tools.Call{Tool: "diff", Dir: dir, Arguments: tools.TextArguments(map[string]string{
		"path_a": c.Args().Get(0), "path_b": c.Args().Get(1), "context_lines": strconv.Itoa(c.Int("context")),
	})})
	if result.Err != nil {
		return exitOf(ctx, result.Err)
	}
	if asJSON := c.Bool("json"); asJSON || !result.Same {
		if err := printResult(c.App.Writer, result, asJSON); err != nil {
			return err
		}
	}
	if !result.Same {
		return cli.Exit("", exitDiffers)
	}
	return cli.Exit("", exitIdentical)
}
