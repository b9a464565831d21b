package hunks

import (
	"errors"
	"strings"
	"testing"
)

// checkReprinted: git makes of the patch as we print it what it should be.
func checkReprinted(t *testing.T, what string, before, after tree, files []FilePatch) {
	t.Helper()
	dir := t.TempDir()
	before.lay(t, dir)
	printed := reprinted(t, before, files)
	if _, err := git(t, dir, printed, "apply", "-"); err != nil {
		t.Errorf("%s: %v\n%s", what, err, printed)
	}
	sameTree(t, what, before, readTree(t, dir), after)
}

// reprinted is a patch as we print it.
func reprinted(t *testing.T, before tree, files []FilePatch) string {
	t.Helper()
	var out strings.Builder
	for _, f := range files {
		n, there := before[f.OldName]
		current := NewText(n.raw)
		current.Missing = !there
		p, err := f.Draft(current)
		if errors.Is(err, ErrNothing) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		oldName, newName := f.OldName, f.NewName
		if oldName == "" {
			oldName = newName
		}
		if newName == "" {
			newName = oldName
		}
		checkSpans(t, p, p.PrintGit(oldName, newName), newName)
		out.WriteString(p.PrintGit(oldName, newName).Text)
	}
	return out.String()
}

// checkSpans: every change is where the spans say, and what is in no span is a header.
func checkSpans(t *testing.T, p *Patch, printed Printed, newName string) {
	t.Helper()
	lines := strings.SplitAfter(printed.Text, "\n")
	for i, s := range printed.Whole {
		if want := p.Whole[i].Header(newName) + "\n"; lines[s.Line] != want {
			t.Errorf("%q, want %q", lines[s.Line], want)
		}
		if p.Whole[i].OwnsLines() && s.Line+s.Lines != len(lines)-1 {
			t.Errorf("%+v of %d lines:\n%s", s, len(lines)-1, printed.Text)
		}
	}
	for i, s := range printed.Hunks {
		if owner := p.Owner(); owner != nil && owner.Kind == Delete {
			break // the mark at the file's beginning goes too, and the hunk is another
		}
		if want := p.Hunks[i].Header() + "\n"; lines[s.Line] != want {
			t.Errorf("%q, want %q", lines[s.Line], want)
		}
	}
}

// checkInConflict: a patch of which nothing has a place says so of everything, and can be shown.
func checkInConflict(t *testing.T, p *Patch) {
	t.Helper()
	if p == nil || len(p.Whole)+len(p.Hunks) == 0 {
		t.Fatalf("nothing to show: %+v", p)
	}
	for i := range p.Whole {
		if w := &p.Whole[i]; w.State != Conflict || w.Reason == "" {
			t.Errorf("%+v", w)
		}
	}
	for _, h := range p.Hunks {
		if h.State != Conflict || h.Reason == "" || h.Placed() || len(h.Blocks) == 0 {
			t.Errorf("%+v", h)
		}
	}
	if p.Compose(func(int) bool { return true }) != p.Base.Body {
		t.Error("it changes the text")
	}
	checkSpans(t, p, p.PrintGit("old", "new"), "new")
}
