package prompt

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// decide has a proposal decided with one answer; meanwhile happens before it is given.
func decide(t *testing.T, p review.Proposal, answer string, meanwhile func()) (*review.Outcome, error) {
	t.Helper()
	s := sit(t, 80, map[string]string{"NO_COLOR": "1"}, p)
	s.until(ofFileQuestion)
	if meanwhile != nil {
		meanwhile()
	}
	_, err := s.master.WriteString(answer + "\n")
	must(t, err)
	r := s.end()
	return r.out, r.err
}

// TestBytes keeps every byte of a file that the edit is not about.
func TestBytes(t *testing.T) {
	tests := []struct{ name, base, modified, want string }{
		{"plain", "a\nb\n", "a\nc\n", "a\nc\n"},
		{"no final newline", "a\nb", "a\nc", "a\nc"},
		{"CRLF, proposed with LF", "a\r\nb\r\n", "a\nc\nd\n", "a\r\nc\r\nd\r\n"},
		{"mixed endings", "a\r\nb\n", "a\r\nc\n", "a\r\nc\n"},
		{"byte order mark", "\ufeffa\nb\n", "a\nc\n", "\ufeffa\nc\n"},
		{"byte order mark and CRLF", "\ufeffa\r\nb", "\ufeffa\r\nc", "\ufeffa\r\nc"},
		{"emptied", "a\n", "", ""},
		{"filled", "", "a\n", "a\n"},
		{"not UTF-8", "\xe9\nb\n", "\xe9\nc\n", "\xe9\nc\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, "a.txt", tt.base)
			out, err := decide(t, propose(root, "a.txt", tt.modified), "y", nil)
			must(t, err)
			if f := out.Files[0]; !f.Saved || !f.Direct || f.AppliedDiff != "" || f.Decision() != review.Accepted {
				t.Errorf("%+v", f)
			}
			if got := read(t, root, "a.txt"); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			onlyFile(t, root)
		})
	}
}

