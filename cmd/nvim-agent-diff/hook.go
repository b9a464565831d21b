package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"

	"nvim-agent-diff/agents"
	"nvim-agent-diff/bridge"
	"nvim-agent-diff/policy"
	"nvim-agent-diff/review"
	"nvim-agent-diff/tools"
)

// hookCommand is what an agent runs before, and after, it edits with its own tools.
func hookCommand() *cli.Command {
	return &cli.Command{
		Name:      "hook",
		Usage:     "review what an agent is about to write with its own tools (a hook of the agent)",
		ArgsUsage: "AGENT",
		Description: "AGENT is one of " + strings.Join(agents.Names(), ", ") + ". Reads the hook's input on stdin and answers in that agent's\n" +
			"own form. Exit codes: 0 an answer was written, 2 the edit is blocked, and stderr says why.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "fallback", Value: "deny", Usage: "`WHAT` to do when something fails: deny, ask (the agent's own prompt), allow"},
			&cli.StringFlag{Name: "on-no-editor", Usage: "`WHAT` to do when no Neovim is found: deny, ask, prompt (in a popup of tmux), allow (default: as --fallback)"},
			holdFlag(),
		},
		Action: func(c *cli.Context) error {
			if addr := c.String("hold"); addr != "" {
				return hold(addr) // which ends with its popup, by a signal
			}
			return interruptible(hook)(c)
		},
	}
}

func hook(ctx context.Context, c *cli.Context) error {
	agent := agents.Find(c.Args().First())
	if agent == nil || c.Args().Len() != 1 {
		return fmt.Errorf("hook takes one agent: %s", strings.Join(agents.Names(), ", "))
	}
	fallback, err := choice(c, "fallback")
	if err != nil {
		return err
	}
	noEditor, prompts := fallback, c.String("on-no-editor") == uiPrompt
	switch {
	case prompts:
		noEditor = agents.Deny
	case c.IsSet("on-no-editor"):
		if noEditor, err = choice(c, "on-no-editor"); err != nil {
			return err
		}
	}
	signal.Ignore(syscall.SIGPIPE) // to die of it would let the edit through
	ctx, gone := context.WithCancelCause(ctx)
	defer gone(nil)
	go watchParent(ctx, gone)
	guard, err := policy.NewGuard("") // each edit has a process of its own
	if err != nil {
		return err
	}
	neovims := bridge.NewNeovims(&bridge.Finder{Addr: c.String("nvim")})
	defer neovims.Close()
	var next review.Reviewer = neovims
	if prompts {
		next = &elseHere{Neovims: neovims, here: newPopup(os.Getenv)}
	}
	reviewer := recorded(&policy.Reviewer{Next: agents.Unasked{Next: next}, Guard: guard, Grants: tools.Editors()}, guard)
	server, err := tools.New(tools.Options{
		Reviewer: reviewer, Guard: guard, Roots: c.StringSlice("root"), Version: moduleVersion(), Log: slog.Default(),
	})
	if err != nil {
		return err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	gate := &agents.Gate{
		Agent: agent, Reviewer: reviewer, Locate: server.Locate, Reload: neovims.Reload,
		NoEditor: noEditor, Fallback: fallback,
		Notes: filepath.Join(home, ".local", "state", "nvim-agent-diff", "notes"), Log: slog.Default(),
	}
	return cli.Exit("", gate.Run(ctx, c.App.Reader, c.App.Writer, os.Stderr))
}

// choice is a flag's value.
func choice(c *cli.Context, name string) (agents.Choice, error) {
	value := agents.Choice(c.String(name))
	if !slices.Contains([]agents.Choice{agents.Deny, agents.Ask, agents.Allow}, value) {
		return "", fmt.Errorf("--%s %q is none of deny, ask, allow", name, value)
	}
	return value, nil
}

// parentEvery is how often it is looked whether the agent is still there.
const parentEvery = 500 * time.Millisecond

// watchParent ends the review when the agent has ended: nobody would read the answer. The agent may be our parent's parent,
// with a shell between us, which outlives it; then it is the other end of our output that is gone.
func watchParent(ctx context.Context, gone context.CancelCauseFunc) {
	parent := os.Getppid()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(parentEvery):
			if os.Getppid() != parent || hungUp(os.Stdout) {
				gone(review.ErrAgentGone)
				return
			}
		}
	}
}

// hungUp says whether nobody can read what is written any more. A file and a terminal are always read.
func hungUp(out *os.File) bool {
	ends := []unix.PollFd{{Fd: int32(out.Fd())}}
	n, err := unix.Poll(ends, 0)
	return err == nil && n > 0 && ends[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}
