package approve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/journal"
	"nvim-agent-diff/policy"
	"nvim-agent-diff/review"
	"nvim-agent-diff/test/golden"
	"nvim-agent-diff/tools"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// person reviews texts: of each file, the hunks that say so are applied, the others rejected.
type person struct {
	accepts   func(path string, hunk int) bool
	rewrites  func(path string, text hunks.Text) hunks.Text
	meanwhile func()
	remembers *review.Remember
	err       error
	seen      []review.Proposal
	patches   []*hunks.Patch
}

func (h *person) Read(context.Context, string) (*review.Document, error) { panic("not used") }

func (h *person) Review(_ context.Context, p review.Proposal, _ func(string)) (*review.Outcome, error) {
	h.seen = append(h.seen, p)
	if h.err != nil {
		return nil, h.err
	}
	out := &review.Outcome{Remember: h.remembers}
	var last error
	for _, f := range p.Files {
		disk, err := review.ReadDisk(f.Abs)
		if err != nil {
			return nil, err
		}
		patch, err := f.Draft(disk)
		if known, ok := errors.AsType[*review.Error](err); ok && known.Code == review.NothingToChange {
			last = err
			continue
		}
		if err != nil {
			return nil, err
		}
		h.patches = append(h.patches, patch)
		o := review.FileOutcome{Path: f.Path}
		applied := map[int]bool{}
		for i, hunk := range patch.Hunks {
			state := hunks.Rejected
			if h.accepts(f.Path, i) {
				state = hunks.Applied
				applied[hunk.ID] = true
			}
			o.Hunks = append(o.Hunks, review.HunkOutcome{Index: i + 1, Header: hunk.Header(), State: state})
		}
		o.Text = patch.Base.With(patch.Compose(func(id int) bool { return applied[id] }))
		o.Text.Missing = patch.Base.Missing && len(applied) == 0
		if len(applied) < len(patch.Hunks) {
			o.AppliedDiff = "a part"
		}
		if h.rewrites != nil {
			o.Text = h.rewrites(f.Path, o.Text)
			o.UserDiff = "more"
		}
		if h.meanwhile != nil {
			o.Unwritable = "The file on disk was changed during the review."
		}
		out.Files = append(out.Files, o)
	}
	if len(out.Files) == 0 {
		return nil, last
	}
	return out, nil
}

func all(string, int) bool     { return true }
func nothing(string, int) bool { return false }

// world is a project with a policy, and a person.
type world struct {
	t      *testing.T
	dir    string
	guard  *policy.Guard
	person *person

	journal *journal.Journal
}

func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	t.Setenv("HOME", home)
	for name, text := range files {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return &world{t: t, dir: dir, person: &person{accepts: all}, journal: journal.At(filepath.Join(home, "log")), guard: &policy.Guard{
		Places: policy.Places{Home: home, Config: filepath.Join(home, "config.toml"), State: filepath.Join(home, "state")},
		Memory: policy.NewMemory(filepath.Join(home, "state"), "session"),
	}}
}

func (w *world) approver() *Approver {
	w.t.Helper()
	server, err := tools.New(tools.Options{Reviewer: w.person, Guard: w.guard, Roots: []string{w.dir}})
	must(w.t, err)
	return &Approver{
		Reviewer: w.person, Guard: w.guard, Dir: w.dir, Agent: "test",
		Record: func(r review.Reviewer) review.Reviewer {
			return journal.Record(r, w.journal, func() bool { return true }, slog.New(slog.DiscardHandler))
		},
		Locate: func(ctx context.Context, path string, change bool) (review.File, string, error) {
			if change {
				return server.Locate(ctx, w.dir, path)
			}
			return server.LocateToRead(ctx, w.dir, path)
		},
	}
}

// run decides on requests.
func (w *world) run(requests string) map[string]*Decision {
	w.t.Helper()
	answer, err := w.approver().Run(w.t.Context(), []byte(`{"requests": [`+requests+`]}`))
	must(w.t, err)
	return answer.Approvals
}

// is compares a decision: whether it was approved, the overriding arguments, and what the note begins with.
func (d *Decision) is(t *testing.T, approved bool, override, note string) {
	t.Helper()
	got := ""
	if d.OverrideArgs != nil {
		raw, err := json.Marshal(d.OverrideArgs)
		must(t, err)
		got = string(raw)
	}
	if d.Approved != approved || got != override || !strings.HasPrefix(d.Note, note) || note == "" && d.Note != "" {
		t.Errorf("%+v %s", d, got)
	}
}

