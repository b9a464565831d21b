package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"nvim-agent-diff/tools"
)

// reviewCommand has a patch reviewed by the person who calls it.
func reviewCommand() *cli.Command {
	return &cli.Command{
		Name:      "review",
		Usage:     "review a patch, of any number of files, and apply what you accept",
		ArgsUsage: "[PATCH|-]",
		Description: "PATCH is what git diff, git format-patch, diff -ru OLD NEW or diff -u OLD NEW writes; without it, or as -, it is read from " +
			"stdin. Its names are relative to the working folder or the project's root, and the files are as they were before it. " +
			"Of two names it is the first that exists and may be changed, the old one before the new.\n" +
			"Exit codes: 0 accepted (at least one hunk), 1 rejected, 2 error, 3 no Neovim and no terminal, 130 interrupted.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "description", Usage: "what the patch is for, shown above it (default: the name of the file)"},
			&cli.BoolFlag{Name: "json", Usage: "print the result as JSON"},
			uiFlag(),
		},
		Action: interruptible(reviewPatch),
	}
}

func reviewPatch(ctx context.Context, c *cli.Context) error {
	if c.Args().Len() > 1 {
		return errors.New("review takes one patch; see nvim-agent-diff review --help")
	}
	name := c.Args().First()
	if name == "" {
		if c.App.Reader == os.Stdin && onTerminal(os.Stdin) {
			return errors.New("the patch is missing: name its file, or give it on stdin; see nvim-agent-diff review --help")
		}
		name = "-"
	}
	patch, err := readInput(ctx, c.App.Reader, name)
	if err != nil {
		return exitOf(ctx, fmt.Errorf("the patch: %w", err))
	}
	description := c.String("description")
	if description == "" && name != "-" {
		description = filepath.Base(name)
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	server, closeServer, err := newServer(c)
	if err != nil {
		return err
	}
	defer closeServer()
	result := server.Call(ctx, tools.Call{
		Tool: "propose_patch", Dir: dir,
		Arguments: tools.TextArguments(map[string]string{"patch": patch, "description": description}),
	})
	return answer(ctx, c, result)
}
