package tools

import (
	"context"
	"fmt"
	"strings"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

const (
	maxDiffFile    = 4 << 20 // how large a file may be that diff reads
	maxDiff        = 2 << 20 // how much of a diff is given
	maxContext     = 20
	defaultContext = 3
)

var diffTexts = &tool{
	name:  "diff",
	title: "Diff two files or texts",
	description: "Make the unified diff of two files as the user sees them (`path_a`, `path_b`), or of two texts (`text_a`, `text_b`, " +
		"with labels of your own). Changes nothing. To edit, write or create a file use the other tools.",
	params: []param{
		{name: "path_a", kind: kindPath, optional: true, description: "The first file: absolute, or relative to the project's root."},
		{name: "path_b", kind: kindPath, optional: true, description: "The second file."},
		{name: "text_a", kind: kindText, optional: true, description: "The first text, in place of a file."},
		{name: "text_b", kind: kindText, optional: true, description: "The second text."},
		{name: "label_a", kind: kindText, optional: true, description: `What the diff calls the first. Default: the path, or "a".`},
		{name: "label_b", kind: kindText, optional: true, description: `What the diff calls the second. Default: the path, or "b".`},
		{name: "context_lines", kind: kindInt, optional: true, description: "Unchanged lines around each change, 0 to 20. Default: 3."},
	},
	output: `{
  "type": "object",
  "properties": {
    "diff": {"type": "string", "description": "The unified diff; empty when the two are identical."},
    "label_a": {"type": "string"},
    "label_b": {"type": "string"},
    "lines_a": {"type": "integer", "description": "How many lines the first has."},
    "lines_b": {"type": "integer", "description": "How many lines the second has."},
    "identical": {"type": "boolean"},
    "diff_lines": {"type": "integer", "description": "How many lines the diff has."},
    "truncated": {"type": "boolean", "description": "The diff was too long, and its last line says where it was cut."}
  },
  "required": ["diff", "label_a", "label_b", "lines_a", "lines_b", "identical", "diff_lines"]
}`,
	readOnly: true,
	run:      func(ctx context.Context, s *Server, c *Call) (Result, error) { return s.diff(ctx, c) },
}

// diffResult is the structure of diff's answer.
type diffResult struct {
	Diff      string `json:"diff"`
	LabelA    string `json:"label_a"`
	LabelB    string `json:"label_b"`
	LinesA    int    `json:"lines_a"`
	LinesB    int    `json:"lines_b"`
	Identical bool   `json:"identical"`
	DiffLines int    `json:"diff_lines"`
	Truncated bool   `json:"truncated,omitempty"`
}

// side is one of the two that are compared.
type side struct {
	text  hunks.Text
	label string
}

func (s *Server) diff(ctx context.Context, c *Call) (Result, error) {
	args := &c.Arguments
	context := args.int("context_lines", defaultContext)
	if context < 0 || context > maxContext {
		return Result{}, review.Errorf(review.InvalidArgs, `"context_lines" must be from 0 to %d. Nothing was changed.`, maxContext)
	}
	if err := checkDiffMode(args); err != nil {
		return Result{}, err
	}
	a, err := s.side(ctx, c, "a")
	if err != nil {
		return Result{}, err
	}
	b, err := s.side(ctx, c, "b")
	if err != nil {
		return Result{}, err
	}
	r := diffResult{
		LabelA: a.label, LabelB: b.label, LinesA: hunks.CountLines(a.text.Body), LinesB: hunks.CountLines(b.text.Body),
		Diff: hunks.UnifiedLabels(a.label, b.label, a.text, b.text, context),
	}
	r.Identical = r.Diff == ""
	if len(r.Diff) > maxDiff {
		cut := strings.LastIndexByte(r.Diff[:maxDiff], '\n') + 1
		r.Diff = r.Diff[:cut] + fmt.Sprintf("[diff truncated at %d bytes]", cut)
		r.Truncated = true
	}
	r.DiffLines = hunks.CountLines(r.Diff)
	text := r.Diff
	if r.Identical {
		text = fmt.Sprintf("%s and %s are identical.\n", shown(r.LabelA), shown(r.LabelB))
	}
	return Result{Text: text, Structure: r, Same: r.Identical}, nil
}

// checkDiffMode makes sure that exactly one of the two ways to call diff is used, and wholly.
func checkDiffMode(args *Arguments) error {
	paths := args.given("path_a") || args.given("path_b")
	texts := args.given("text_a") || args.given("text_b")
	wrong := func(problem string) error {
		return review.Errorf(review.InvalidArgs, "%s Nothing was changed.", problem)
	}
	switch {
	case paths && texts:
		return wrong(`Give either "path_a" and "path_b" or "text_a" and "text_b", not both.`)
	case !paths && !texts:
		return wrong(`Give "path_a" and "path_b", or "text_a" and "text_b".`)
	case paths && !args.given("path_b"):
		return wrong(`"path_b" is missing.`)
	case paths && !args.given("path_a"):
		return wrong(`"path_a" is missing.`)
	case texts && !args.given("text_b"):
		return wrong(`"text_b" is missing.`)
	case texts && !args.given("text_a"):
		return wrong(`"text_a" is missing.`)
	}
	return nil
}

// side is what the arguments of one letter mean.
func (s *Server) side(ctx context.Context, c *Call, letter string) (side, error) {
	args := &c.Arguments
	label := args.text("label_" + letter)
	if args.given("text_" + letter) {
		if label == "" {
			label = letter
		}
		return side{hunks.Text{Body: args.text("text_" + letter)}, label}, nil
	}
	path := args.text("path_" + letter)
	if label == "" {
		label = path
	}
	doc, t, err := s.document(ctx, c, path)
	if err != nil {
		if e := asError(err, unchanged); e.Code == review.PathNotInSandbox {
			return side{}, &review.Error{Code: review.FSDenied, Text: e.Text}
		}
		return side{}, err
	}
	if len(doc.Text.Body) > maxDiffFile {
		return side{}, review.Errorf(review.ToolFailed, "%s has %d bytes, and at most %d can be compared. Nothing was changed.",
			shown(t.path), len(doc.Text.Body), maxDiffFile)
	}
	return side{doc.Text, label}, nil
}
