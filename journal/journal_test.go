package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// person reviews as the function says, after drafting.
type person func(p review.Proposal, patches []*hunks.Patch) (*review.Outcome, error)

func (f person) Review(_ context.Context, p review.Proposal, _ func(string)) (*review.Outcome, error) {
	var patches []*hunks.Patch
	for _, file := range p.Files {
		patch, err := file.Draft(hunks.NewText("a\nb\n"))
		if err != nil {
			return nil, err
		}
		patches = append(patches, patch)
	}
	return f(p, patches)
}

func (person) Read(context.Context, string) (*review.Document, error) { panic("not used") }

// wanted makes a file of which the text modified is wanted.
func wanted(path, modified string) review.File {
	return review.File{Path: path, Abs: "/p/" + path, Name: path, Draft: func(current hunks.Text) (*hunks.Patch, error) {
		return hunks.Place(current, current.Raw(), modified)
	}}
}

func always() bool { return true }

var quiet = slog.New(slog.DiscardHandler)

func TestRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "log.jsonl")
	j := At(path)
	p := review.Proposal{
		Tool: "edit_file", Agent: "codex", Description: "why\n\x1b[2J", Root: "/p",
		Files: []review.File{wanted("a", "a\nc\n"), wanted("same", "a\nb\n"), wanted("b", "b\n")},
	}
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, nil, 0o644)) // others could read it
	accepts := person(func(p review.Proposal, patches []*hunks.Patch) (*review.Outcome, error) {
		patches[0].Hunks = nil // as a split does
		p.Files[0].Draft = nil
		return &review.Outcome{Comment: "well", Files: []review.FileOutcome{
			{Path: "a", Saved: true, Hunks: []review.HunkOutcome{{Index: 1, State: hunks.Applied, Comment: "good"}}},
			{Path: "b", AppliedDiff: "-b\n", Unsaved: "Full.", Hunks: []review.HunkOutcome{{Index: 1, State: hunks.Rejected}}},
		}}, nil
	})
	same := p.Files[1]
	p.Files = []review.File{p.Files[0], p.Files[2]}
	_, err := Record(accepts, j, always, quiet).Review(t.Context(), p, nil)
	must(t, err)
	if p.Files[0].Draft != nil {
		t.Error("the caller's file still holds its texts")
	}
	p.Files = []review.File{same}
	_, err = Record(accepts, j, always, quiet).Review(t.Context(), p, nil)
	if !errors.Is(err, hunks.ErrNothing) {
		t.Fatal(err)
	}
	_, err = Record(accepts, j, func() bool { return false }, quiet).Review(t.Context(), p, nil)
	if !errors.Is(err, hunks.ErrNothing) {
		t.Fatal(err)
	}

	entries, broken, err := j.Last(-1)
	must(t, err)
	if len(entries) != 2 || broken != 0 {
		t.Fatalf("%d entries, %d broken", len(entries), broken)
	}
	e := entries[0]
	if e.Agent != "codex" || e.Tool != "edit_file" || e.Description != p.Description || e.Decision != review.Accepted || e.Comment != "well" {
		t.Errorf("%+v", e)
	}
	if f := e.Files[0]; f.Abs != "/p/a" || !f.Saved || f.Hunks != (review.Count{Total: 1, Applied: 1}) || f.Comments[0] != "good" ||
		f.Proposed != "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n" {
		t.Errorf("%+v", f)
	}
	if f := e.Files[1]; f.Applied != "-b\n" || f.Decision != review.Rejected || strings.Join(e.Notes, "") != "Not saved: Full." {
		t.Errorf("%+v %v", f, e.Notes)
	}
	if e := entries[1]; e.Decision != "" || e.Error != hunks.ErrNothing.Error() || e.Files[0].Proposed != "" {
		t.Errorf("%+v", e)
	}
	for name, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		if info, err := os.Stat(name); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	text := e.Text(true, false)
	if strings.ContainsAny(text, "\x1b") || !strings.Contains(text, "accepted 1/2  codex edit_file  a, b  why ^[[2J\n") || !strings.Contains(text, "\n+c\n") {
		t.Errorf("%q", text)
	}
}

