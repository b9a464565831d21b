package tools

import (
	"context"
	"strings"
	"testing"
	"time"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// drafted is what edit_file makes of a file's text, or the error's text.
func drafted(t *testing.T, body, old, added string) string {
	t.Helper()
	see := &fakeReviewer{func(_ context.Context, p review.Proposal, _ func(string)) (*review.Outcome, error) {
		if _, err := p.Files[0].Draft(hunks.NewText(body)); err != nil {
			return nil, err
		}
		return nil, review.Errorf(review.Cancelled, "It can be reviewed.")
	}}
	s, err := New(Options{Reviewer: see, Roots: []string{project(t, map[string]string{"f": body})}})
	must(t, err)
	arguments := parseArguments(mustJSON(map[string]any{"path": "f", "old_string": old, "new_string": added, "replace_all": true}))
	return s.Call(t.Context(), Call{Tool: "edit_file", Arguments: arguments}).Text
}

// A few bytes of an agent's must not become more than memory holds: all reviews of the server would end with it.
func TestReplacedTextIsBounded(t *testing.T) {
	text := drafted(t, strings.Repeat("a\n", 1<<15), "a", strings.Repeat("b", 1<<12))
	if !strings.Contains(text, "larger than 64 MiB") || !strings.HasPrefix(text, string(review.ToolFailed)) {
		t.Errorf("%.200s", text)
	}
}

// What an agent may have meant is found in the time that it takes to read the file, whatever it repeats.
func TestSuggestionsTakeNoTime(t *testing.T) {
	blank := strings.Repeat("\n", 30_000)
	for name, test := range map[string][2]string{
		"blank lines": {strings.Repeat("\n", 60_000), blank + "x\n"},
		"equal lines": {strings.Repeat("}\n", 60_000), strings.Repeat("}\n", 30_000) + "x\n"},
	} {
		start := time.Now()
		if text := drafted(t, test[0], test[1], "y"); !strings.Contains(text, "File contains 60000 lines") {
			t.Errorf("%s: %.200s", name, text)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
	}
}
