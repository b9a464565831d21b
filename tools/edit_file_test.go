package tools

import (
	"context"
	"strings"
	"testing"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// The counts of edit_file are of what was applied, also where a person has divided the hunks.
func TestReplacementsMade(t *testing.T) {
	const three = "foo 1\nx\nfoo 2\ny\nfoo 3\n"
	apart := "foo 1\n" + strings.Repeat("x\n", 10) + "foo 2\n"
	split := func(p *hunks.Patch) { p.Split(p.Hunks[0].ID) }
	lines := func(chosen ...int) func(p *hunks.Patch) {
		return func(p *hunks.Patch) { p.SplitLines(p.Hunks[0].ID, chosen) }
	}
	for _, test := range []struct {
		name, text, old, new string
		divide               func(p *hunks.Patch)
		applied              string // of each hunk: y or n
		replacements, lines  int
	}{
		{"one hunk", three, "foo", "bar", nil, "y", 3, 3},
		{"none", three, "foo", "bar", nil, "n", 0, 0},
		{"one of two hunks", apart, "foo", "bar", nil, "ny", 1, 1},
		{"parts", three, "foo", "bar", split, "yny", 2, 2},
		{"the last part", three, "foo", "bar", split, "nny", 1, 1},
		{"two in one line", "foo foo\nx\nfoo\n", "foo", "bar", split, "yn", 2, 1},
		{"several lines each", "a\nfoo\nx\na\nfoo\nx\n", "a\nfoo\n", "a\nbar\n", split, "ny", 1, 1},
		{"lines added below", three, "foo", "foo\nbar", split, "yny", 2, 4},
		{"lines added above", "foo\nx\nfoo\ny\nfoo\n", "foo\n", "bar\nfoo\n", split, "nyn", 1, 1},
		{"removed, but nothing in its place", "foo\nx\n", "foo", "bar", lines(0), "yn", 0, 1},
		{"equal lines", "foo\nfoo\nx\n", "foo\n", "", nil, "y", 2, 2},
	} {
		dir := project(t, map[string]string{"f": test.text})
		see := &fakeReviewer{func(_ context.Context, p review.Proposal, _ func(string)) (*review.Outcome, error) {
			patch, err := p.Files[0].Draft(hunks.NewText(test.text))
			must(t, err)
			if test.divide != nil {
				test.divide(patch)
			}
			if len(patch.Hunks) != len(test.applied) {
				t.Fatalf("%s: %d hunks", test.name, len(patch.Hunks))
			}
			out := review.FileOutcome{Path: "f"}
			for i, h := range patch.Hunks {
				state := hunks.Rejected
				if test.applied[i] == 'y' {
					state = hunks.Applied
				}
				out.Hunks = append(out.Hunks, review.HunkOutcome{Index: i + 1, State: state, Blocks: h.Blocks})
			}
			return &review.Outcome{Files: []review.FileOutcome{out}}, nil
		}}
		s, err := New(Options{Reviewer: see, Roots: []string{dir}})
		must(t, err)
		arguments := parseArguments(mustJSON(map[string]any{"path": "f", "old_string": test.old, "new_string": test.new, "replace_all": true}))
		result := s.Call(t.Context(), Call{Tool: "edit_file", Arguments: arguments})
		got, _ := result.Structure.(edited)
		if got.ReplacementsMade != test.replacements || got.LinesChanged != test.lines {
			t.Errorf("%s: %d replacements, %d lines, want %d, %d: %v", test.name, got.ReplacementsMade, got.LinesChanged,
				test.replacements, test.lines, result.Text)
		}
	}
}
