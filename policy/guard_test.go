package policy

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// person is the next reviewer, and who is asked before a file is read.
type person struct {
	seen     []review.Proposal
	asked    []review.Question
	remember *review.Remember
	decision hunks.State
	allows   bool
}

func (p *person) Review(_ context.Context, pr review.Proposal, _ func(string)) (*review.Outcome, error) {
	p.seen = append(p.seen, pr)
	out := &review.Outcome{Auto: pr.Auto != "", Remember: p.remember}
	for _, f := range pr.Files {
		out.Files = append(out.Files, review.FileOutcome{Path: f.Path, Hunks: []review.HunkOutcome{{Index: 1, State: p.decision}}})
	}
	return out, nil
}

func (p *person) Read(context.Context, string) (*review.Document, error) { panic("not used") }

func (p *person) MayRead(_ context.Context, q review.Question, _ func(string)) (*review.Answer, error) {
	p.asked = append(p.asked, q)
	return &review.Answer{Allowed: p.allows, Remember: p.remember}, nil
}

func (w *world) proposal(paths ...string) review.Proposal {
	p := review.Proposal{Tool: "edit_file", Root: w.project}
	for _, path := range paths {
		p.Files = append(p.Files, review.File{Path: path, Abs: w.edit(path).Path})
	}
	return p
}

// An agent's own tools are none that can be granted: one that edits has to be. To write a whole file is no edit.
func TestReviewerOfOwnTools(t *testing.T) {
	w := newWorld(t)
	w.write("a", "")
	edit, write := w.proposal("a"), w.proposal("a")
	edit.Tool, write.Tool, write.Files[0].Written = "Edit", "Write", true
	for _, c := range []struct {
		tools, grants string
		proposal      review.Proposal
		want          string
	}{
		{"edit_file", "edit_file write_file", edit, "Accepted by policy edit_approval = false ("},
		{"edit_file", "edit_file write_file", write, ""},
		{"read_file", "edit_file write_file", edit, "fs_denied: denied by policy tools = ["},
		{"edit_file", "", edit, "fs_denied: denied by policy tools = ["},
	} {
		w.load("edit_approval = false\ntools = ['diff', '"+c.tools+"']", "")
		r := &Reviewer{Next: &person{decision: hunks.Applied}, Guard: &Guard{Places: w.places, Memory: w.memory}, Grants: strings.Fields(c.grants)}
		if c.grants == "" {
			r.Grants = nil
		}
		out, err := r.Review(t.Context(), c.proposal, nil)
		var got string
		if err != nil {
			got = err.Error()
		} else {
			got = strings.Join(out.Notes, " ")
		}
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s of %s: %q, should be %q", c.proposal.Tool, c.tools, got, c.want)
		}
	}
}

