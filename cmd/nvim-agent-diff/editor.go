package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"nvim-agent-diff/bridge"
	"nvim-agent-diff/prompt"
	"nvim-agent-diff/review"
)

// Where a person reviews.
const (
	uiAuto   = "auto"
	uiNvim   = "nvim"
	uiPrompt = "prompt"
)

// unsavedLimit is how long a running Neovim may take to say whether it has changes of a file.
const unsavedLimit = time.Second

// uiFlag is the flag of the commands for a person at a terminal.
func uiFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "ui", Value: uiAuto,
		Usage: "review in `PLACE`: nvim, prompt (here on the terminal), or auto, which is prompt where there is no Neovim",
		Action: func(_ *cli.Context, ui string) error {
			if ui != uiAuto && ui != uiNvim && ui != uiPrompt {
				return fmt.Errorf("--ui %q is none of %s, %s, %s", ui, uiAuto, uiNvim, uiPrompt)
			}
			return nil
		},
	}
}

// newReviewer is who reviews: the running Neovim that a file belongs to. A command for a person at a terminal (it has uiFlag)
// may start one there, or ask there itself. The function that it returns ends the connections.
func newReviewer(c *cli.Context) (review.Reviewer, func()) {
	neovims := bridge.NewNeovims(&bridge.Finder{Addr: c.String("nvim")})
	ui := c.String("ui")
	if ui == "" {
		return neovims, neovims.Close
	}
	tty := openTerminal()
	if tty == nil {
		if ui == uiPrompt {
			return noTerminal{}, neovims.Close
		}
		return neovims, neovims.Close
	}
	closeAll := func() {
		neovims.Close()
		_ = tty.Close()
	}
	if ui == uiPrompt {
		terminal := prompt.New(tty, os.Getenv)
		terminal.Elsewhere = func(ctx context.Context, abs string) bool {
			ctx, cancel := context.WithTimeout(ctx, unsavedLimit)
			defer cancel()
			doc, err := neovims.Read(ctx, abs)
			return err == nil && doc.Unsaved
		}
		return terminal, closeAll
	}
	if c.String("nvim") != "" || os.Getenv("NVIM_AGENT_DIFF_ADDR") != "" {
		return neovims, closeAll // the person has named one
	}
	var here review.Reviewer
	if own := findOwnNvim(tty); own != nil {
		here = own
	} else if ui == uiAuto {
		here = prompt.New(tty, os.Getenv)
	} else {
		return neovims, closeAll
	}
	return &elseHere{Neovims: neovims, here: here}, closeAll
}

// elseHere reviews in the running Neovim that a file belongs to; where none runs, on this terminal.
type elseHere struct {
	*bridge.Neovims
	here review.Reviewer
}

// Review shows the proposal; see [review.Reviewer].
func (e *elseHere) Review(ctx context.Context, p review.Proposal, progress func(string)) (*review.Outcome, error) {
	out, err := e.Neovims.Review(ctx, p, progress)
	if known, ok := errors.AsType[*review.Error](err); !ok || known.Code != review.EditorUnavailable {
		return out, err
	}
	return e.here.Review(ctx, p, progress)
}

// noTerminal is the reviewer on a terminal where there is none.
type noTerminal struct{}

var errNoTerminal = review.Errorf(review.EditorUnavailable, "There is no terminal to ask on. Nothing was changed.")

// Review fails; see [review.Reviewer].
func (noTerminal) Review(context.Context, review.Proposal, func(string)) (*review.Outcome, error) {
	return nil, errNoTerminal
}

// Read fails; see [review.Reviewer].
func (noTerminal) Read(context.Context, string) (*review.Document, error) { return nil, errNoTerminal }

// alwaysAsk reviews what a person wants to review, also what the policy would let through.
type alwaysAsk struct{ review.Reviewer }

// Review shows the proposal; see [review.Reviewer].
func (a alwaysAsk) Review(ctx context.Context, p review.Proposal, progress func(string)) (*review.Outcome, error) {
	p.Auto = ""
	return a.Reviewer.Review(ctx, p, progress)
}