// onlyFile makes sure that nothing was left beside the file.
func onlyFile(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestPartly writes the accepted hunks only.
func TestPartly(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.txt", numbers(40, nil))
	s := sit(t, 80, map[string]string{"NO_COLOR": "1"}, propose(root, "a.txt", numbers(40, map[int]string{2: "two", 5: "five", 20: "twenty", 38: "last"})))
	s.says(ofFileQuestion, "r").says(ofHunkQuestion, "p").says(ofHunkQuestion, "s").says(ofHunkQuestion, "a").
		says(ofHunkQuestion, "r").says(ofHunkQuestion, "C")
	s.until("Comment: ")
	_, err := s.master.WriteString("mind \xff the gap\n")
	must(t, err)
	s.says(ofHunkQuestion, "n").says(ofHunkQuestion, "q")
	r := s.end()
	must(t, r.err)
	f := r.out.Files[0]
	var states []string
	for _, h := range f.Hunks {
		states = append(states, string(h.State))
	}
	if got := strings.Join(states, " "); got != "applied rejected pending pending" || !f.Hunks[0].Partial || f.Hunks[2].Partial {
		t.Errorf("%s: %+v", got, f.Hunks)
	}
	want := numbers(40, map[int]string{2: "two"})
	if got := read(t, root, "a.txt"); got != want || !strings.Contains(f.AppliedDiff, "+two") || strings.Contains(f.AppliedDiff, "five") {
		t.Errorf("%q\n%s", got, f.AppliedDiff)
	}
	if r.out.Comment != "mind \ufffd the gap" {
		t.Errorf("comment %q", r.out.Comment)
	}
}

// TestKept keeps what a file is besides its text.
func TestKept(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.txt", "a\n")
	path := filepath.Join(root, "a.txt")
	must(t, os.Chmod(path, 0o640|os.ModeSetgid))
	owner := os.Getuid() == 0
	if owner {
		must(t, os.Chown(path, 1234, 4321))
		must(t, os.Chmod(path, 0o640|os.ModeSetgid))
	}
	_, err := decide(t, propose(root, "a.txt", "b\n"), "y", nil)
	must(t, err)
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode() != 0o640|os.ModeSetgid {
		t.Errorf("mode %v", info.Mode())
	}
	if stat, _ := info.Sys().(*syscall.Stat_t); owner && (stat.Uid != 1234 || stat.Gid != 4321) {
		t.Errorf("owner %d, %d", stat.Uid, stat.Gid)
	}

	// Another name of the file has the new text too.
	must(t, os.Link(path, filepath.Join(root, "b.txt")))
	_, err = decide(t, propose(root, "a.txt", "a longer text\n"), "y", nil)
	must(t, err)
	_, err = decide(t, propose(root, "a.txt", "c\n"), "y", nil)
	must(t, err)
	if got := read(t, root, "b.txt"); got != "c\n" {
		t.Errorf("the other name has %q", got)
	}
}

// TestNew makes folders on acceptance only.
func TestNew(t *testing.T) {
	root := t.TempDir()
	for _, answer := range []string{"n", "y"} {
		there := answer == "y"
		_, err := decide(t, propose(root, "x/y/a.txt", "new\n"), answer, nil)
		must(t, err)
		if _, err := os.Stat(filepath.Join(root, "x")); (err == nil) != there {
			t.Errorf("%s: %v", answer, err)
		}
	}
	if got := read(t, root, "x/y/a.txt"); got != "new\n" {
		t.Errorf("%q", got)
	}
}

// TestMeanwhile writes nothing when the file is not what was reviewed any more.
func TestMeanwhile(t *testing.T) {
	outside := t.TempDir()
	write(t, outside, "secret", "a\n")
	tests := []struct {
		name      string
		base      string // "" for none
		meanwhile func(t *testing.T, root string)
		code      review.Code
		holds     string // the file afterwards
	}{
		{"changed", "a\n", func(t *testing.T, root string) { write(t, root, "d/a.txt", "mine\n") }, review.StaleOriginal, "mine\n"},
		{"deleted", "a\n", func(t *testing.T, root string) { must(t, os.Remove(filepath.Join(root, "d/a.txt"))) }, review.StaleOriginal, ""},
		{"created", "", func(t *testing.T, root string) { write(t, root, "d/a.txt", "mine\n") }, review.StaleOriginal, "mine\n"},
		{"a link in its place", "a\n", func(t *testing.T, root string) {
			must(t, os.Remove(filepath.Join(root, "d/a.txt")))
			must(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(root, "d/a.txt")))
		}, review.ToolFailed, "a\n"},
		{"a link in its folder's place", "a\n", func(t *testing.T, root string) {
			must(t, os.RemoveAll(filepath.Join(root, "d")))
			must(t, os.Symlink(outside, filepath.Join(root, "d")))
			write(t, outside, "a.txt", "a\n")
		}, review.ToolFailed, "a\n"},
		{"a pipe in its place", "a\n", func(t *testing.T, root string) {
			must(t, os.Remove(filepath.Join(root, "d/a.txt")))
			must(t, syscall.Mkfifo(filepath.Join(root, "d/a.txt"), 0o600))
		}, review.ToolFailed, "-"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			if tt.base != "" {
				write(t, root, "d/a.txt", tt.base)
			}
			out, err := decide(t, propose(root, "d/a.txt", "b\n"), "y", func() { tt.meanwhile(t, root) })
			known, ok := errors.AsType[*review.Error](err)
			if !ok || known.Code != tt.code || !strings.HasPrefix(known.Text, "The user accepted, but ") || !strings.Contains(known.Text, "Nothing was changed.") {
				t.Errorf("%v, %v", out, err)
			}
			if tt.holds == "-" {
				return
			}
			raw, err := os.ReadFile(filepath.Join(root, "d/a.txt"))
			if string(raw) != tt.holds || tt.holds == "" && !os.IsNotExist(err) {
				t.Errorf("%q, %v", raw, err)
			}
		})
	}
	if got := read(t, outside, "secret"); got != "a\n" {
		t.Errorf("outside: %q", got)
	}
}

