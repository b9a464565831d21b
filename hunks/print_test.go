package hunks

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// gitHeader is what git diff --no-index itself writes as the --- and +++ lines of a change to a file of that name.
func gitHeader(t *testing.T, name string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	dir := t.TempDir()
	for _, side := range []string{"x", "y"} {
		path := filepath.Join(dir, side, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(side+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("git", "diff", "--no-index", "--no-color", "--src-prefix=", "--dst-prefix=", "x", "y")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	out, _ := cmd.Output() // exit code 1: they differ
	_, header, found := strings.Cut(string(out), "\n--- ")
	header, _, found2 := strings.Cut(header, "\n@@")
	if !found || !found2 {
		t.Fatalf("no header in %q", out)
	}
	header = "--- " + header + "\n"
	header = strings.Replace(header, "--- x/", "--- a/", 1)
	header = strings.Replace(header, `--- "x/`, `--- "a/`, 1)
	header = strings.Replace(header, "+++ y/", "+++ b/", 1)
	return strings.Replace(header, `+++ "y/`, `+++ "b/`, 1)
}

var oddNames = []string{
	"plain.go", "dir/sub/f", "a space", "tab\there", "new\nline", "cr\rthere", `quo"te`, `back\slash`, "ünïcode", "日本語 x",
	"\x01\x1f\x7f", "-dash", "[id].tsx", "%s#|", "bell\a\b\v\f", "--- a", "inv\xff\xfe", "'single'", "trailing ",
}

// TestNames: names are written as git writes them, and git apply, patch and go-gitdiff read them back.
func TestNames(t *testing.T) {
	p := Diff(Text{Body: "a\nb\n"}, "a\nB\n")
	create := Diff(Text{Missing: true}, "new\n")
	for _, name := range oddNames {
		text := p.Print(name, name).Text
		header, _, _ := strings.Cut(text, "@@")
		if want := gitHeader(t, name); header != want {
			t.Errorf("%q: %q, git writes %q", name, header, want)
		}
		if got := gitApply(t, p, name, text); got != p.Modified {
			t.Errorf("git apply of %q gives %q", name, got)
		}
		if strings.HasSuffix(name, " ") {
			continue // patch cannot read what git writes for these
		}
		if got := patchP1(t, p, name, text); got != p.Modified {
			t.Errorf("patch of %q gives %q", name, got)
		}
		checkCreation(t, create, name)
	}
}

// checkCreation: the old side of a file that is missing is /dev/null.
func checkCreation(t *testing.T, create *Patch, name string) {
	t.Helper()
	text := create.Print(name, name).Text
	if !strings.HasPrefix(text, "--- /dev/null\n+++ ") {
		t.Errorf("creation of %q: %q", name, text)
	}
	if got := gitApply(t, create, name, text); got != create.Modified {
		t.Errorf("git apply creates %q with %q", name, got)
	}
	if got := patchP1(t, create, name, text); got != create.Modified {
		t.Errorf("patch creates %q with %q", name, got)
	}
}

// TestPrint has whole printed patches.
func TestPrint(t *testing.T) {
	for _, test := range []struct {
		name     string
		base     Text
		modified string
		want     string
	}{
		{"no newline on either side", Text{Body: "a\nb"}, "a\nc", "@@ -1,2 +1,2 @@\n a\n-b\n" + noNewline + "+c\n" + noNewline},
		{"no newline in the context", Text{Body: "a\nb"}, "A\nb", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n" + noNewline},
		{"newline added", Text{Body: "a"}, "a\n", "@@ -1 +1 @@\n-a\n" + noNewline + "+a\n"},
		{"newline dropped", Text{Body: "a\n"}, "a", "@@ -1 +1 @@\n-a\n+a\n" + noNewline},
		{"CRLF", Text{Body: "a\nb\nc", CRLF: true}, "a\nB\nc", "@@ -1,3 +1,3 @@\n a\r\n-b\r\n+B\r\n c\n" + noNewline},
		{"BOM on a changed line", Text{Body: "a\nb\n", BOM: true}, "A\nb\n", "@@ -1,2 +1,2 @@\n-\uFEFFa\n+\uFEFFA\n b\n"},
		{"BOM on a context line", Text{Body: "a\nb\n", BOM: true}, "a\nB\n", "@@ -1,2 +1,2 @@\n \uFEFFa\n-b\n+B\n"},
		{"BOM before an insertion", Text{Body: "a\nb\n", BOM: true}, "x\na\nb\n", "@@ -1,2 +1,3 @@\n+\uFEFFx\n-\uFEFFa\n+a\n b\n"},
		{"BOM after a deletion", Text{Body: "a\nb\n", BOM: true}, "b\n", "@@ -1,2 +1 @@\n-\uFEFFa\n-b\n+\uFEFFb\n"},
		{"nothing but a BOM", Text{BOM: true}, "a\n", "@@ -1 +1 @@\n-\uFEFF\n" + noNewline + "+\uFEFFa\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := Diff(test.base, test.modified)
			if got := p.Print("f", "f").Text; got != "--- a/f\n+++ b/f\n"+test.want {
				t.Errorf("printed\n%q, want\n%q", got, test.want)
			}
			checkPure(t, p)
			checkTools(t, p)
		})
	}
}

// TestUnified: two texts of different endings differ in their bytes.
func TestUnified(t *testing.T) {
	body := "a\nb\n"
	lf, crlf, bom := Text{Body: body}, Text{Body: body, CRLF: true}, Text{Body: body, BOM: true}
	for _, test := range []struct {
		name string
		a, b Text
		want string
	}{
		{"equal", lf, lf, ""},
		{"endings", lf, crlf, "--- a/x\n+++ b/y\n@@ -1,2 +1,2 @@\n-a\n-b\n+a\r\n+b\r\n"},
		{"mark", lf, bom, "--- a/x\n+++ b/y\n@@ -1,2 +1,2 @@\n-a\n+\uFEFFa\n b\n"},
		{"create", Text{Missing: true}, lf, "--- /dev/null\n+++ b/y\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"delete", crlf, Text{Missing: true}, "--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\r\n-b\r\n"},
	} {
		if got := Unified("x", "y", test.a, test.b); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestUnifiedLabels: without context, a byte order mark still stands where it is.
func TestUnifiedLabels(t *testing.T) {
	marked := Text{Body: "a\nb\n", BOM: true}
	for _, test := range []struct {
		name    string
		b       Text
		context int
		want    string
	}{
		{"equal", marked, 0, ""},
		{"below the first line", marked.With("a\nx\nb\n"), 0, "@@ -1,0 +2 @@\n+x\n"},
		{"above it", marked.With("x\na\nb\n"), 0, "@@ -1 +1,2 @@\n-\uFEFFa\n+\uFEFFx\n+a\n"},
		{"with context", marked.With("a\nx\nb\n"), 1, "@@ -1,2 +1,3 @@\n \uFEFFa\n+x\n b\n"},
	} {
		got := UnifiedLabels("left side", "ri\tght", marked, test.b, test.context)
		want := test.want
		if want != "" {
			want = "--- left side\t\n+++ \"ri\\tght\"\n" + want
		}
		if got != want {
			t.Errorf("%s: %q, want %q", test.name, got, want)
		}
	}
	// A patch without context of its own knows too which line is the file's first.
	p := DiffContext(marked, "a\nx\nb\n", 0)
	if got := p.Print("f", "f").Text; got != "--- a/f\n+++ b/f\n@@ -1,0 +2 @@\n+x\n" {
		t.Errorf("%q", got)
	}
}

// TestRaw: a file's bytes survive being taken apart, whatever they are.
func TestRaw(t *testing.T) {
	for _, raw := range []string{"", "\n", "\r\n", "a", "a\r\nb\r\n", "a\r\nb", "a\r\nb\n", "\uFEFFa\r\n", "\uFEFF", "\r", "a\r\r\n", "\uFEFF\uFEFF\n"} {
		text := NewText(raw)
		if got := text.Raw(); got != raw {
			t.Errorf("%q: %+v gives %q", raw, text, got)
		}
	}
	if text := NewText("\uFEFFa\r\nb"); text != (Text{Body: "a\nb", CRLF: true, BOM: true}) {
		t.Errorf("%+v", text)
	}
	if text := NewText("a"); text.CRLF {
		t.Errorf("no line end: %+v", text)
	}
	if text := NewText("a\r\nb\n"); text.CRLF || text.Body != "a\r\nb\n" {
		t.Errorf("mixed endings: %+v", text)
	}
}

// TestRawRandom prints patches of random bytes by way of NewText.
func TestRawRandom(t *testing.T) {
	for seed := range 1000 {
		r := rand.New(rand.NewPCG(3, uint64(seed)))
		body := randomText(r, 20)
		base := NewText(body)
		p := Diff(base, randomEdit(r, base.Body))
		checkPure(t, p)
	}
}
