package tools

import (
	"context"
	"errors"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// edit is a wanted change of one file. Every tool that edits makes one of its arguments.
type edit struct {
	path        string
	description string
	// draft turns what the file holds at the review's turn into hunks; see review.File.
	draft func(t target, current hunks.Text) (*hunks.Patch, error)
}

// propose has a person review an edit, and makes the answer of the outcome.
func (s *Server) propose(ctx context.Context, c *Call, e edit) (Result, error) {
	o, err := s.review(ctx, c, e)
	if err != nil {
		return Result{}, err
	}
	return answer(o)
}

// answer makes the answer of the outcome of a review of one file.
func answer(o *review.Outcome) (Result, error) {
	if len(o.Files) != 1 {
		return Result{}, review.Errorf(review.ToolFailed, "The review ended with %d files in place of one. Read the file again.", len(o.Files))
	}
	f := &o.Files[0]
	text := report(f, o.Comment, o.Notes)
	return Result{Text: text, Structure: newReviewed(f, o.Comment, text), Decision: f.Decision()}, nil
}

// review has a person review an edit of one file.
func (s *Server) review(ctx context.Context, c *Call, e edit) (*review.Outcome, error) {
	box := s.sandboxOf(ctx, c)
	find := func() (target, error) { return box.toChange(e.path) }
	t, err := find()
	if err != nil {
		return nil, err
	}
	if err := t.checkText(); err != nil {
		return nil, err
	}
	p := review.Proposal{
		Tool: c.Tool, Agent: c.Agent, Description: e.description, Root: string(t.root), Key: c.key,
		Files: []review.File{{
			Path: t.path, Abs: t.abs, Name: t.name,
			Draft: func(current hunks.Text) (*hunks.Patch, error) {
				if err := t.again(find()); err != nil {
					return nil, err
				}
				patch, err := e.draft(t, current)
				if err != nil {
					return nil, box.discreet(c, t, asError(err))
				}
				return patch, nil
			},
		}},
	}
	return s.reviewer.Review(ctx, p, c.Progress)
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

// asError is the error as the agent is told it.
func asError(err error) *review.Error {
	if e, ok := errors.AsType[*review.Error](err); ok {
		return e
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return review.Errorf(review.Cancelled, "The call was cancelled. Read the file before you go on.")
	}
	return review.Errorf(review.ToolFailed, "%v. Read the file before you go on.", err)
}