func TestReviewer(t *testing.T) {
	w := newWorld(t)
	w.write("a", "")
	w.write("b", "")
	w.load("allow = ['a']\ndeny = ['no']\nask = ['fixed']\n[roots.ro]\npath = '~/project/ro'\nmode = 'ro'", "")
	who := &person{decision: hunks.Applied}
	r := &Reviewer{Next: who, Guard: &Guard{Places: w.places, Memory: w.memory}}
	told := func(p review.Proposal) string {
		out, err := r.Review(t.Context(), p, nil)
		if err != nil {
			return err.Error()
		}
		return strings.Join(out.Notes, " ")
	}
	tests := []struct {
		proposal review.Proposal
		want     string
		seen     int
	}{
		{w.proposal("a"), `Accepted by policy allow = "a" (`, 1},
		{w.proposal("b"), "", 1},
		{w.proposal("a", "b"), "", 1}, // the strictest counts
		{w.proposal("a", "no"), `fs_denied: denied by policy deny = "no" (`, 0},
		{w.proposal("a", "ro/x"), "PathNotWritableError: ro/x may be read only", 0},
	}
	for _, test := range tests {
		who.seen = nil
		if got := told(test.proposal); !strings.HasPrefix(got, test.want) || (test.want == "") != (got == "") || len(who.seen) != test.seen {
			t.Errorf("%v: %q, seen %d times; should be %q, %d", test.proposal.Files, got, len(who.seen), test.want, test.seen)
		}
	}

	// A file in another root is under the rules there too.
	other := w.write(w.places.Home+"/other/sub/x", "")
	w.write(w.places.Home+"/other/"+ProjectFile, "deny = ['sub/x']")
	both := w.proposal("a")
	both.Files = append(both.Files, review.File{Path: other, Abs: other})
	if got := told(both); !strings.Contains(got, `denied by policy deny = "sub/x"`) {
		t.Error(got)
	}

	// What is remembered is what was accepted, of a file that was proposed, where it may be.
	forgotten := func(why string, p review.Proposal) {
		t.Helper()
		told(p)
		if all, err := w.memory.List(); err != nil || len(all) != 0 {
			t.Errorf("%s: %v %v", why, all, err)
		}
	}
	who.remember = &review.Remember{Scope: "file", Path: w.edit("b").Path, Always: true}
	forgotten("another file", w.proposal("a"))
	who.decision = hunks.Rejected
	forgotten("rejected", w.proposal("b"))
	who.decision = hunks.Applied
	forgotten("with one that is always asked", w.proposal("b", "fixed"))
	who.remember.Scope = "everything"
	forgotten("an unknown scope", w.proposal("b"))
	who.remember.Scope = "file"
	told(w.proposal("b"))
	if got := told(w.proposal("b")); !strings.Contains(got, "Accepted by policy approval ") {
		t.Error(got)
	}
	if !who.seen[0].Remember || !who.seen[0].Session {
		t.Error("nobody could ask for it")
	}
}

func TestMayRead(t *testing.T) {
	w := newWorld(t)
	rules := w.load("read_approval = true\nallow = ['free']\ndeny = ['no']", "")
	who := &person{}
	g := &Guard{Places: w.places, Memory: w.memory, Asker: who}
	read := func(path string) string {
		err := g.MayRead(t.Context(), rules, w.request(Read, path), review.Question{Path: path, Abs: path}, nil)
		if e, ok := errors.AsType[*review.Error](err); ok {
			return string(e.Code)
		}
		return ""
	}
	if got := read("free") + read("no"); got != "fs_denied" || len(who.asked) != 0 {
		t.Error(got, who.asked)
	}
	if got := read("a"); got != "fs_denied" || len(who.asked) != 1 || !who.asked[0].Remember {
		t.Error(got, who.asked)
	}
	who.allows, who.remember = true, &review.Remember{Scope: "file"}
	if got := read("a") + read("a"); got != "" || len(who.asked) != 2 {
		t.Error(got, who.asked)
	}
	w.decides(rules, w.edit("a"), Ask, "")
	g.Asker = nil
	if got := read("b"); got != "fs_denied" {
		t.Error(got)
	}
}

// A home folder that the environment does not name is still found, and the state's does not follow other variables.
func TestUserPlaces(t *testing.T) {
	t.Setenv("HOME", "/h")
	t.Setenv("XDG_CONFIG_HOME", "relative")
	t.Setenv("XDG_STATE_HOME", "/elsewhere")
	p, err := UserPlaces()
	must(t, err)
	if p != (Places{"/h", "/h/.config/nvim-agent-diff/config.toml", "/h/.local/state/nvim-agent-diff"}) {
		t.Error(p)
	}
	t.Setenv("XDG_CONFIG_HOME", "/c")
	if p, _ = UserPlaces(); p.Config != "/c/nvim-agent-diff/config.toml" {
		t.Error(p)
	}
	must(t, os.Unsetenv("HOME"))
	if p, err = UserPlaces(); err != nil || p.Home == "" {
		t.Error(p, err)
	}
}
