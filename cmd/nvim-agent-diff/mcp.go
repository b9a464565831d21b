package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"

	"nvim-agent-diff/policy"
	"nvim-agent-diff/review"
	"nvim-agent-diff/tools"
)

// mcpCommand serves one agent over stdin and stdout.
func mcpCommand() *cli.Command {
	return &cli.Command{
		Name:  "mcp",
		Usage: "serve an agent over stdin and stdout (MCP)",
		Action: interruptible(func(ctx context.Context, c *cli.Context) error {
			// An agent that is gone is told by the end of stdin; writing to it must not kill us before Neovim is told.
			signal.Ignore(syscall.SIGPIPE)
			server, closeServer, err := newServer(c)
			if err != nil {
				return err
			}
			defer closeServer()
			return server.Serve(ctx, io.NopCloser(os.Stdin), os.Stdout)
		}),
	}
}

// reviewerOf is newReviewer, but in tests.
var reviewerOf = newReviewer

// newServer makes the tools of the flags.
func newServer(c *cli.Context) (*tools.Server, func(), error) {
	session := "" // of a command, that would be over with it
	if c.Command.Name == "mcp" {
		session = policy.NewSession()
	}
	guard, err := policy.NewGuard(session)
	if err != nil {
		return nil, nil, err
	}
	return newServerIn(c, c.StringSlice("root"), guard)
}

// newServerIn makes the tools of the flags, for other roots than these name, and another policy.
func newServerIn(c *cli.Context, roots []string, guard *policy.Guard) (*tools.Server, func(), error) {
	reviewer, closeReviewer := reviewerOf(c)
	if asker, ok := reviewer.(review.Gatekeeper); ok && guard != nil {
		guard.Asker = asker
	}
	if c.Command.Name == "review" {
		reviewer = alwaysAsk{reviewer}
	}
	server, err := tools.New(tools.Options{
		Reviewer: recorded(&policy.Reviewer{Next: reviewer, Guard: guard}, guard), Guard: guard,
		Roots: roots, Version: moduleVersion(), Log: slog.Default(),
	})
	if err != nil {
		closeReviewer()
		return nil, nil, err
	}
	return server, closeReviewer, nil
}
