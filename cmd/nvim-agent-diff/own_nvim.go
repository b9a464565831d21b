package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"nvim-agent-diff/bridge"
	"nvim-agent-diff/prompt"
	"nvim-agent-diff/review"
)

// ownNvim starts a Neovim on this terminal for the time of a review.
type ownNvim struct {
	tty     *os.File
	program string // the Neovim to start
}

var _ review.Reviewer = (*ownNvim)(nil)

// findOwnNvim is the Neovim that is installed here; nil when none is.
func findOwnNvim(tty *os.File) *ownNvim {
	found, err := exec.LookPath(cmp.Or(os.Getenv("NVIM_BIN"), "nvim"))
	if err != nil {
		return nil
	}
	return &ownNvim{tty: tty, program: found}
}

// Read returns the file as it is on the disk; see [review.Reviewer].
func (o *ownNvim) Read(ctx context.Context, abs string) (*review.Document, error) {
	return prompt.New(o.tty, os.Getenv).Read(ctx, abs)
}

// Review shows the proposal in a Neovim of its own. It ends with the review, unless there is something in it that is not
// saved; see [review.Reviewer].
func (o *ownNvim) Review(ctx context.Context, p review.Proposal, progress func(string)) (*review.Outcome, error) {
	dir, err := os.MkdirTemp("", "nvim-agent-diff")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	addr := filepath.Join(dir, "socket")
	// An interrupted call must not take the terminal away from a Neovim that may hold unsaved text.
	nvim := exec.CommandContext(context.WithoutCancel(ctx), o.program, "--listen", addr)
	nvim.Stdin, nvim.Stdout, nvim.Stderr = o.tty, o.tty, os.Stderr
	if err := nvim.Start(); err != nil {
		return nil, review.Errorf(review.EditorUnavailable, "%s cannot be started: %v. Nothing was changed.", o.program, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- nvim.Wait() }()
	if err := listens(ctx, addr, ended); err != nil {
		_ = nvim.Process.Kill()
		return nil, review.Errorf(review.EditorUnavailable, "%v. Nothing was changed.", err)
	}
	own := bridge.NewNeovims(&bridge.Finder{Addr: addr})
	out, err := own.Review(ctx, p, progress)
	own.Quit(context.WithoutCancel(ctx), addr)
	own.Close()
	slog.Info("the Neovim on this terminal has ended", "error", <-ended)
	return out, err
}

// errEnded is the end of a Neovim that nothing went wrong with.
var errEnded = errors.New("exit status 0")

// listens waits until the Neovim that was just started listens. Nothing tells of that.
func listens(ctx context.Context, addr string, ended <-chan error) error {
	for {
		client, err := bridge.Dial(ctx, addr, nil)
		if err == nil {
			client.Close()
			return nil
		}
		select {
		case err := <-ended:
			return fmt.Errorf("Neovim ended before it listened: %w", cmp.Or(err, errEnded))
		case <-ctx.Done():
			return fmt.Errorf("Neovim does not listen: %w", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
