package tools

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// maxRead is how much of a file read_file gives.
const maxRead = 4 << 20

var readFile = &tool{
	name:  "read_file",
	title: "Read a file",
	description: "Read a file as the user sees it: with unsaved changes when it is open in Neovim, else from the disk. " +
		"Use it before you edit or write a file or diff it, and to create the `original` of propose_file_edit.",
	params: []param{
		{name: "path", kind: kindPath, description: "The file: absolute, or relative to the project's root."},
		{name: "offset", kind: kindInt, optional: true, description: "The first line to read, counted from 1. Default: 1."},
		{name: "limit", kind: kindInt, optional: true, description: "How many lines to read. Default: all."},
	},
	output: `{
  "type": "object",
  "properties": {
    "message": {"type": "string", "description": "The file's text, after a line in brackets where something has to be said of it."},
    "path": {"type": "string", "description": "The file, as it was given."},
    "first_line": {"type": "integer", "description": "The number of the first line in message, counted from 1."},
    "lines": {"type": "integer", "description": "How many lines are in message."},
    "total_lines": {"type": "integer", "description": "How many lines the file has."},
    "unsaved": {"type": "boolean", "description": "The user has changes in Neovim that are not on the disk; they are in message."}
  },
  "required": ["message", "path", "first_line", "lines", "total_lines", "unsaved"]
}`,
	readOnly: true,
	run: func(ctx context.Context, s *Server, c *Call) (Result, error) {
		args := &c.Arguments
		offset, limit := args.int("offset", 1), args.int("limit", -1)
		switch {
		case offset < 1:
			return Result{}, review.Errorf(review.InvalidArgs, `"offset" is the number of a line: 1 or more. Nothing was changed.`)
		case args.given("limit") && limit < 1:
			return Result{}, review.Errorf(review.InvalidArgs, `"limit" is a number of lines: 1 or more. Nothing was changed.`)
		}
		return s.read(ctx, c, args.text("path"), offset, limit)
	},
}

// readResult is the structure of read_file's answer.
type readResult struct {
	Message    string `json:"message"`
	Path       string `json:"path"`
	FirstLine  int    `json:"first_line"`
	Lines      int    `json:"lines"`
	TotalLines int    `json:"total_lines"`
	Unsaved    bool   `json:"unsaved"`
}

// read reads lines of a file; limit is -1 for all that there are.
func (s *Server) read(ctx context.Context, c *Call, path string, offset, limit int) (Result, error) {
	doc, t, err := s.document(ctx, c, path)
	if err != nil {
		return Result{}, err
	}
	raw := doc.Text.Raw()
	r := readResult{Path: path, FirstLine: offset, TotalLines: hunks.CountLines(raw), Unsaved: doc.Unsaved}
	text := cutLines(raw, offset-1, limit)
	if len(text) > maxRead {
		return Result{}, review.Errorf(review.ToolFailed,
			"%s has %d bytes, and at most %d can be read at once. Nothing was changed. Read it in parts, with offset and limit.",
			shown(t.path), len(raw), maxRead)
	}
	r.Lines = hunks.CountLines(text)
	r.Message = text
	if !utf8.ValidString(text) {
		r.Message = fmt.Sprintf("[%s is not valid UTF-8: U+FFFD stands for each byte that is none.]\n%s", shown(t.path), r.Message)
	}
	switch {
	case r.Lines == 0 && offset > 1:
		r.Message = fmt.Sprintf("[%s has %d lines: there is no line %d.]\n", shown(t.path), r.TotalLines, offset)
	case doc.Unsaved:
		r.Message = fmt.Sprintf("[%s has unsaved changes in Neovim; this is its text with them.]\n%s", shown(t.path), r.Message)
	}
	return Result{Text: r.Message, Structure: r}, nil
}

// document is a file of the roots as the person sees it.
func (s *Server) document(ctx context.Context, c *Call, path string) (*review.Document, target, error) {
	t, err := s.toRead(ctx, c, path)
	if err != nil {
		return nil, t, err
	}
	doc, err := s.reviewer.Read(ctx, t.abs)
	if err != nil {
		return nil, t, err
	}
	if doc.Text.Missing && !doc.Loaded {
		return nil, t, review.Errorf(review.ToolFailed, "%s does not exist. Nothing was changed.", shown(t.path))
	}
	return doc, t, nil
}

// cutLines is a text without its first lines, and with limit lines at most; all of them when limit is negative.
func cutLines(text string, skip, limit int) string {
	for ; skip > 0; skip-- {
		_, rest, found := strings.Cut(text, "\n")
		if !found {
			return ""
		}
		text = rest
	}
	if limit < 0 {
		return text
	}
	end := 0
	for ; limit > 0; limit-- {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			return text
		}
		end += i + 1
	}
	return text[:end]
}