func TestInputErrors(t *testing.T) {
	for input, want := range map[string]string{
		"":                                      "$: the input is no JSON: ",
		"{":                                     "$: the input is no JSON: ",
		"\"\xff\"":                              "$: the input is not valid UTF-8",
		"[]":                                    "$: must be an object",
		"{}":                                    "requests: is missing",
		`{"requests": {}}`:                      "requests: must be an array",
		`{"requests": [1]}`:                     "requests[0]: must be an object",
		`{"requests": [{}]}`:                    "requests[0].tool_call_id: is missing",
		`{"requests": [{"tool_call_id": 7}]}`:   "requests[0].tool_call_id: must be a string",
		`{"requests": [{"tool_call_id": "a"}]}`: "requests[0].tool_name: is missing",
		`{"requests": [{"tool_call_id": "a", "tool_name": "x", "args": []}]}`:                                                                                                         "requests[0].args: must be an object",
		`{"requests": [{"tool_call_id": "a", "tool_name": "x", "args": "no"}]}`:                                                                                                       "requests[0].args: is a string that holds no JSON object",
		`{"requests": [{"tool_call_id": "a", "tool_name": "x"}, {"tool_call_id": "a", "tool_name": "x"}]}`:                                                                            "requests[1]: has the tool_call_id of requests[0]",
		`{"requests": [{"tool_call_id": "a", "tool_name": "write_file", "args": {"path": "f"}}]}`:                                                                                     "requests[0].args.content: is missing",
		`{"requests": [{"tool_call_id": "a", "tool_name": "write_file", "args": {"path": 1, "content": ""}}]}`:                                                                        "requests[0].args.path: must be a string",
		`{"requests": [{"tool_call_id": "a", "tool_name": "write_file", "args": {"path": "\u0000", "content": ""}}]}`:                                                                 "requests[0].args.path: holds a NUL",
		`{"requests": [{"tool_call_id": "a", "tool_name": "write_file", "args": {"path": "f", "content": "\ud800 \ufffd"}}]}`:                                                         "requests[0].args.content: holds a lone surrogate, which is no character",
		`{"requests": [{"tool_call_id": "a", "tool_name": "edit_file", "args": {"path": "f", "old_string": "", "new_string": ""}}]}`:                                                  "requests[0].args.old_string: is empty",
		`{"requests": [{"tool_call_id": "a", "tool_name": "x", "metadata": {"payload": {"path": "f"}}}]}`:                                                                             "requests[0].metadata.payload.type: is missing",
		`{"requests": [{"tool_call_id": "a", "tool_name": "x", "metadata": {"type": "edit", "path": "f"}}]}`:                                                                          "requests[0].metadata.old_string: is missing",
		`{"requests": [{"tool_call_id": "a", "tool_name": "x", "metadata": {"payload": {"type": "edit", "path": "f", "old_string": "a", "new_string": "b", "replace_all": "yes"}}}]}`: "requests[0].metadata.payload.replace_all: must be true or false",
	} {
		_, err := (&Approver{}).Run(t.Context(), []byte(input))
		if bad, ok := errors.AsType[*InputError](err); !ok || !strings.HasPrefix(bad.Error(), want) {
			t.Errorf("%s\n%v\nshould be\n%s", input, err, want)
		}
	}
}

const numbers = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

