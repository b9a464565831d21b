package tools

import (
	"context"

	"nvim-agent-diff/policy"
	"nvim-agent-diff/review"
)

// Locate finds the file that a path means to a program in the folder dir that wants to change it, by the rules that a tool's call is under: within
// the roots, and a text. root is what the file's name is relative to. Path and Draft are the caller's to set. The error is
// a *review.Error.
func (s *Server) Locate(ctx context.Context, dir, path string) (f review.File, root string, err error) {
	t, err := s.sandbox(ctx, &Call{Dir: dir}).toChange(path)
	if err == nil {
		err = t.checkText()
	}
	return review.File{Path: path, Abs: t.abs, Name: t.name}, string(t.root), err
}

// LocateToRead is Locate for a program that only wants to read the file, which need not be a text. Whether a person has to
// be asked is not looked at.
func (s *Server) LocateToRead(ctx context.Context, dir, path string) (f review.File, root string, err error) {
	b := s.sandbox(ctx, &Call{Dir: dir})
	t, err := b.find(path)
	if err == nil {
		if forbidden, rule := b.rules.Forbidden(t.abs); forbidden {
			err = policy.Denied(rule)
		}
	}
	return review.File{Path: path, Abs: t.abs, Name: t.name}, string(t.root), err
}
