// Package demo shows the whole way once, on a real file: an agent proposes an edit through the real MCP server, a person
// reviews it hunk by hunk in a real Neovim, and the agent is told what became of it. Without a person at a terminal it
// presses the keys itself, and shows what a person would see.
package demo

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// What the agent finds, what it proposes, and what the played person makes of it. The proposal is good but for one hunk,
// which takes a lock away.
var (
	//go:embed _project/before.go
	before string
	//go:embed _project/proposed.go
	proposed string
	//go:embed _project/after.go
	after string
)

const (
	fileName    = "inventory.go"
	description = "Count an item only once, refuse to sell what is not there, and report quantities"
)

// Options say how to run the demo.
type Options struct {
	Program  string // this program, to start as the server
	Nvim     string // a Neovim; $NVIM_BIN, else "nvim" on the PATH, when empty
	Terminal bool   // a person is there: stdin, stdout and stderr are a terminal
	Colors   bool   // show the screens of the played demo with their colours
	Out      io.Writer
}

// demo is one run.
type demo struct {
	Options
	dir  string // a small project, removed afterwards
	file string
}

// Run runs the demo. It returns nil only when everything happened as it should.
func Run(ctx context.Context, opts Options) error {
	d := &demo{Options: opts}
	if err := d.findNvim(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "demo")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if d.dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	if err := d.project(); err != nil {
		return err
	}
	if d.Terminal {
		return d.review(ctx)
	}
	return d.play(ctx)
}

func (d *demo) findNvim() error {
	if d.Nvim == "" {
		d.Nvim = os.Getenv("NVIM_BIN")
	}
	if d.Nvim == "" {
		d.Nvim = "nvim"
	}
	path, err := exec.LookPath(d.Nvim)
	if err != nil {
		return fmt.Errorf("the demo needs Neovim 0.10 or newer: %w. Install it, name it in NVIM_BIN, or run `make demo`, "+
			"which gets one", err)
	}
	d.Nvim, err = filepath.Abs(path)
	return err
}

// project makes the small project: a Git work tree, a module and the file.
func (d *demo) project() error {
	d.file = filepath.Join(d.dir, fileName)
	files := map[string]string{
		".git/HEAD": "ref: refs/heads/main\n",
		"go.mod":    "module shop\n",
		fileName:    before,
	}
	for name, text := range files {
		path := filepath.Join(d.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// title begins a part of what is printed.
func (d *demo) title(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	fmt.Fprintf(d.Out, "\n== %s\n\n", text)
}

// show prints a text as a block.
func (d *demo) show(text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintf(d.Out, "   │%s\n", line)
	}
}

// problems collects what was not as expected.
type problems []error

func (p *problems) check(ok bool, format string, args ...any) {
	if !ok {
		*p = append(*p, fmt.Errorf(format, args...))
	}
}

func (p *problems) err() error { return errors.Join(*p...) }