// TestBatch decides on all calls of a batch in one sitting, whatever they are.
func TestBatch(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": numbers, "b.txt": "old\n", "secret": "s\n", "c.txt": "x\ny\nx x\n"})
	w.person.accepts = func(path string, hunk int) bool { return path != "no.txt" && hunk == 0 }
	must(t, os.WriteFile(w.guard.Places.Config, []byte("read_approval = true\n"), 0o600))
	got := w.run(`
		{"tool_call_id": "part", "tool_name": "write_file", "args": {"path": "a.txt", "content": "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n", "extra": 1e3}},
		{"tool_call_id": "new", "tool_name": "save", "args": "{\"file\": \"new.txt\", \"text\": \"new\\n\"}", "summary": "save it",
			"metadata": {"payload": {"type": "write", "path": "new.txt", "content": "new\n", "description": "a new file"}}},
		{"tool_call_id": "no", "tool_name": "write_file", "args": {"path": "no.txt", "content": "x"}},
		{"tool_call_id": "edit", "tool_name": "edit_file", "args": {"path": "b.txt", "old_string": "old", "new_string": "new"}},
		{"tool_call_id": "read", "tool_name": "read_file", "args": {"path": "secret"}},
		{"tool_call_id": "mail", "tool_name": "send_mail", "args": {"to": "x@y"}, "summary": "tell them\u202e"},
		{"tool_call_id": "gone", "tool_name": "edit_file", "args": {"path": "b.txt2", "old_string": "old", "new_string": "new"}},
		{"tool_call_id": "same", "tool_name": "write_file", "args": {"path": "secret", "content": "s\n"}},
		{"tool_call_id": "often", "tool_name": "edit_file", "args": {"path": "c.txt", "old_string": "x", "new_string": "new"}},
		{"tool_call_id": "out", "tool_name": "write_file", "args": {"path": "../x", "content": "s\n"}}`)
	if len(w.person.seen) != 1 || len(got) != 10 {
		t.Fatalf("%d sittings, %d decisions", len(w.person.seen), len(got))
	}
	got["part"].is(t, true, `{"content":"one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n","extra":1e3,"path":"a.txt"}`, "The user has reviewed the edit of a.txt: 1 of 2 hunks applied")
	got["new"].is(t, true, "", "")
	got["no"].is(t, false, "", "✗ REJECTED: User explicitly declined changes to no.txt\n\nSTOP: ")
	got["edit"].is(t, true, "", "")
	got["read"].is(t, true, "", "")
	got["mail"].is(t, true, "", "")
	got["gone"].is(t, false, "", "tool_failed: b.txt2 does not exist.")
	got["often"].is(t, false, "", "EditNotUniqueError: c.txt does not hold the text in the one place that is meant.") // by read_approval
	got["same"].is(t, true, "", "nothing_to_change: secret already holds this text.")
	got["out"].is(t, false, "", "PathNotInSandboxError: ../x is outside")
	p := w.person.seen[0]
	if !p.TextOnly || !p.Session || p.Description != "9 calls wait for your approval" || p.Files[0].Path != "a.txt" {
		t.Errorf("%+v", p)
	}
	var said strings.Builder
	for _, patch := range w.person.patches {
		said.WriteString(patch.Modified + strings.Join(patch.Warnings, "\n"))
	}
	for _, want := range []string{
		"Call of read_file (read)\nFile: " + w.dir + "/secret\nIt has 1 lines, 2 bytes.\n", "Call of send_mail (mail)\ntell them\u202e\nArguments:\n{\n  \"to\": \"x@y\"\n}\n",
		"a new file", "This will overwrite existing file (was 10 lines, now 10 lines)",
	} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q was not shown:\n%s", want, said.String())
		}
	}
}

