package hunks

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// all and none are the two plain choices of hunks.
func all(int) bool  { return true }
func none(int) bool { return false }

// subset is a random choice among the hunks of p.
func subset(r *rand.Rand, p *Patch) func(int) bool {
	kept := map[int]bool{}
	for _, h := range p.Hunks {
		kept[h.ID] = r.IntN(2) == 0
	}
	return func(id int) bool { return kept[id] }
}

// applyFragments applies a patch's fragments by go-gitdiff, to its Body.
func applyFragments(t *testing.T, p *Patch) string {
	t.Helper()
	var out bytes.Buffer
	f := &gitdiff.File{OldName: "f", NewName: "f"}
	for _, h := range p.Hunks {
		if err := h.Fragment.Validate(); err != nil {
			t.Fatalf("%s: %v", h.Header(), err)
		}
		f.TextFragments = append(f.TextFragments, h.Fragment)
	}
	if err := gitdiff.Apply(&out, strings.NewReader(p.Base.Body), f); err != nil {
		t.Fatalf("gitdiff.Apply: %v", err)
	}
	return out.String()
}

// parseAndApply parses a printed patch by go-gitdiff and applies it to the file's bytes.
func parseAndApply(t *testing.T, p *Patch, text string) string {
	t.Helper()
	files, _, err := gitdiff.Parse(strings.NewReader(text))
	if err != nil || len(files) != 1 {
		t.Fatalf("gitdiff.Parse: %d files, %v\n%s", len(files), err, text)
	}
	var out bytes.Buffer
	if err := gitdiff.Apply(&out, strings.NewReader(p.Base.Raw()), files[0]); err != nil {
		t.Fatalf("gitdiff.Apply of the printed patch: %v\n%s", err, text)
	}
	return out.String()
}

