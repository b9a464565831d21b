package tools

import (
	"context"

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