// TestOverride hands back what was accepted as arguments with which the tool writes just that.
func TestOverride(t *testing.T) {
	const many = "x\n1\n2\n3\n4\n5\n6\n7\nx\n"
	tests := []struct {
		name, base, args string
		accepts          func(string, int) bool
		rewrites         func(string, hunks.Text) hunks.Text
		override         string
	}{
		{
			"one of two hunks of an edit", numbers, `{"path": "f", "old_string": "1\n2\n3\n4\n5\n6\n7\n8\n9\n10", "new_string": "one\n2\n3\n4\n5\n6\n7\n8\n9\nten"}`,
			func(_ string, i int) bool { return i == 1 }, nil, `{"new_string":"1\n2\n3\n4\n5\n6\n7\n8\n9\nten","old_string":"1\n2\n3\n4\n5\n6\n7\n8\n9\n10","path":"f"}`,
		},
		{
			"one of two places", many, `{"path": "f", "old_string": "x", "new_string": "y", "replace_all": true}`,
			func(_ string, i int) bool { return i == 1 }, nil, `{"new_string":"7\ny\n","old_string":"7\nx\n","path":"f","replace_all":false}`,
		},
		{"CRLF", "a\r\nb\r\n", `{"path": "f", "content": "a\nc\n"}`, all, nil, `{"content":"a\r\nc\r\n","path":"f"}`},
		{"an edit of a CRLF file", "a\r\nb\r\n", `{"path": "f", "old_string": "a\nb", "new_string": "a\nc"}`, all, nil, ""},
		{
			"in the person's own words", "a\n", `{"path": "f", "old_string": "a", "new_string": "b"}`, all,
			func(_ string, text hunks.Text) hunks.Text { return text.With("first\nc\n") }, `{"new_string":"first\nc","old_string":"a","path":"f"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"f": tt.base})
			w.person.accepts, w.person.rewrites = tt.accepts, tt.rewrites
			tool := "edit_file"
			if strings.Contains(tt.args, "content") {
				tool = "write_file"
			}
			d := w.run(`{"tool_call_id": "c", "tool_name": "` + tool + `", "args": ` + tt.args + `}`)["c"]
			d.is(t, true, tt.override, d.Note)
		})
	}
}

// TestNotOverridden refuses what cannot be handed back.
func TestNotOverridden(t *testing.T) {
	w := newWorld(t, map[string]string{"f": numbers})
	w.person.accepts = func(_ string, i int) bool { return i == 0 }
	got := w.run(`{"tool_call_id": "c", "tool_name": "save", "args": {"blob": "zipped"}, "metadata": {"type": "write", "path": "f", "content": "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n"}}`)
	got["c"].is(t, false, "", "stale_original: What the user accepted cannot be said with the tool save (which of its arguments holds the text cannot be told).")
	w.person.accepts, w.person.meanwhile = all, func() {}
	got = w.run(`{"tool_call_id": "c", "tool_name": "write_file", "args": {"path": "f", "content": "x\n"}}`)
	got["c"].is(t, false, "", "stale_original: The user accepted, but f must not be written now. The file on disk was changed")
	w = newWorld(t, nil)
	w.person.rewrites = func(_ string, text hunks.Text) hunks.Text { return text }
	got = w.run(`{"tool_call_id": "c", "tool_name": "send_mail", "args": {}}`)
	got["c"].is(t, false, "", "stale_original: The user accepted only a part of the call send_mail")
}

// TestSameFile compares the second edit of a file with what the first leaves.
func TestSameFile(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a\n"})
	got := w.run(`
		{"tool_call_id": "mail", "tool_name": "mail"}, {"tool_call_id": "1", "tool_name": "edit_file", "args": {"path": "f", "old_string": "a", "new_string": "b"}},
		{"tool_call_id": "2", "tool_name": "edit_file", "args": {"path": "./f", "old_string": "b", "new_string": "c"}}`)
	got["1"].is(t, true, "", "")
	got["2"].is(t, true, "", "")
	if len(w.person.seen) != 2 || w.person.seen[0].Description != "2 calls wait for your approval, and 1 more after them" {
		t.Errorf("%d sittings: %q", len(w.person.seen), w.person.seen[0].Description)
	}
	w.person.accepts = nothing
	got = w.run(`
		{"tool_call_id": "1", "tool_name": "edit_file", "args": {"path": "f", "old_string": "a", "new_string": "b"}},
		{"tool_call_id": "2", "tool_name": "edit_file", "args": {"path": "f", "old_string": "b", "new_string": "c"}}`)
	got["2"].is(t, false, "", "EditNotFoundError: old_string not found in f. File contains 1 lines. No line is similar")
	got = w.run(`{"tool_call_id": "1", "tool_name": "edit_file", "args": {"path": "f", "old_string": " a", "new_string": "b"}}`)
	got["1"].is(t, false, "", "EditNotFoundError: old_string not found in f. File contains 1 lines. Did you mean: line 1, which differs")
}

// TestPolicy asks only what the policy leaves open.
func TestPolicy(t *testing.T) {
	w := newWorld(t, map[string]string{"docs/f": "a\n", "f": "a\n"})
	must(t, os.WriteFile(w.guard.Places.Config, []byte("allow = [\"docs/**\"]\ndeny = [\".env\"]\n[roots.notes]\npath = \"~/notes\"\nmode = \"ro\"\n"), 0o600))
	must(t, os.Mkdir(filepath.Join(w.guard.Places.Home, "notes"), 0o755))
	got := w.run(`
		{"tool_call_id": "docs", "tool_name": "edit_file", "args": {"path": "docs/f", "old_string": "a", "new_string": "b"}},
		{"tool_call_id": "docs again", "tool_name": "edit_file", "args": {"path": "docs/f", "old_string": "b", "new_string": "c"}},
		{"tool_call_id": "docs wrong", "tool_name": "edit_file", "args": {"path": "docs/f", "old_string": "a", "new_string": "c"}},
		{"tool_call_id": "env", "tool_name": "read_file", "args": {"path": ".env"}},
		{"tool_call_id": "read", "tool_name": "read_file", "args": {"path": "f"}},
		{"tool_call_id": "ro", "tool_name": "write_file", "args": {"path": "x", "content": "x"}, "metadata": {"payload": {"type": "write", "sandbox": "notes", "path": "x", "content": "x"}}}`)
	got["docs"].is(t, true, "", "Accepted by policy allow = \"docs/**\"")
	got["docs again"].is(t, true, "", "Accepted by policy")
	got["docs wrong"].is(t, false, "", "EditNotFoundError")
	got["env"].is(t, false, "", "fs_denied: denied by policy deny = \".env\"")
	got["read"].is(t, true, "", "Accepted by policy")
	got["ro"].is(t, false, "", "PathNotWritableError: ")
	if len(w.person.seen) != 0 {
		t.Errorf("the person was asked: %+v", w.person.seen)
	}
	entries, _, err := w.journal.Last(-1)
	must(t, err)
	var logged []string
	for _, e := range entries {
		logged = append(logged, fmt.Sprintf("%s %s%.9s", e.Files[0].Path, e.Decision, e.Error))
	}
	if got := strings.Join(logged, ", "); got != "docs/f accepted, docs/f accepted" || !strings.Contains(entries[1].Files[0].Proposed, "-b\n+c\n") {
		t.Errorf("logged: %s", got)
	}
	must(t, os.WriteFile(w.guard.Places.Config, []byte("mode = \"auto_approve\"\n"), 0o600))
	w.person.accepts = nothing
	w.run(`{"tool_call_id": "c", "tool_name": "send_mail"}`)["c"].is(t, false, "", "✗ REJECTED: User explicitly declined changes to send_mail (c)")
	must(t, os.WriteFile(w.guard.Places.Config, []byte("mode = \"auto_deny\"\n"), 0o600))
	w.run(`{"tool_call_id": "c", "tool_name": "send_mail"}`)["c"].is(t, false, "", "fs_denied: denied by policy mode")
}

// TestRemember does not ask again for what the person has let through for always.
func TestRemember(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a\n"})
	const edit = `{"tool_call_id": "c", "tool_name": "edit_file", "args": {"path": "f", "old_string": "a", "new_string": "b"}}`
	const mail = `{"tool_call_id": "c", "tool_name": "send_mail", "args": {"b": 1, "a": 2}}`
	w.person.remembers = &review.Remember{Scope: "file", Path: filepath.Join(w.dir, "f")}
	if d := w.run(edit)["c"]; d.Remember != "session" {
		t.Errorf("%+v", d)
	}
	w.person.remembers.Always = true
	if d := w.run(edit)["c"]; d.Remember != "always" || d.Note != "" {
		t.Errorf("%+v", d)
	}
	w.run(edit)["c"].is(t, true, "", "Accepted by policy approval ")
	w.person.remembers.Path = filepath.Join(w.dir, ".nvim-agent-diff/call-1/send_mail")
	if d := w.run(mail)["c"]; d.Remember != "always" {
		t.Errorf("%+v", d)
	}
	w.run(`{"tool_call_id": "d", "tool_name": "send_mail", "args": {"a": 2, "b": 1}}`)["d"].is(t, true, "", "Accepted by policy approval ")
	if len(w.person.seen) != 3 {
		t.Errorf("%d sittings", len(w.person.seen))
	}
}

// TestNobody is no decision.
func TestNobody(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a\n"})
	w.person.err = review.Errorf(review.EditorUnavailable, "No Neovim was found.")
	_, err := w.approver().Run(t.Context(), []byte(`{"requests": [{"tool_call_id": "c", "tool_name": "send_mail"}]}`))
	if !errors.Is(err, w.person.err) {
		t.Error(err)
	}
}

// TestDescribe makes the payloads of calls.
func TestDescribe(t *testing.T) {
	w := newWorld(t, map[string]string{"f": numbers})
	described, err := w.approver().Describe(t.Context(), []byte(`{"requests": [
		{"tool_call_id": "w", "tool_name": "write_file", "args": {"path": "f", "content": "`+strings.Repeat(`x\n`, 51)+`", "description": "why"}},
		{"tool_call_id": "e", "tool_name": "edit_file", "args": {"path": "f", "old_string": "5\n6", "new_string": "five"}, "metadata": {"user": 7}},
		{"tool_call_id": "r", "tool_name": "read_file", "args": {"path": "missing"}},
		{"tool_call_id": "u", "tool_name": "mail", "summary": "s"}]}`))
	must(t, err)
	raw, err := json.MarshalIndent(described, "", " ")
	must(t, err)
	golden.Check(t, "described.json", string(raw)+"\n")
}
