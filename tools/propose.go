package tools

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// edit is a wanted change of one file. Every tool that edits makes one of its arguments, or several.
type edit struct {
	path string
	// others are paths that may be meant as well: of them the first counts that exists, where nothing is at path that may be
	// changed.
	others  []string
	to      string // where the file is to be moved, in the same form; "" when it stays
	removes bool   // there is nothing at path afterwards
	written bool   // the whole file is written, whatever it held
	// draft turns what the file holds at the review's turn into hunks; see review.File.
	draft func(t target, current hunks.Text) (*hunks.Patch, error)
}

// propose has a person review an edit, and makes the answer of the outcome.
func (s *Server) propose(ctx context.Context, c *Call, description string, e edit) (Result, error) {
	o, err := s.review(ctx, c, description, e)
	if err != nil {
		return Result{}, err
	}
	return answer(o)
}

// answer makes the answer of the outcome of a review of one file.
func answer(o *review.Outcome) (Result, error) {
	if len(o.Files) != 1 {
		return Result{}, review.Errorf(review.ToolFailed, "The review ended with %d files in place of one. %s", len(o.Files), untold)
	}
	f := &o.Files[0]
	text := report(f, o.Comment, o.Notes, oneFile)
	return Result{Text: text, Structure: newReviewed(f, o.Comment, text, oneFile), Decision: f.Decision()}, nil
}

// review has a person review edits, each of another file, in one sitting.
func (s *Server) review(ctx context.Context, c *Call, description string, edits ...edit) (*review.Outcome, error) {
	box := s.sandboxOf(ctx, c)
	p := review.Proposal{Tool: c.Tool, Agent: c.Agent, Description: description, Key: c.key}
	taken := map[string]string{} // by the resolved path, the path that was given
	for _, e := range edits {
		t, err := e.find(box)
		if err != nil {
			return nil, err
		}
		if err := t.checkText(); err != nil {
			return nil, err
		}
		for _, place := range t.places() {
			if other, again := taken[place.abs]; again {
				return nil, review.Errorf(review.InvalidArgs, "%s and %s are the same file. Nothing was changed. "+
					"Write everything that is to happen to a file in one place.", shown(other), shown(place.path))
			}
			taken[place.abs] = place.path
		}
		if p.Root == "" {
			p.Root = string(t.root)
		}
		p.Files = append(p.Files, e.file(c, box, t, p.Root))
	}
	c.key = nil // the reviewer has it: it holds the arguments, and a review may last for hours
	c.reviewing = true
	return s.reviewer.Review(ctx, p, c.Progress)
}

// find finds the file that is to be changed, and where it goes.
func (e *edit) find(box *sandbox) (target, error) {
	path, t, err := e.which(box)
	if err == nil && e.removes {
		err = t.checkOwn()
	}
	if err != nil || e.to == "" {
		return t, err
	}
	to, err := box.toMove(t, path, e.to)
	if err != nil {
		return t, err
	}
	t.to = &to
	return t, to.checkFree()
}

// which is the path that counts, and the file there.
func (e *edit) which(box *sandbox) (path string, t target, err error) {
	t, err = box.toChange(e.path)
	if t.root != "" && t.exists() {
		return e.path, t, err
	}
	there := func(path string) bool {
		other, err := box.find(path)
		return path != "" && err == nil && other.exists()
	}
	for _, path := range e.others {
		folder, _, _ := strings.Cut(path, "/") // without it "a/.." is the folder above
		if (filepath.IsAbs(path) || there(folder)) && there(path) {
			t, err = box.toChange(path)
			return path, t, err
		}
	}
	return e.path, t, err
}

// file is the edit as it is proposed.
func (e *edit) file(c *Call, box *sandbox, t target, root string) review.File {
	f := review.File{Path: t.path, Abs: t.abs, Name: t.nameIn(root), Written: e.written}
	if t.to != nil {
		f.NewPath, f.NewAbs, f.NewName = t.to.path, t.to.abs, t.to.nameIn(root)
	}
	f.Draft = func(current hunks.Text) (*hunks.Patch, error) {
		if err := t.again(e.find(box)); err != nil {
			return nil, err
		}
		patch, err := e.draft(t, current)
		if err != nil {
			return patch, box.rules.Discreet(box.reading(c, t), shown(t.path), asError(err, unchanged))
		}
		return patch, nil
	}
	return f
}

// placeText is hunks.Place with errors that the agent can read.
func placeText(t target, current hunks.Text, original, modified string) (*hunks.Patch, error) {
	patch, err := hunks.Place(current, original, modified)
	if errors.Is(err, hunks.ErrNothing) {
		return nil, review.Errorf(review.NothingToChange, "%s already holds this text. Nothing was changed.", shown(t.path))
	}
	if stale, ok := errors.AsType[*hunks.StaleError](err); ok {
		return nil, review.Errorf(review.StaleOriginal, "In %s: %s Nothing was changed. Read the file again and propose again.",
			shown(t.path), stale)
	}
	return patch, err
}

// What is said of the files with an error that does not say it.
const (
	unchanged = "Nothing was changed."
	untold    = "What had been changed by then cannot be told: read the file before you go on."
)

// asError is the error as the agent is told it. state is what is known of the files when it is another's.
func asError(err error, state string) *review.Error {
	if e, ok := errors.AsType[*review.Error](err); ok {
		return e
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return review.Errorf(review.Cancelled, "The call was cancelled. %s", state)
	}
	return review.Errorf(review.ToolFailed, "%v. %s", err, state)
}
