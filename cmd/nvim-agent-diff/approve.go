package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/urfave/cli/v2"

	"nvim-agent-diff/approve"
	"nvim-agent-diff/policy"
	"nvim-agent-diff/review"
	"nvim-agent-diff/tools"
)

// approveCommand decides on calls that a program has collected.
func approveCommand() *cli.Command {
	return &cli.Command{
		Name:  "approve",
		Usage: "have calls approved that a program has collected (JSON on stdin and stdout)",
		Description: "Reads {\"requests\": [...]} on stdin, asks for what the policy leaves open, all in one sitting, and writes\n" +
			"{\"approvals\": {ID: {\"approved\": ..., \"note\": ..., \"override_args\": ...}}}. docs/approve.md has the forms and an example.\n" +
			"Exit codes: 0 at least one call is approved (or there were none), 1 none is, 2 error, 3 no Neovim and no terminal,\n" +
			"130 interrupted. With 2, 3 and 130 nothing is decided, and nothing is written to stdout.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "agent", Usage: "the `NAME` of the program, shown above the review"},
			&cli.BoolFlag{Name: "describe", Usage: "ask nothing: print the requests with the payloads that this program makes for them"},
			uiFlag(),
		},
		Action: interruptible(approveCalls),
	}
}

// maxApproveInput is how large the input may be.
const maxApproveInput = 256 << 20

func approveCalls(ctx context.Context, c *cli.Context) error {
	input, err := readInput(ctx, io.LimitReader(c.App.Reader, maxApproveInput+1), "-")
	if err != nil {
		return exitOf(ctx, fmt.Errorf("the input cannot be read: %w", err))
	}
	if len(input) > maxApproveInput {
		return fmt.Errorf("the input is larger than %d MiB", maxApproveInput>>20)
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	guard, err := policy.NewGuard("") // the session is the calling program's
	if err != nil {
		return err
	}
	reviewer, closeReviewer := reviewerOf(c)
	defer closeReviewer()
	server, err := tools.New(tools.Options{
		Reviewer: reviewer, Guard: guard, Roots: c.StringSlice("root"), Version: moduleVersion(), Log: slog.Default(),
	})
	if err != nil {
		return err
	}
	a := &approve.Approver{
		Reviewer: recorded(reviewer, guard), Guard: guard,
		Record: func(r review.Reviewer) review.Reviewer { return recorded(r, guard) },
		Agent:  c.String("agent"), Dir: dir,
		Locate: func(ctx context.Context, path string, change bool) (review.File, string, error) {
			if change {
				return server.Locate(ctx, dir, path)
			}
			return server.LocateToRead(ctx, dir, path)
		},
	}
	if c.Bool("describe") {
		described, err := a.Describe(ctx, []byte(input))
		if err != nil {
			return err
		}
		return writeJSON(c.App.Writer, described)
	}
	answer, err := a.Run(ctx, []byte(input))
	if err != nil {
		return exitOf(ctx, err)
	}
	if err := writeJSON(c.App.Writer, answer); err != nil {
		return err
	}
	if !answer.Any() {
		return cli.Exit("", exitRejected)
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}
