package test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// Paths that lead out of the root are refused, whatever they look like, and those that lead into it are not.
func TestOutsideOfTheRoot(t *testing.T) {
	s := &story{t: t, dir: project(t)}
	must(t, os.MkdirAll(s.path("proj/sub"), 0o755))
	must(t, os.Mkdir(s.path("proj-evil"), 0o755))
	s.file("proj/a.txt", "old\n")
	s.file("proj-evil/a.txt", "old\n")
	s.file("secret.txt", "old\n")
	for link, target := range map[string]string{
		"root": "proj", "proj/out": "../secret.txt", "proj/up": "..", "proj/dangling": "../new.txt", "proj/loop": "loop",
		"proj/in": "a.txt", "proj/far": s.path("proj-evil"), "proj/sub/back": s.path("proj"),
	} {
		must(t, os.Symlink(target, s.path(link)))
	}
	empty := t.TempDir()
	a := startAgent(t, s.dir, []string{"HOME=" + empty, "PATH=" + os.Getenv("PATH")},
		"--nvim", filepath.Join(empty, "none"), "--root", s.path("root")+"/")
	const inside = "editor_unavailable" // all else was right
	for path, code := range map[string]string{
		"../secret.txt":              "PathNotInSandboxError",
		"sub/../../secret.txt":       "PathNotInSandboxError",
		"no/../../secret.txt":        "PathNotInSandboxError",
		"a.txt/../../secret.txt":     "PathNotInSandboxError",
		s.path("secret.txt"):         "PathNotInSandboxError",
		s.path("proj-evil/a.txt"):    "PathNotInSandboxError",
		"../proj-evil/a.txt":         "PathNotInSandboxError",
		"/etc/passwd":                "PathNotInSandboxError",
		"out":                        "PathNotInSandboxError",
		"up/secret.txt":              "PathNotInSandboxError",
		"up/proj-evil/a.txt":         "PathNotInSandboxError",
		"dangling":                   "PathNotInSandboxError",
		"far/a.txt":                  "PathNotInSandboxError",
		"far/../secret.txt":          "PathNotInSandboxError", // as the kernel reads it: beside proj-evil
		"file://" + s.path("x.txt"):  inside,                  // a name like any other
		"~/x.txt":                    inside,
		"loop":                       "tool_failed",
		"":                           "invalid_args",
		".":                          "tool_failed",
		"./":                         "tool_failed",
		"sub":                        "tool_failed",
		"a.txt/":                     "tool_failed",
		"a\x00.txt":                  "invalid_args",
		"a.txt":                      inside,
		"in":                         inside,
		"./sub/.././a.txt":           inside,
		"up/proj/a.txt":              inside,
		"sub/back/a.txt":             inside,
		s.path("proj/a.txt"):         inside,
		s.path("root/a.txt"):         inside,
		s.path("proj/../root/a.txt"): inside,
		"new/file.txt":               inside,
	} {
		r := a.propose(path, "old\n", "new\n", "").result()
		r.failed(code).says("Nothing was changed.")
		if t.Failed() {
			t.Fatalf("of %q", path)
		}
	}
	s.fileIs("secret.txt", "old\n")
	s.fileIs("proj-evil/a.txt", "old\n")
	if _, err := os.Lstat(s.path("new.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// A link that takes the file's place, or its folder's, while the review waits or is decided: what it leads to is neither
// shown nor written.
func TestLinkSwappedIn(t *testing.T) {
	swaps := map[string]struct {
		path     string
		original string
		swap     func(s *story, outside string)
		victim   string
	}{
		"the file": {"a.txt", "old\n", func(s *story, outside string) {
			must(s.t, os.Remove(s.path("a.txt")))
			must(s.t, os.Symlink(outside+"/a.txt", s.path("a.txt")))
		}, "a.txt"},
		"the folder": {"sub/a.txt", "old\n", func(s *story, outside string) {
			must(s.t, os.Rename(s.path("sub"), s.path("moved")))
			must(s.t, os.Symlink(outside, s.path("sub")))
		}, "a.txt"},
		"a new file": {"new.txt", "", func(s *story, outside string) {
			must(s.t, os.Symlink(outside+"/new.txt", s.path("new.txt")))
		}, "new.txt"},
		"a new folder": {"folder/new.txt", "", func(s *story, outside string) {
			must(s.t, os.Symlink(outside, s.path("folder")))
		}, "new.txt"},
		"the link that the user opened": {"a.txt", "old\n", func(s *story, outside string) {
			must(s.t, os.Remove(s.path("link.txt")))
			must(s.t, os.Symlink(outside+"/a.txt", s.path("link.txt")))
		}, "a.txt"},
	}
	for name, test := range swaps {
		t.Run(name, func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				outside, err := filepath.EvalSymlinks(s.t.TempDir())
				must(s.t, err)
				must(s.t, os.WriteFile(outside+"/a.txt", []byte("old\n"), 0o644))
				for _, file := range []string{"a.txt", "sub/a.txt", "first.txt"} {
					s.file(file, "old\n")
				}
				must(s.t, os.Symlink("a.txt", s.path("link.txt")))
				if strings.Contains(name, "link") {
					s.open("link.txt")
				}
				first := s.propose("first.txt", "old\n", "new\n", "")
				s.states(pending)
				call := s.propose(test.path, test.original, "new\n", "the one")
				s.queued(2)
				if !strings.Contains(name, "link") {
					// Again with the same path, which waits for its turn.
					late := s.propose(test.path, test.original, "new\n", "late")
					s.queued(3)
					s.press("R")
					first.result().rejected("first.txt")
					s.see("Description: the one")
					test.swap(s, outside)
					s.press("A")
					call.result().accepted(test.path, false).says("Not saved: the path leads to another place now")
					late.result().failed("PathNotInSandboxError")
				} else {
					s.press("R")
					first.result()
					s.see("Description: the one")
					test.swap(s, outside)
					s.press("A")
					call.result().accepted(test.path, false).says("Not saved: the path leads to another place now")
				}
				got, err := os.ReadFile(filepath.Join(outside, test.victim))
				if test.original != "" && string(got) != "old\n" || test.original == "" && !errors.Is(err, os.ErrNotExist) {
					s.t.Errorf("outside of the root: %q, %v", got, err)
				}
				s.queued(0)
			})
		})
	}
}

