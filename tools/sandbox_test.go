package tools

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/policy"
	"nvim-agent-diff/review"
)

// guarded is a server in a project, with the user's configuration, whose reviews are all accepted.
func guarded(t *testing.T, dir, config string) (s *Server, home string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	guard := &policy.Guard{Places: policy.Places{
		Home: home, Config: filepath.Join(home, "config", "config.toml"), State: filepath.Join(home, "state"),
	}}
	must(t, os.MkdirAll(filepath.Dir(guard.Places.Config), 0o755))
	must(t, os.WriteFile(guard.Places.Config, []byte(config), 0o644))
	person := &fakeReviewer{review: func(_ context.Context, p review.Proposal, _ func(string)) (*review.Outcome, error) {
		return decide(p, hunks.Applied)
	}}
	s, err = New(Options{Reviewer: &policy.Reviewer{Next: person, Guard: guard}, Guard: guard, Roots: []string{dir}})
	must(t, err)
	return s, home
}

func call(s *Server, tool string, args ...string) Result {
	texts := map[string]string{}
	for i := 0; i < len(args); i += 2 {
		texts[args[i]] = args[i+1]
	}
	return s.Call(context.Background(), Call{Tool: tool, Arguments: TextArguments(texts)})
}

// answers checks how an answer begins.
func answers(t *testing.T, r Result, want string) {
	t.Helper()
	if !strings.HasPrefix(r.Text, want) {
		t.Errorf("%s\nshould begin with\n%s", r.Text, want)
	}
}

func TestPolicyInTools(t *testing.T) {
	dir := project(t, map[string]string{"a": "a\n", "secret/a": "a\n", "gen/a": "a\n", "ask/a": "key\nb\n", "away/b": "b\n"})
	notes := project(t, map[string]string{"todo": "t\n", "away/b": "note\n"})
	s, home := guarded(t, dir, `deny = ["secret/"]
tools = ["read_file", "diff", "edit_file", "write_file"]
[roots.gen]
path = "`+dir+`/gen"
mode = "ro"
[roots.asked]
path = "`+dir+`/ask"
read_approval = true
[roots.notes]
path = "`+notes+`"
[roots.away]
path = "`+notes+`/away"
`)
	edit := func(path, old string) Result {
		return call(s, "edit_file", "path", path, "old_string", old, "new_string", "new")
	}
	denied := `fs_denied: denied by policy deny = "secret/" (` + home + "/config/config.toml:1). Nothing was changed."
	answers(t, edit("a", "a"), "✓ Changes accepted")
	answers(t, edit("secret/a", "a"), denied)
	answers(t, edit("SECRET/a", "a"), denied)
	answers(t, call(s, "write_file", "path", "secret/new/x", "content", "x"), denied)
	answers(t, call(s, "read_file", "path", "secret/a"), denied)
	answers(t, call(s, "diff", "path_a", "a", "path_b", "secret/a"), denied)
	answers(t, call(s, "diff", "path_a", "/etc/passwd", "path_b", "a"), "fs_denied: /etc/passwd is outside")
	answers(t, edit("gen/a", "a"), "PathNotWritableError: gen/a may be read only, by policy roots.gen.mode")
	answers(t, call(s, "read_file", "path", "gen/a"), "a\n")
	answers(t, call(s, "propose_file_edit", "path", "a", "original", "a\n", "modified", "b\n", "description", ""),
		"fs_denied: denied by policy tools = [")

	// Who has to ask before reading is not told what the file holds.
	if r := edit("ask/a", "kye"); !strings.HasPrefix(r.Text, "EditNotFoundError: ") || strings.Contains(r.Text, "key") {
		t.Error(r.Text)
	}

	answers(t, call(s, "read_file", "path", "notes/todo"), "t\n")
	answers(t, edit("notes/todo", "t"), "✓ Changes accepted and applied to notes/todo")
	answers(t, call(s, "write_file", "path", "notes/new/x", "content", "x"), "✓ Changes accepted")
	answers(t, call(s, "read_file", "path", "notes/../../../etc/passwd"), "PathNotInSandboxError")
	answers(t, call(s, "read_file", "path", "NOTES/todo"), "tool_failed")
	// The project has a folder of that name: what is in it comes first.
	answers(t, call(s, "read_file", "path", "away/b"), "b\n")
	must(t, os.Remove(filepath.Join(dir, "away", "b")))
	answers(t, call(s, "read_file", "path", "away/b"), "note\n")

	// A link to what is denied is no way around it.
	must(t, os.Symlink("secret", filepath.Join(dir, "harmless")))
	answers(t, call(s, "read_file", "path", "harmless/a"), denied)
	answers(t, edit("harmless/a", "a"), denied)
}

// A tool that is not granted is not listed, and is unknown when it is called.
func TestGrants(t *testing.T) {
	dir := project(t, map[string]string{"a": "a\n"})
	s, _ := guarded(t, dir, `tools = ["diff", "edit_file"]`)
	c := connect(t, t.Context(), s)
	c.hello()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var names []string
	for _, tool := range c.message().Result.Tools {
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "diff edit_file" {
		t.Error(got)
	}
	c.send(callLine(2, editArgs("a", "a\n", "b\n"), nil))
	if m := c.message(); m.Error == nil {
		t.Errorf("%+v", m)
	}
}

// Between the check and the use an agent puts a link in the way, or turns a file into one that is denied.
func TestPolicyRaced(t *testing.T) {
	dir := project(t, map[string]string{"a": "a\n", "secret": "a\n"})
	s, _ := guarded(t, dir, "mode = 'auto_approve'\ndeny = ['secret']")
	inner := s.reviewer.(*policy.Reviewer)
	inner.Next = &fakeReviewer{review: func(_ context.Context, p review.Proposal, _ func(string)) (*review.Outcome, error) {
		must(t, os.Remove(filepath.Join(dir, "a")))
		must(t, os.Symlink("secret", filepath.Join(dir, "a")))
		return decide(p, hunks.Applied)
	}}
	answers(t, call(s, "edit_file", "path", "a", "old_string", "a", "new_string", "b"), "fs_denied: denied by policy deny")
}

// asker answers whether a file may be read: yes, after it has done something.
type asker func()

func (a asker) MayRead(context.Context, review.Question, func(string)) (*review.Answer, error) {
	a()
	return &review.Answer{Allowed: true}, nil
}

// While a person is asked whether a file may be read, an agent puts a link to another one in its way.
func TestReadRaced(t *testing.T) {
	dir := project(t, map[string]string{"a": "a\n", "secret": "secret\n"})
	s, _ := guarded(t, dir, "read_approval = true\ndeny = ['secret']")
	s.guard.Asker = asker(func() {
		must(t, os.Remove(filepath.Join(dir, "a")))
		must(t, os.Symlink("secret", filepath.Join(dir, "a")))
	})
	answers(t, call(s, "read_file", "path", "a"), "tool_failed: a leads to another file than a moment ago.")
}
