package hunks

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// node is a file of a tree.
type node struct {
	raw  string
	exec bool
}

type tree map[string]node

// treeNames are file names that diff writes in different ways.
var treeNames = []string{
	"f", "g.go", "d/f", "d/e/my file.txt", "ümlaut", "a/f", "b/f", "q\"uote", "tab\there", "back\\slash", " lead", "trail ", "dev/null", "c/x y", "new\nline",
}

// randomTree makes a tree and a later one of random files; words are what the files' lines are.
func randomTrees(r *rand.Rand, words []string) (before, after tree) {
	before, after = tree{}, tree{}
	names := slices.Clone(treeNames)
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	text := func() string {
		var out strings.Builder
		for range r.IntN(40) {
			out.WriteString(words[r.IntN(len(words))] + "\n")
		}
		if r.IntN(4) == 0 {
			return strings.TrimSuffix(out.String(), "\n")
		}
		return out.String()
	}
	edit := func(body string) string {
		var out strings.Builder
		for _, l := range splitLines(body) {
			switch r.IntN(16) {
			case 0:
			case 1:
				out.WriteString(words[r.IntN(len(words))] + "\n")
			case 2:
				out.WriteString(words[r.IntN(len(words))] + "\n" + l)
			default:
				out.WriteString(l)
			}
		}
		if r.IntN(6) == 0 {
			return strings.TrimSuffix(out.String(), "\n")
		}
		return out.String()
	}
	for i := range 2 + r.IntN(5) {
		name := names[2*i]
		base := Text{Body: text(), CRLF: r.IntN(5) == 0, BOM: r.IntN(8) == 0}
		n := node{base.Raw(), r.IntN(4) == 0}
		before[name] = n
		n.raw = base.With(edit(base.Body)).Raw()
		switch r.IntN(8) {
		case 0: // deleted
		case 1, 2: // renamed
			if r.IntN(2) == 0 {
				n.raw = base.Raw()
			}
			after[names[2*i+1]] = n
		case 3: // another mode
			n.exec = !n.exec
			after[name] = n
		case 4: // another mode only
			after[name] = node{base.Raw(), !n.exec}
		case 5: // created
			after[name] = before[name]
			after[names[2*i+1]] = node{Text{Body: text()}.Raw(), r.IntN(4) == 0}
		default:
			after[name] = n
		}
	}
	return before, after
}

// lay writes a tree into a folder.
func (tr tree) lay(t *testing.T, dir string) {
	t.Helper()
	for name, n := range tr {
		path := filepath.Join(dir, name)
		mode := fs.FileMode(0o666)
		if n.exec {
			mode = 0o777
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(n.raw), mode)); err != nil {
			t.Fatal(err)
		}
	}
}

