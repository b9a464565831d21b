package demo

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// review lets the person at the terminal review: in a Neovim that is started there.
func (d *demo) review(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	run, err := os.MkdirTemp("", "nvim")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(run) }()
	addr := filepath.Join(run, "nvim.sock")
	nvim := exec.CommandContext(ctx, d.Nvim, "--clean", "--listen", addr, fileName)
	nvim.Dir, nvim.Stdin, nvim.Stdout, nvim.Stderr = d.dir, os.Stdin, os.Stdout, os.Stderr
	if err := nvim.Start(); err != nil {
		return fmt.Errorf("starting Neovim: %w", err)
	}
	closed := make(chan error, 1)
	go func() { closed <- nvim.Wait() }()

	told, err := d.ask(ctx, addr)
	if err == nil {
		// It shows the file as it is now; the rest is printed when the person has left it.
		tell := exec.CommandContext(ctx, d.Nvim, "--server", addr, "--remote-expr",
			`execute("echomsg 'The agent has its answer. Leave Neovim with :qa to read it.'", "")`)
		_ = tell.Run() // it may have been left already
	} else {
		cancel() // no use in looking at it any longer
	}
	if left := <-closed; err == nil && left != nil {
		return fmt.Errorf("Neovim: %w", left)
	}
	if err != nil {
		return err
	}
	return d.report(told)
}

// ask is the agent's part.
func (d *demo) ask(ctx context.Context, addr string) (*answer, error) {
	if err := listening(ctx, addr); err != nil {
		return nil, err
	}
	agent, err := d.startAgent(ctx, addr, os.Environ())
	if err != nil {
		return nil, err
	}
	defer agent.close()
	return agent.propose().wait(ctx)
}

// listening waits until a Neovim that has just been started listens at its address. Nothing tells of that.
func listening(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "unix", addr)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("Neovim does not listen: %w", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// report prints what was decided, and checks that the file and the answer agree.
func (d *demo) report(told *answer) error {
	now, err := os.ReadFile(d.file)
	if err != nil {
		return err
	}
	d.title("What the agent was told")
	d.show(told.Text)
	d.title("%s afterwards", fileName)
	d.show(string(now))

	var p problems
	p.check(!told.IsError, "the call ended with an error")
	p.check(told.Hunks.Total > 0, "the answer should count the hunks")
	changed := string(now) != before
	p.check(told.Decision != "rejected" || !changed, "the answer is a rejection, but the file has changed")
	p.check(!told.Saved || changed, "the answer says that the file was saved, but it is as before")
	return p.err()
}
