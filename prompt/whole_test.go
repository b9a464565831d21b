package prompt

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
	"nvim-agent-diff/test/golden"
)

// wholeOf is a proposal of a patch over files.
func wholeOf(t *testing.T, root, patch string) review.Proposal {
	t.Helper()
	files, err := hunks.ParsePatch(patch)
	must(t, err)
	p := review.Proposal{Tool: "propose_patch", Root: root}
	for _, f := range files {
		name := f.OldName
		if f.Kind == hunks.Create {
			name = f.NewName
		}
		wanted := review.File{Path: name, Abs: filepath.Join(root, name), Name: name, Draft: f.Draft}
		if f.Kind == hunks.Rename {
			wanted.NewPath, wanted.NewAbs, wanted.NewName = f.NewName, filepath.Join(root, f.NewName), f.NewName
		}
		p.Files = append(p.Files, wanted)
	}
	return p
}

const wholePatch = `diff --git a/new.sh b/new.sh
new file mode 100755
--- /dev/null
+++ b/new.sh
@@ -0,0 +1,2 @@
+one
+two
diff --git a/empty b/empty
new file mode 100644
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/old b/in/moved
old mode 100644
new mode 100755
rename from old
rename to in/moved
--- a/old
+++ b/in/moved
@@ -1 +1 @@
-old
+new
`

// TestWhole creates, deletes and renames files and sets their mode, or leaves all as it was.
func TestWhole(t *testing.T) {
	for _, answer := range []string{"n", "y"} {
		root := t.TempDir()
		write(t, root, "gone", "gone\n")
		write(t, root, "old", "old\n")
		s := sit(t, 80, map[string]string{"NO_COLOR": "1", "LANG": "C.UTF-8"}, wholeOf(t, root, wholePatch))
		for range 4 {
			s.says(ofFileQuestion, answer)
		}
		r := s.end()
		must(t, r.err)
		if answer == "n" {
			if read(t, root, "gone")+read(t, root, "old") != "gone\nold\n" {
				t.Error("a no changed something")
			}
			entries, err := os.ReadDir(root)
			must(t, err)
			if len(entries) != 2 || r.out.Decision() != review.Rejected {
				t.Errorf("%v, %v", entries, r.out)
			}
			golden.Check(t, "whole.txt", strings.ReplaceAll(s.all.String(), "\r\n", "\n"))
			continue
		}
		f := r.out.Files
		if !f[0].Created || !f[1].Created || !f[2].Deleted || f[3].RenamedTo != "in/moved" || f[3].Mode != hunks.ProgramMode || f[3].Kind != hunks.Rename {
			t.Errorf("%+v", f)
		}
		if read(t, root, "new.sh")+read(t, root, "empty")+read(t, root, "in/moved") != "one\ntwo\nnew\n" {
			t.Error("not the right texts")
		}
		for name, mode := range map[string]os.FileMode{"new.sh": 0o111, "empty": 0, "in/moved": 0o111} {
			if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Mode()&0o111 != mode {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
		}
		for _, name := range []string{"gone", "old"} {
			if _, err := os.Lstat(filepath.Join(root, name)); !os.IsNotExist(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestWholeMeanwhile deletes and renames nothing that is not what was reviewed, and takes the place of nothing.
func TestWholeMeanwhile(t *testing.T) {
	for name, c := range map[string]struct{ patch, meanwhile, want string }{
		"a deleted file":   {"diff --git a/f b/f\ndeleted file mode 100644\n", "f", "f has changed on disk"},
		"a rename's place": {"diff --git a/f b/g\nrename from f\nrename to g\n", "g", "f could not be renamed: file exists"},
	} {
		root := t.TempDir()
		write(t, root, "f", "f\n")
		_, err := decide(t, wholeOf(t, root, c.patch), "y", func() { write(t, root, c.meanwhile, "mine\n") })
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "Nothing was changed.") {
			t.Errorf("%s: %v", name, err)
		}
		if read(t, root, c.meanwhile) != "mine\n" || read(t, root, "f") == "" {
			t.Errorf("%s: something was changed", name)
		}
	}
}

// TestNotAsked applies what the policy lets through, and asks when that cannot be done just so.
func TestNotAsked(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.txt", "a\n")
	p := propose(root, "a.txt", "b\n")
	p.Auto = `mode = "auto_approve"`
	s := sit(t, 80, nil, p)
	r := s.end()
	must(t, r.err)
	if !r.out.Auto || r.out.Decision() != review.Accepted || read(t, root, "a.txt") != "b\n" {
		t.Errorf("%+v", r.out)
	}
	s.until("Accepted by policy mode = \"auto_approve\", without a review: a.txt")
}

// TestRemember asks what is not to be asked again, where that may be.
func TestRemember(t *testing.T) {
	root := t.TempDir()
	for _, may := range []bool{false, true} {
		p := propose(root, "a.txt", "a\n")
		p.Remember, p.Session = may, may
		s := sit(t, 80, map[string]string{"NO_COLOR": "1"}, p)
		s.says(ofFileQuestion, "m")
		if !may {
			s.until("\"m\" is no answer").says(ofFileQuestion, "n")
			must(t, s.end().err)
			continue
		}
		s.says("t(ool)", "d").says("[s/a", "a")
		r := s.end()
		must(t, r.err)
		if r.out.Remember == nil || *r.out.Remember != (review.Remember{Scope: "folder", Path: filepath.Join(root, "a.txt"), Always: true}) {
			t.Errorf("%+v", r.out.Remember)
		}
	}
}

// TestElsewhere warns of changes in an editor that the disk does not have.
func TestElsewhere(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.txt", "a\n")
	typed := make(chan struct{})
	p := propose(root, "a.txt", "b\n")
	draft := p.Files[0].Draft
	p.Files[0].Draft = func(current hunks.Text) (*hunks.Patch, error) {
		<-typed
		return draft(current)
	}
	s := sit(t, 80, map[string]string{"NO_COLOR": "1"}, p)
	s.reviewer.Elsewhere = func(_ context.Context, abs string) bool { return abs == filepath.Join(root, "a.txt") }
	close(typed)
	s.until("a.txt has unsaved changes in Neovim").says(ofFileQuestion, "n")
	must(t, s.end().err)
}

// TestManyHunks composes the text of very many hunks in time: with each looked for among all it took 10 s.
func TestManyHunks(t *testing.T) {
	const n = 60_000
	var base, modified strings.Builder
	for range n {
		base.WriteString("old\n" + strings.Repeat("same\n", 7))
		modified.WriteString("new\n" + strings.Repeat("same\n", 7))
	}
	f := &file{patch: hunks.Diff(hunks.NewText(base.String()), modified.String())}
	f.divide()
	f.acceptAll()
	f.parts[n/2].reject()
	start := time.Now()
	if got := strings.Count(f.composed().Body, "new\n"); len(f.parts) != n || got != n-1 {
		t.Errorf("%d of %d", got, len(f.parts))
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}
