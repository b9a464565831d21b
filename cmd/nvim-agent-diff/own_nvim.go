package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"nvim-agent-diff/bridge"
	"nvim-agent-diff/review"
)

// ownNvim reviews in the running Neovim that a file belongs to; where none runs, it starts one on this terminal for the
// time of the review.
type ownNvim struct {
	running *bridge.Neovims
	program string // the Neovim to start
}

var _ review.Reviewer = (*ownNvim)(nil)

// withOwnNvim adds a Neovim on this terminal to the running ones, when there is a terminal and a Neovim to start, and the
// person has not named a running one.
func withOwnNvim(running *bridge.Neovims, named string) review.Reviewer {
	if named != "" || os.Getenv("NVIM_AGENT_DIFF_ADDR") != "" || !onTerminal(os.Stdin) || !onTerminal(os.Stdout) {
		return running
	}
	program := os.Getenv("NVIM_BIN")
	if program == "" {
		program = "nvim"
	}
	found, err := exec.LookPath(program)
	if err != nil {
		return running
	}
	return &ownNvim{running: running, program: found}
}

// Review shows the proposal; see [review.Reviewer].
func (o *ownNvim) Review(ctx context.Context, p review.Proposal, progress func(string)) (*review.Outcome, error) {
	out, err := o.running.Review(ctx, p, progress)
	if e, ok := errors.AsType[*review.Error](err); !ok || e.Code != review.EditorUnavailable {
		return out, err
	}
	return o.start(ctx, p, progress)
}

// Read returns the file as the person sees it; see [review.Reviewer].
func (o *ownNvim) Read(ctx context.Context, abs string) (*review.Document, error) {
	return o.running.Read(ctx, abs)
}

// start reviews in a Neovim of its own. It ends with the review, unless there is something in it that is not saved.
func (o *ownNvim) start(ctx context.Context, p review.Proposal, progress func(string)) (*review.Outcome, error) {
	dir, err := os.MkdirTemp("", "nvim-agent-diff")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	addr := filepath.Join(dir, "socket")
	// An interrupted call must not take the terminal away from a Neovim that may hold unsaved text.
	nvim := exec.CommandContext(context.WithoutCancel(ctx), o.program, "--listen", addr)
	nvim.Stdin, nvim.Stdout, nvim.Stderr = os.Stdin, os.Stdout, os.Stderr
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
			return fmt.Errorf("Neovim ended before it listened: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("Neovim does not listen: %w", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
