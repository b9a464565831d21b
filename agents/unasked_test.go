package agents

import (
	"context"
	"strings"
	"testing"

	"nvim-agent-diff/review"
)

// byRule is a policy that lets everything through.
type byRule struct{ review.Reviewer }

func (b byRule) Review(ctx context.Context, p review.Proposal, progress func(string)) (*review.Outcome, error) {
	p.Auto = "a rule"
	return b.Reviewer.Review(ctx, p, progress)
}

// What a rule lets through needs no editor; what a person must look at, and what no rule lets through, does.
func TestUnasked(t *testing.T) {
	gone := &person{err: review.Errorf(review.EditorUnavailable, "No Neovim. Nothing was changed.")}
	patch := func(body string) string {
		return hookInput("codex", "apply_patch", map[string]any{"command": "*** Begin Patch\n" + body + "*** End Patch"})
	}
	for _, c := range []struct {
		name, input string
		rule, want  bool
	}{
		{"an edit", editOf("codex"), true, true},
		{"an edit that no rule lets through", editOf("codex"), false, false},
		{"a new file", patch("*** Add File: new\n+text\n"), true, true},
		{"a file is deleted", patch("*** Delete File: f\n"), true, false},
		{"a file is moved", patch("*** Update File: f\n*** Move to: g\n@@\n-one\n+1\n"), true, false},
		{"a text that is not there", patch("*** Update File: f\n@@\n-two\n+2\n"), true, false},
	} {
		d := newDesk(t, "codex", Unasked{gone})
		if c.rule {
			d.gate.Reviewer = byRule{Unasked{gone}}
		}
		d.file("f", "one\n")
		code, stdout, stderr := d.run(c.input)
		if blocks("codex", code, stdout, parseReply(t, stdout)) == c.want || stderr != "" || strings.Contains(stdout, "updatedInput") {
			t.Errorf("%s: %d %s %s", c.name, code, stdout, stderr)
		}
	}
}
