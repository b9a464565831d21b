package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/urfave/cli/v2"

	"nvim-agent-diff/review"
	"nvim-agent-diff/tools"
)

// proposeCommand is one review for a person or a script.
func proposeCommand() *cli.Command {
	return &cli.Command{
		Name:  "propose",
		Usage: "have an edit of a file reviewed, and wait for the decision",
		Description: "Exit codes: 0 accepted (at least one hunk), 1 rejected, 2 error, 3 no Neovim and no terminal, 130 interrupted.\n" +
			"M and O may be - for stdin, one of them.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "file", Usage: "the `FILE` to change"},
			&cli.StringFlag{Name: "modified", Usage: "a file `M` that holds the wanted content"},
			&cli.StringFlag{Name: "original", Usage: "a file `O` that holds what M was made from (default: FILE as it is on disk)"},
			&cli.StringFlag{Name: "description", Usage: "why, shown above the diff"},
			&cli.BoolFlag{Name: "json", Usage: "print the result as JSON"},
			uiFlag(),
		},
		Action: interruptible(propose),
	}
}

func propose(ctx context.Context, c *cli.Context) error {
	for _, name := range []string{"file", "modified"} {
		if c.String(name) == "" {
			return fmt.Errorf("--%s is missing; see %s propose --help", name, c.App.Name)
		}
	}
	server, closeServer, err := newServer(c)
	if err != nil {
		return err
	}
	defer closeServer()
	call, err := proposal(ctx, c, server)
	if err != nil {
		return exitOf(ctx, err)
	}
	return answer(ctx, c, server.Call(ctx, call))
}

// answer prints what became of a review, and is the exit code.
func answer(ctx context.Context, c *cli.Context, result tools.Result) error {
	if result.Err != nil {
		return exitOf(ctx, result.Err)
	}
	if err := printResult(c.App.Writer, result, c.Bool("json")); err != nil {
		return err
	}
	if result.Decision == review.Rejected {
		return cli.Exit("", exitRejected)
	}
	return nil
}

// proposal makes the call of the flags.
func proposal(ctx context.Context, c *cli.Context, server *tools.Server) (tools.Call, error) {
	dir, err := os.Getwd()
	if err != nil {
		return tools.Call{}, err
	}
	file := c.String("file")
	if c.String("original") == "-" && c.String("modified") == "-" {
		return tools.Call{}, errors.New("only one of --original and --modified can be stdin")
	}
	modified, err := readInput(ctx, c.App.Reader, c.String("modified"))
	if err != nil {
		return tools.Call{}, fmt.Errorf("--modified: %w", err)
	}
	var original string
	if c.IsSet("original") {
		if original, err = readInput(ctx, c.App.Reader, c.String("original")); err != nil {
			return tools.Call{}, fmt.Errorf("--original: %w", err)
		}
	} else if original, err = onDisk(ctx, server, dir, file); err != nil {
		return tools.Call{}, err
	}
	return tools.Call{
		Tool: "propose_file_edit",
		Dir:  dir,
		Arguments: tools.TextArguments(map[string]string{
			"path": file, "original": original, "modified": modified, "description": c.String("description"),
		}),
	}, nil
}

// onDisk is what a file holds; nothing when it is missing.
func onDisk(ctx context.Context, server *tools.Server, dir, file string) (string, error) {
	abs, err := server.File(ctx, dir, file)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

// readInput reads a file, or stdin for "-".
func readInput(ctx context.Context, stdin io.Reader, name string) (string, error) {
	return unlessInterrupted(ctx, func() (string, error) {
		if name == "-" {
			text, err := io.ReadAll(stdin)
			return string(text), err
		}
		text, err := os.ReadFile(name) // which may be a pipe
		return string(text), err
	})
}

// unlessInterrupted waits for read, unless ctx ends before: then a read that waits ends with the program.
func unlessInterrupted(ctx context.Context, read func() (string, error)) (string, error) {
	type input struct {
		text string
		err  error
	}
	done := make(chan input, 1)
	go func() {
		text, err := read()
		done <- input{text, err}
	}()
	select {
	case in := <-done:
		return in.text, in.err
	case <-ctx.Done():
		return "", errors.New("interrupted. Nothing was changed")
	}
}

func printResult(w io.Writer, r tools.Result, asJSON bool) error {
	if !asJSON {
		_, err := io.WriteString(w, onScreen(w, r.Text))
		return err
	}
	return writeJSON(w, r.Structure)
}

// exitOf is the error of a call with its exit code, which is another one when the person has interrupted it.
func exitOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return cli.Exit(err, exitInterrupted)
	}
	return exitWith(err)
}

// exitWith is the error with its exit code.
func exitWith(err error) error {
	code := exitError
	if e, ok := errors.AsType[*review.Error](err); ok && e.Code == review.EditorUnavailable {
		code = exitNoEditor
	}
	return cli.Exit(err, code)
}