// readTree reads a folder without its .git.
func readTree(t *testing.T, dir string) tree {
	t.Helper()
	out := tree{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		out[filepath.ToSlash(name)] = node{string(raw), info.Mode()&0o100 != 0}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// git runs git in a folder, as if nobody had configured it.
func git(t *testing.T, dir, stdin string, args ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	args = append([]string{"-c", "user.name=n", "-c", "user.email=e", "-c", "core.autocrlf=false", "-c", "core.safecrlf=false", "-c", "init.defaultBranch=m"}, args...)
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	var out, complaint strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%v: %w: %s", args, err, complaint.String())
	}
	return out.String(), err
}

// gitDiffs are the diffs between two trees with each of the options.
func gitDiffs(t *testing.T, before, after tree, options ...[]string) []string {
	t.Helper()
	dir := t.TempDir()
	must := func(args ...string) string {
		out, err := git(t, dir, "", args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	must("init", "-q")
	before.lay(t, dir)
	must("add", "-A")
	old := strings.TrimSpace(must("write-tree"))
	for name := range before {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	must("rm", "-q", "-r", "--cached", "--ignore-unmatch", ".")
	after.lay(t, dir)
	must("add", "-A")
	var out []string
	for _, o := range options {
		args := []string{"diff"}
		if len(o) > 1 && o[0] == "-c" {
			args, o = append(slices.Clone(o[:2]), "diff"), o[2:]
		}
		out = append(out, must(append(append(args, "--cached", "--text", old), o...)...))
	}
	return out
}

// sameAsGit reads a patch of git's by go-gitdiff too, and compares.
func sameAsGit(t *testing.T, patch string, files []FilePatch) {
	t.Helper()
	want, _, err := gitdiff.Parse(strings.NewReader(patch))
	if err != nil {
		t.Fatalf("gitdiff.Parse: %v\n%s", err, patch)
	}
	if len(want) != len(files) {
		t.Fatalf("%d files, want %d\n%s", len(files), len(want), patch)
	}
	for i, w := range want {
		f := files[i]
		kind := Modify
		switch {
		case w.IsNew:
			kind = Create
		case w.IsDelete:
			kind = Delete
		case w.IsRename:
			kind = Rename
		}
		if f.Kind != kind || f.OldName != w.OldName || f.NewName != w.NewName || f.OldMode != uint32(w.OldMode) || f.NewMode != uint32(w.NewMode) {
			t.Errorf("%+v\nwant %+v\n%s", f, w, patch)
		}
		if len(f.Notes) > 0 {
			t.Errorf("notes %q", f.Notes)
		}
		if len(f.Hunks) != len(w.TextFragments) {
			t.Fatalf("%d hunks, want %d\n%s", len(f.Hunks), len(w.TextFragments), patch)
		}
		for j, frag := range w.TextFragments {
			h := f.Hunks[j]
			start := int(frag.OldPosition)
			if frag.OldLines == 0 {
				start++
			}
			if h.Start != start || !slices.Equal(h.Lines, frag.Lines) || strings.Join(h.Anchors, "") != frag.Comment {
				t.Errorf("%+v\nwant %+v", h, frag)
			}
		}
	}
}

// applied is the tree after all files of a patch; conflicts counts hunks without a place.
func applied(t *testing.T, before tree, files []FilePatch) (after tree, conflicts int) {
	t.Helper()
	after = maps.Clone(before)
	for _, f := range files {
		n, there := before[f.OldName]
		current := NewText(n.raw)
		current.Missing = !there
		p, err := f.Draft(current)
		var stale *StaleError
		switch {
		case errors.Is(err, ErrNothing):
			continue
		case errors.As(err, &stale):
			conflicts++
			continue
		case err != nil:
			t.Fatal(err)
		}
		checkPlaced(t, p)
		for _, h := range p.Hunks {
			if h.State == Conflict {
				conflicts++
			}
		}
		delete(after, f.OldName)
		if f.Kind == Delete {
			if p.Modified != "" {
				t.Errorf("deleted, and holds %q", p.Modified)
			}
			continue
		}
		n.raw = p.Base.With(p.Compose(all)).Raw()
		if f.NewMode != 0 {
			n.exec = f.NewMode == 0o100755
		}
		after[f.Name()] = n
	}
	return after, conflicts
}

// sameTree compares trees, but for files whose line ends or mark change as a whole: those belong to the file.
func sameTree(t *testing.T, what string, before, got, want tree) {
	t.Helper()
	for name := range want {
		if g, ok := got[name]; !ok || g != want[name] {
			t.Errorf("%s: %q is %+q (%v), want %+q; it was %+q", what, name, g.raw, ok, want[name].raw, before[name].raw)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %q is there", what, name)
		}
	}
}

// settled says whether no file of the trees changes its line ends or its mark.
func settled(before, after tree) bool {
	for name, n := range after {
		b, ok := before[name]
		if !ok {
			continue
		}
		x, y := NewText(b.raw), NewText(n.raw)
		if x.CRLF && !y.CRLF && y.Body != "" || x.BOM != y.BOM || !x.CRLF && strings.Contains(b.raw, "\r\n") != strings.Contains(n.raw, "\r\n") {
			return false
		}
	}
	return true
}

// TestPatchOfGit: what git writes is read as go-gitdiff reads it, and gives the tree that git apply gives.
func TestPatchOfGit(t *testing.T) {
	runs := 25
	if testing.Short() {
		runs = 5
	}
	read := 0
	for seed := range runs {
		r := rand.New(rand.NewPCG(40, uint64(seed)))
		before, after := randomTrees(r, words)
		plain := []string{"-M", "--full-index"}
		options := [][]string{
			plain,
			{"--no-renames"},
			{"-c", "core.quotePath=false", "-M40", "-U1"},
			{"-M", "-U0"},
			{"-M", "-U99", "--histogram"},
		}
		for i, patch := range gitDiffs(t, before, after, options...) {
			if patch == "" {
				continue
			}
			files, err := ParsePatch(patch)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, patch)
			}
			read += len(files)
			sameAsGit(t, patch, files)
			if !settled(before, after) {
				continue
			}
			got, conflicts := applied(t, before, files)
			sameTree(t, fmt.Sprintf("seed %d, %v", seed, options[i]), before, got, after)
			if i < 2 {
				checkReprinted(t, fmt.Sprintf("seed %d, printed", seed), before, after, files)
			}
			if conflicts > 0 {
				t.Errorf("seed %d: %d conflicts\n%s", seed, conflicts, patch)
			}
			if t.Failed() {
				t.Log(patch)
				return
			}
		}
	}
	if read < 5*runs {
		t.Errorf("only %d files", read)
	}
}

// TestPatchPrefixes: whatever git puts before the names, they are the same.
func TestPatchPrefixes(t *testing.T) {
	runs := 12
	if testing.Short() {
		runs = 5
	}
	for seed := range runs {
		r := rand.New(rand.NewPCG(41, uint64(seed)))
		before, after := randomTrees(r, words)
		for _, tr := range []tree{before, after} {
			for name := range tr {
				if p, _ := cutPrefix(name); p != 0 {
					delete(tr, name) // without prefixes, they look as if they had one
				}
			}
		}
		patches := gitDiffs(t, before, after, []string{"-M"}, []string{"-M", "--no-prefix"}, []string{"-c", "diff.mnemonicPrefix=true", "-M"},
			[]string{"-M", "--src-prefix=old/", "--dst-prefix=new/"})
		var want []FilePatch
		for i, patch := range patches {
			if patch == "" {
				break
			}
			files, err := ParsePatch(patch)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, patch)
			}
			if i == 0 {
				want = files
				continue
			}
			if brief(files) != brief(want) {
				t.Errorf("seed %d:\n%s\nwant\n%s\n%s", seed, brief(files), brief(want), patch)
			}
		}
	}
}