// TestOutcomeIsTheAgents: what is cut of an entry that is too long is not cut of the answer.
func TestOutcomeIsTheAgents(t *testing.T) {
	note := strings.Repeat("A long note. ", 200)
	p := review.Proposal{}
	for i := range 200 {
		p.Files = append(p.Files, wanted(fmt.Sprint(i), strings.Repeat("\x01\n", 2000)))
	}
	decided := person(func(review.Proposal, []*hunks.Patch) (*review.Outcome, error) {
		return &review.Outcome{Notes: []string{note}}, nil
	})
	j := At(filepath.Join(t.TempDir(), "log.jsonl"))
	out, err := Record(decided, j, always, quiet).Review(t.Context(), p, nil)
	must(t, err)
	if out.Notes[0] != note {
		t.Errorf("%q", out.Notes)
	}
	entries, _, err := j.Last(1)
	must(t, err)
	if len(entries) != 1 || !entries[0].Cut || len(entries[0].Notes[0]) >= len(note) {
		t.Errorf("the entry is not cut: %+v", entries)
	}
}

// TestNeverInTheWay answers calls although the log cannot be written.
func TestNeverInTheWay(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	must(t, os.Symlink("file", filepath.Join(dir, "link")))
	decided := person(func(review.Proposal, []*hunks.Patch) (*review.Outcome, error) { return &review.Outcome{}, nil })
	for _, path := range []string{"file/log", "folder", "pipe", "link", "/dev/full"} {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		var said strings.Builder
		log := slog.New(slog.NewTextHandler(&said, nil))
		out, err := Record(decided, At(path), always, log).Review(t.Context(), review.Proposal{Files: []review.File{wanted("a", "c\n")}}, nil)
		if out == nil || err != nil || !strings.Contains(said.String(), "the journal cannot be written") {
			t.Errorf("%s: %v, %v: %s", path, out, err, said.String())
		}
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || len(raw) > 0 {
		t.Errorf("what a link leads to holds %q, %v", raw, err)
	}
}

// TestTogether has several programs append at once, while the file is changed for a new one.
func TestTogether(t *testing.T) {
	const programs, each = 4, 150
	path := filepath.Join(t.TempDir(), "log.jsonl")
	if dir := os.Getenv("JOURNAL_TEST"); dir != "" {
		j := At(dir)
		j.max = 400 << 10
		for i := range each {
			must(t, j.Append(&Entry{Agent: fmt.Sprint(os.Getpid()), Description: fmt.Sprint(i), Comment: strings.Repeat("x", 1000)}))
		}
		return
	}
	self, err := os.Executable()
	must(t, err)
	var all sync.WaitGroup
	for range programs {
		all.Go(func() {
			cmd := exec.Command(self, "-test.run=^TestTogether$")
			cmd.Env = append(os.Environ(), "JOURNAL_TEST="+path)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	all.Wait()
	entries, broken, err := At(path).Last(-1)
	must(t, err)
	if len(entries) != programs*each || broken != 0 {
		t.Errorf("%d entries, %d broken", len(entries), broken)
	}
	if _, err := os.Stat(path + ".1"); err != nil {
		t.Errorf("there is no older file: %v", err)
	}
}

// TestTorn reads what is whole when a line is not.
func TestTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	j := At(path)
	for _, name := range []string{"one", "two"} {
		must(t, j.Append(&Entry{Agent: name}))
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		must(t, err)
		_, err = f.WriteString(`{"agent": "to`)
		must(t, errors.Join(err, f.Close()))
	}
	entries, broken, err := j.Last(1)
	must(t, err)
	if len(entries) != 1 || entries[0].Agent != "two" || broken != 2 {
		t.Errorf("%+v, %d", entries, broken)
	}
}

// TestTooLong cuts what a line has no room for; it is still an entry.
func TestTooLong(t *testing.T) {
	huge := strings.Repeat("+\x01\x02 é line\n", 1<<20)
	e := &Entry{Agent: strings.Repeat("é", 1<<20), Description: huge}
	for i := range 2000 {
		e.Files = append(e.Files, File{Path: fmt.Sprint(i), Proposed: huge[:12*i]})
	}
	line, err := e.line()
	must(t, err)
	var back Entry
	must(t, json.Unmarshal(line, &back))
	if len(line) > maxEntry || !back.Cut || len(back.Files) == 0 || strings.Contains(back.Agent, "\ufffd") || back.Description == "" {
		t.Errorf("%d bytes, cut %v, %d files, %q", len(line), back.Cut, len(back.Files), back.Agent)
	}
	if !strings.Contains(back.Text(true, false), "too long to be kept") {
		t.Error("nothing is said of it")
	}
}