// What cannot be seen, or turns the direction of writing, is shown as what it is wherever an agent can put it.
func TestHiddenCharacters(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", "if admin {\nlast\nkeep \u2067\n")
		s.agent = startNamed(s.t, "a\u202eb\u061cc\x1b[31m", s.dir, s.nvim.Env(), "--nvim", s.nvim.Addr(), "--root", s.dir)
		hidden := []rune{
			0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0x200e, 0x200f, 0x061c, 0xad, 0x200b, 0x200c,
			0x200d, 0x2060, 0xfeff, 0x034f, 0x3164, 0x2028, 0x2029, 0xfe0f, 0xe0041, 0xe0100, 0x9b, 0x2800, 0xa0,
		}
		var text strings.Builder
		for i, r := range hidden {
			text.WriteString("a" + string(r) + "b" + map[bool]string{true: "\n"}[i%4 == 3])
		}
		text.WriteString("e\u0301\u034f\ufe0f\u0302b\n") // between characters that belong to the same cell
		call := s.propose("a.txt", "if admin {\nlast\nkeep \u2067\n", "if admin {\r\n"+text.String()+"\x1b[2Jnasty\nkeep \u2067\n",
			"why \u202enot\u061c\x07 so\u2028x\n=== faked line ===\u200b")
		s.states(pending)
		s.see("Description: why <202e>not<061c>^G so<2028>x ⏎ ===")
		s.see("Note: CAREFUL: the new text holds characters")
		s.see("a<202e>b<061c")
		s.see("+if admin {^M")
		s.see("keep <2067>")
		for _, r := range hidden {
			s.see("<" + hexOf(r) + ">b")
		}
		s.see("<034f><fe0f>b")
		s.see("+^[[2Jnasty")
		for _, cells := range s.nvim.Snapshot().Cells {
			for _, cell := range cells {
				for _, r := range cell.Text {
					if r < ' ' || r == 0x202e || r == 0x061c || r == 0x2067 || r == utf8.RuneError {
						s.t.Errorf("the screen has %U in %q", r, cell.Text)
					}
				}
			}
		}
		s.press("A")
		call.result().accepted("a.txt", true)
	})
}

// Characters that belong to emoji and to the letters of some scripts are left alone, and a CRLF file's CR is not shown.
func TestNothingHidden(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", "old\r\n")
		call := s.propose("a.txt", "old\r\n", "👩\u200d🚀 ❤\ufe0f می\u200cخواهم ｅｎｄ\u3000.\r\n", "")
		s.states(pending)
		s.see("-old")
		s.notSee("CAREFUL")
		s.notSee("^M")
		s.press("A")
		call.result().accepted("a.txt", true)
		s.fileIs("a.txt", "👩\u200d🚀 ❤\ufe0f می\u200cخواهم ｅｎｄ\u3000.\r\n")
	})
}

func hexOf(r rune) string {
	if r <= 0xff {
		return fmt.Sprintf("%02x", r)
	}
	return fmt.Sprintf("%04x", r)
}
