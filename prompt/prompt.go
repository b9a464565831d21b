// Package prompt reviews on a terminal, for a person who has no Neovim at hand: the diff in a frame, and questions that are
// answered by a letter and <Enter>. There is no editor, so it reads and writes the files itself, and writes nothing before
// every file of the proposal is decided.
package prompt

import (
	"context"
	"fmt"
	"os"

	"nvim-agent-diff/review"
)

// Terminal reviews on a terminal. It is a [review.Reviewer]; proposals are shown one after the other.
type Terminal struct {
	// Elsewhere says that somebody has changes of a file that are not on the disk, in an editor that runs. It may be nil.
	Elsewhere func(ctx context.Context, abs string) bool

	tty   *os.File
	env   func(string) string
	lines *lines
	turn  chan struct{} // holds a token while a review has the terminal
}

var _ review.Reviewer = (*Terminal)(nil)

// New is a reviewer on a terminal that is open for reading and writing. env is os.Getenv, but in tests.
func New(tty *os.File, env func(string) string) *Terminal {
	return &Terminal{tty: tty, env: env, lines: newLines(tty), turn: make(chan struct{}, 1)}
}

// Review asks for a decision on each file, and then writes what was accepted; see [review.Reviewer].
func (t *Terminal) Review(ctx context.Context, p review.Proposal, progress func(string)) (*review.Outcome, error) {
	if progress == nil {
		progress = func(string) {}
	}
	progress("waiting for review on the terminal")
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return nil, interrupted()
	}
	s := &sitting{terminal: t, look: t.look(), proposal: p}
	if err := s.draft(); err != nil {
		return nil, err
	}
	if s.letThrough() {
		out, err := s.carryOut()
		if out != nil {
			out.Auto = true
		}
		return out, err
	}
	if err := t.lines.discard(); err != nil {
		return nil, ended(err)
	}
	s.lookElsewhere(ctx)
	if err := s.decide(ctx); err != nil {
		fmt.Fprintln(t.tty)
		return nil, err
	}
	return s.carryOut()
}

// Read returns the file as it is on the disk; see [review.Reviewer].
func (t *Terminal) Read(_ context.Context, abs string) (*review.Document, error) {
	text, err := review.ReadDisk(abs)
	if err != nil {
		return nil, review.Errorf(review.ToolFailed, "%v. Nothing was changed.", err)
	}
	return &review.Document{Text: text}, nil
}

// lookElsewhere warns of changes that the disk does not have.
func (s *sitting) lookElsewhere(ctx context.Context) {
	for _, f := range s.files {
		if s.terminal.Elsewhere != nil && !f.Call && s.terminal.Elsewhere(ctx, f.Abs) {
			f.disk.notices = append(f.disk.notices, f.Path+" has unsaved changes in Neovim: they are not in this diff, and would meet it there.")
		}
	}
}

// interrupted is the end of a review that the person, or the agent, has taken back.
func interrupted() error {
	return review.Errorf(review.Cancelled, "The review was interrupted. Nothing was changed.")
}

// ended is the end of a terminal that nobody is at any more: that is no person's no.
func ended(err error) error {
	return review.Errorf(review.Cancelled, "The terminal ended before there was a decision: %v. Nothing was changed.", err)
}