// TestOneOfTwo says what was written when something else could not be.
func TestOneOfTwo(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.txt", "a\n")
	write(t, root, "b.txt", "a\n")
	p := propose(root, "a.txt", "b\n")
	p.Files = append(p.Files, want(root, "b.txt", "b\n"))
	s := sit(t, 80, map[string]string{"NO_COLOR": "1"}, p)
	s.says(ofFileQuestion, "y")
	s.until(ofFileQuestion)
	write(t, root, "b.txt", "mine\n")
	_, err := s.master.WriteString("y\n")
	must(t, err)
	r := s.end()
	must(t, r.err)
	const why = "it was accepted, but the file has changed on disk since it was read"
	a, b := r.out.Files[0], r.out.Files[1]
	if h := b.Hunks[0]; a.Decision() != review.Accepted || !a.Saved || b.Saved || h.State != hunks.Conflict || !h.Tried || h.Reason != why {
		t.Errorf("%+v", r.out)
	}
	if read(t, root, "a.txt") != "b\n" || read(t, root, "b.txt") != "mine\n" {
		t.Error("not as it was said")
	}
}

// TestRefused is what a terminal cannot review.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct{ base, modified, want string }{
		"binary":            {"a\x00b\n", "b\n", "is no text that a terminal can show"},
		"UTF-16":            {"\xff\xfea\x00", "b\n", "is no text that a terminal can show"},
		"unknown encoding":  {"\xe9\nb\n", "\xe9\né\n", "may not hold the character 'é'"},
		"nothing to change": {"a\n", "a\n", hunks.ErrNothing.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, "a.txt", c.base)
			r := sit(t, 80, nil, propose(root, "a.txt", c.modified)).end()
			if r.err == nil || !strings.Contains(r.err.Error(), c.want) {
				t.Errorf("%v, %v", r.out, r.err)
			}
		})
	}
}

// TestTextOnly composes a text and writes nothing.
func TestTextOnly(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.txt", "a\r\n")
	for answer, want := range map[string]string{"y": "b\r\n", "n": "a\r\n"} {
		p := propose(root, "a.txt", "b\n")
		p.TextOnly = true
		out, err := decide(t, p, answer, nil)
		must(t, err)
		if f := out.Files[0]; f.Text.Raw() != want || f.Saved || f.Direct || f.Unwritable != "" {
			t.Errorf("%s: %+v", answer, f)
		}
	}
	p := propose(root, "a.txt", "b\n")
	p.TextOnly = true
	out, err := decide(t, p, "y", func() { write(t, root, "a.txt", "mine\n") })
	must(t, err)
	if out.Files[0].Unwritable == "" || read(t, root, "a.txt") != "mine\n" {
		t.Errorf("%+v", out.Files[0])
	}
}

// TestDiskFull leaves the file as it was, when it is replaced and when it is written over, because it has another name.
func TestDiskFull(t *testing.T) {
	const inChild = "PROMPT_TEST_DISK_FULL" // the limit is the process's, and the test's own log is a file too
	if os.Getenv(inChild) == "" {
		self, err := os.Executable()
		must(t, err)
		child := exec.Command(self, "-test.run=^TestDiskFull$", "-test.v")
		child.Env = append(os.Environ(), inChild+"=1")
		if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestDiskFull") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	for _, names := range []int{1, 2} {
		root := t.TempDir()
		write(t, root, "a.txt", "old text\n")
		if names == 2 {
			must(t, os.Link(filepath.Join(root, "a.txt"), filepath.Join(t.TempDir(), "b.txt")))
		}
		// Nothing longer than this can be written.
		var limit syscall.Rlimit
		must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
		low := syscall.Rlimit{Cur: 20, Max: limit.Max}
		_, err := decide(t, propose(root, "a.txt", strings.Repeat("long\n", 10)), "y", func() {
			must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &low))
		})
		must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
		if err == nil || !strings.Contains(err.Error(), "a.txt could not be written: file too large. Nothing was changed.") {
			t.Errorf("%v", err)
		}
		if got := read(t, root, "a.txt"); got != "old text\n" {
			t.Errorf("%q", got)
		}
		onlyFile(t, root)
	}
}