// applyTool lets git or patch apply a printed patch to the file's bytes in a folder of its own.
func applyTool(t *testing.T, p *Patch, name, text, tool string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		t.Skipf("no %s here", tool)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if !p.Base.Missing {
		if err := os.WriteFile(path, []byte(p.Base.Raw()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(tool, args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(text)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s\n%s\nbase %q", cmd, err, out, text, p.Base.Raw())
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

func gitApply(t *testing.T, p *Patch, name, text string) string {
	t.Helper()
	return applyTool(t, p, name, text, "git", "apply", "--whitespace=nowarn", "-")
}

func patchP1(t *testing.T, p *Patch, name, text string) string {
	t.Helper()
	return applyTool(t, p, name, text, "patch", "-p1", "--binary", "--fuzz=0", "--quiet", "--no-backup-if-mismatch")
}

// checkPure checks a patch by everything that needs no other program.
func checkPure(t *testing.T, p *Patch) {
	t.Helper()
	lines := splitLines(p.Base.Body)
	last, shift := 0, 0
	for _, h := range p.Hunks {
		w := windowOf(h.Fragment)
		if got, want := h.Fragment.NewPosition, position(w.first+shift, w.first+shift+int(h.Fragment.NewLines)); got != want {
			t.Fatalf("%s: the new position is %d, want %d", h.Header(), got, want)
		}
		shift += int(h.Fragment.NewLines - h.Fragment.OldLines)
		if err := h.Fragment.Validate(); err != nil {
			t.Fatalf("%s: %v", h.Header(), err)
		}
		for _, b := range h.Blocks {
			if len(b.Old)+len(b.New) == 0 {
				t.Fatalf("block %d is empty", b.ID)
			}
			if b.Line < last || !slices.Equal(lines[b.Line:b.Line+len(b.Old)], b.Old) {
				t.Fatalf("block %d: %q is not at line %d", b.ID, b.Old, b.Line)
			}
			last = b.Line + len(b.Old)
		}
	}
	if got := p.Compose(none); got != p.Base.Body {
		t.Fatalf("nothing applied is not the base: %q, want %q", got, p.Base.Body)
	}
	if got := p.Compose(all); got != p.Modified {
		t.Fatalf("all applied is not the modified text: %q, want %q", got, p.Modified)
	}
	if len(p.Hunks) == 0 {
		return
	}
	if got := applyFragments(t, p); got != p.Modified {
		t.Fatalf("gitdiff.Apply of the fragments: %q, want %q", got, p.Modified)
	}
	checkPrinted(t, p)
}

// checkPrinted checks the printed patch and its spans.
func checkPrinted(t *testing.T, p *Patch) {
	t.Helper()
	printed := p.Print("f", "f")
	if got, want := parseAndApply(t, p, printed.Text), p.Base.With(p.Modified).Raw(); got != want {
		t.Fatalf("the printed patch gives %q, want %q\n%s", got, want, printed.Text)
	}
	lines := splitLines(printed.Text)
	next := 2
	for i, s := range printed.Hunks {
		h := p.Hunks[i]
		if s.ID != h.ID || s.Line != next {
			t.Fatalf("span %d is %+v, want hunk %d at line %d", i, s, h.ID, next)
		}
		if !strings.HasPrefix(lines[s.Line], "@@ -") {
			t.Fatalf("span %d begins with %q", i, lines[s.Line])
		}
		next += s.Lines
	}
	if next != len(lines) || !strings.HasSuffix(printed.Text, "\n") {
		t.Fatalf("the spans end at line %d of %d", next, len(lines))
	}
}

// checkTools checks a patch by git apply and patch.
func checkTools(t *testing.T, p *Patch) {
	t.Helper()
	if len(p.Hunks) == 0 {
		return
	}
	text := p.Print("f", "f").Text
	want := p.Base.With(p.Modified).Raw()
	if got := gitApply(t, p, "f", text); got != want {
		t.Fatalf("git apply gives %q, want %q\n%s", got, want, text)
	}
	if got := patchP1(t, p, "f", text); got != want {
		t.Fatalf("patch gives %q, want %q\n%s", got, want, text)
	}
}

// words are the lines of random texts: few, so that many repeat, and some that look like a diff.
var words = []string{
	"a", "b", "c", "d", "", "", "}", "{", "\tif x {", "\t\treturn", "-- a", "++ b", "- a/f", "+ b/f", "@@ -1 +1 @@",
	"\\ No newline at end of file", "--- a/f", "+++ b/f", "diff --git a/f b/f", "a\rb", "\r", "ü", "\xff\xfe", "x \t", "\\n",
}

// randomText has up to n lines, the last perhaps without a newline.
func randomText(r *rand.Rand, n int) string {
	var out strings.Builder
	for range r.IntN(n + 1) {
		out.WriteString(words[r.IntN(len(words))])
		out.WriteByte('\n')
	}
	if r.IntN(4) == 0 {
		return strings.TrimSuffix(out.String(), "\n")
	}
	return out.String()
}

// randomEdit changes some lines of a text, and perhaps its final newline.
func randomEdit(r *rand.Rand, body string) string {
	var out strings.Builder
	for _, l := range splitLines(body) {
		switch r.IntN(12) {
		case 0:
		case 1:
			out.WriteString(words[r.IntN(len(words))] + "\n")
		case 2:
			out.WriteString(words[r.IntN(len(words))] + "\n" + l)
		default:
			out.WriteString(l)
		}
	}
	switch r.IntN(6) {
	case 0:
		return strings.TrimSuffix(out.String(), "\n")
	case 1:
		return out.String() + "\n"
	case 2:
		return out.String() + words[r.IntN(len(words))]
	}
	return out.String()
}

// randomPatch is the diff of a random text and a random edit of it.
func randomPatch(r *rand.Rand, n int) *Patch {
	body := randomText(r, n)
	base := Text{Body: body, CRLF: r.IntN(4) == 0, BOM: r.IntN(6) == 0, Missing: body == "" && r.IntN(2) == 0}
	if base.Missing {
		base.BOM, base.CRLF = false, false
	}
	return Diff(base, randomEdit(r, body))
}
