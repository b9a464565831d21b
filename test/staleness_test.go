package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nvim-agent-diff/screen/screentest"
)

// unasked: Neovim has asked the user nothing, and warned of nothing but what we say ourselves.
func (s *story) unasked() {
	s.t.Helper()
	s.until("Neovim asks nothing", `return not vim.api.nvim_get_mode().blocking`)
	var messages string
	s.lua(&messages, `return vim.fn.execute('messages')`)
	for _, asked := range []string{"W1", "E211", "WARNING", "(y/n)", "ATTENTION"} {
		if strings.Contains(messages, asked) {
			s.t.Errorf("Neovim has said %q:\n%s", asked, messages)
		}
	}
}

// original is compared with what the file holds: all of it, a part, or something else that still has a place.
func TestOriginalAndFile(t *testing.T) {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	moved := func(text string) string { return "on top\n" + strings.Replace(text, "line 10\n", "line ten\n", 1) }
	cases := []struct {
		name, file, original, modified string
		want                           string // the file after everything was accepted
		says                           []string
		code                           string // when there is nothing to review
	}{
		{name: "equal", file: three(), original: three(), modified: three(1), want: three(1)},
		{name: "CRLF file, LF original", file: crlf(three()), original: three(), modified: three(1), want: crlf(three(1)), says: []string{"CRLF"}},
		{name: "LF file, CRLF original", file: three(), original: crlf(three()), modified: crlf(three(1)), want: three(1), says: []string{"LF"}},
		{
			name: "only the file's final newline is missing", file: strings.TrimSuffix(three(), "\n"), original: three(), modified: three(1),
			want: strings.TrimSuffix(three(1), "\n"), says: []string{"no final newline"},
		},
		{
			name: "only original's final newline is missing", file: three(), original: strings.TrimSuffix(three(), "\n"),
			modified: strings.TrimSuffix(three(1), "\n"), want: three(1), says: []string{"final newline was kept"},
		},
		{name: "a part", file: three(), original: "line 4\n", modified: "FOUR\n", want: three(1)},
		{name: "a part of a line", file: "one two three\n", original: "two", modified: "2", want: "one 2 three\n"},
		{
			name: "a part that is there twice", file: "a\nb\na\n", original: "a\n", modified: "c\n", code: "stale_original",
			says: []string{"2", "1", "3", "Nothing was changed.", "ead the file again"},
		},
		{
			name: "a part that is not there", file: three(), original: "line 99\n", modified: "x\n", code: "stale_original",
			says: []string{"line 99", "Nothing was changed.", "ead the file again"},
		},
		{name: "drifted", file: moved(three()), original: three(), modified: three(1, 2, 3), want: moved(three(1, 2, 3)), says: []string{"lines around"}},
		{
			name: "something else", file: "one\ntwo\n", original: three(), modified: three(1), code: "stale_original",
			says: []string{"one", "line 1", "Nothing was changed.", "ead the file again"},
		},
		{name: "there already", file: three(1), original: three(), modified: three(1), code: "nothing_to_change", says: []string{"Nothing was changed."}},
		{name: "new, but the file is not", file: "one\n", original: "", modified: "two\n", code: "stale_original", says: []string{"1 line", "Nothing was changed."}},
	}
	screentest.Each(t, func(t *testing.T, nvim string) {
		s := newStory(t, nvim)
		s.agent = s.another()
		for _, c := range cases {
			for _, how := range []string{"closed", "open", "unsaved"} {
				t.Run(c.name+"/"+how, func(t *testing.T) {
					s.t = t
					defer s.lua(nil, `vim.cmd('silent! %bwipeout!')`)
					s.file("a.txt", c.file)
					saved := how != "unsaved"
					switch how {
					case "open":
						s.open("a.txt")
					case "unsaved": // the same text in the buffer, and another one on the disk
						s.open("a.txt")
						s.lua(nil, `vim.bo.modified = true`)
					}
					call := s.proposeIn("a.txt", c.original, c.modified)
					if c.code != "" {
						call.result().failed(c.code).says(c.says...)
						s.fileIs("a.txt", c.file)
						return
					}
					s.shown()
					s.press("A")
					r := call.result().accepted("a.txt", saved).says(c.says...)
					if saved {
						s.fileIs("a.txt", c.want)
					} else {
						r.says("unsaved changes before")
						s.fileIs("a.txt", c.file)
						s.pressed(":w<CR>")
					}
					if !saved && !strings.HasSuffix(c.want, "\n") {
						r.says("The next :w in Neovim adds a newline")
						c.want += "\n"
					}
					s.fileIs("a.txt", c.want)
					s.unasked()
				})
			}
		}
	})
}

// What counts is what the user sees: text that is only in the buffer, too. The agent, who sees the disk, is told so.
func TestOriginalAndUnsavedText(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", "one\ntwo\n")
		s.open("a.txt")
		s.pressed(":%s/.*/mine &<CR>")
		s.propose("a.txt", "one\ntwo\n", "ONE\ntwo\n", "").result().failed("stale_original").
			says("mine one", "not saved", "Nothing was changed.")
		s.propose("a.txt", "one\ntwo\n", "mine one\nmine two\n", "").result().failed("nothing_to_change").says("not saved")
		s.fileIs("a.txt", "one\ntwo\n")
		call := s.propose("a.txt", "mine one\n", "ours\n", "")
		s.states(pending)
		s.press("A")
		call.result().accepted("a.txt", false).says("unsaved changes before the review")
		s.bufferIs("a.txt", "ours\nmine two\n")
		s.fileIs("a.txt", "one\ntwo\n")
	})
}

// save sets the option.
func (s *story) save(when string) {
	s.t.Helper()
	s.lua(nil, `
		vim.g.agent_diff = { arm_ms = 0, save = ... }
		if package.loaded.agent_diff then require('agent_diff').setup() end`, when)
}

// autoreads runs a story with 'autoread' on and off.
func autoreads(t *testing.T, tell func(s *story)) {
	for name, set := range map[string]string{"autoread": "set autoread", "noautoread": "set noautoread"} {
		t.Run(name, func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				s.lua(nil, `vim.cmd(...)`, set)
				tell(s)
			})
		})
	}
}

// The disk was changed before the review: a buffer without changes is read again, whatever the user was told before.
func TestDiskChangedUnmodified(t *testing.T) {
	autoreads(t, func(s *story) {
		s.file("a.txt", "old\n")
		s.open("a.txt")
		s.file("a.txt", three())
		call := s.proposeThree()
		s.press("aar")
		s.states(applied, applied, rejected)
		s.press("q")
		call.result().accepted("a.txt", true).hunks(2, 1, 0, 0).silent("disk")
		s.fileIs("a.txt", three(1, 2))
		s.unasked()

		// In another form: CRLF, another encoding.
		s.file("a.txt", strings.ReplaceAll("größe\n"+three(), "\n", "\r\n"))
		call = s.propose("a.txt", "größe\n", "Größe\n", "")
		s.states(pending)
		s.press("A")
		call.result().accepted("a.txt", true)
		s.fileIs("a.txt", strings.ReplaceAll("Größe\n"+three(), "\n", "\r\n"))
		s.file("a.txt", "gr\xf6\xdfe\n"+three())
		call = s.propose("a.txt", "größe\n", "Größe\n", "")
		s.states(pending)
		s.press("A")
		call.result().accepted("a.txt", true)
		s.fileIs("a.txt", "Gr\xf6\xdfe\n"+three())
		s.unasked()
	})
}

// The user was told that the disk has changed and did not want to read it: Neovim will not tell again, but a review
// cannot be of a text that is nowhere else.
func TestDiskChangedAndDismissed(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.lua(nil, `vim.cmd('set noautoread') vim.cmd("autocmd FileChangedShell * let v:fcs_choice = ''")`)
		s.file("a.txt", "old\n")
		s.open("a.txt")
		s.file("a.txt", three())
		s.pressed(":checktime<CR>")
		s.bufferIs("a.txt", "old\n")
		call := s.proposeThree()
		s.press("A")
		call.result().accepted("a.txt", true)
		s.fileIs("a.txt", three(1, 2, 3))
		s.unasked()
	})
}

// With changes of the user's own in the buffer nothing is written, the review and the answer say why, and the user's own
// `:w` still asks.
func TestDiskChangedModified(t *testing.T) {
	autoreads(t, func(s *story) {
		for _, save := range []string{"auto", "always", "never"} {
			s.save(save)
			s.file("a.txt", three())
			s.open("a.txt")
			s.pressed("Gomine<Esc>")
			s.file("a.txt", "somebody else's\n")
			call := s.propose("a.txt", three()+"mine\n", three(1)+"mine\n", "")
			s.see("changed on disk")
			s.states(pending)
			s.press("A")
			call.result().accepted("a.txt", false).says("Not saved: ")
			s.fileIs("a.txt", "somebody else's\n")
			s.bufferIs("a.txt", three(1)+"mine\n")
			s.unasked()
			s.writeAsks("a.txt", "somebody else's\n")
			s.lua(nil, `vim.cmd('bwipeout!') vim.cmd('messages clear')`)
		}
	})
}

// writeAsks: the user's own `:w` asks whether to write over what somebody else wrote.
func (s *story) writeAsks(name, want string) {
	s.t.Helper()
	s.press(":w<CR>")
	s.see("Do you really want to write to it") // the warning itself may be gone from the screen
	s.press("n")
	s.press("<CR>")
	s.fileIs(name, want)
	s.until("the question is over", `return not vim.api.nvim_get_mode().blocking and vim.fn.mode(1) == 'n'`)
}

// The user has been asked by Neovim itself, and kept the changes: `:write` would ask again, with nobody to answer.
func TestDiskChangedAndKept(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.save("always")
		s.lua(nil, `vim.cmd("autocmd FileChangedShell * let v:fcs_choice = ''")`)
		s.file("a.txt", three())
		s.open("a.txt")
		s.pressed("Gomine<Esc>")
		s.file("a.txt", "somebody else's\n")
		s.pressed(":checktime<CR>")
		call := s.propose("a.txt", three()+"mine\n", three(1)+"mine\n", "")
		s.states(pending)
		s.press("A")
		call.result().accepted("a.txt", false).says("Not saved: the file was changed on disk")
		s.fileIs("a.txt", "somebody else's\n")
		s.bufferIs("a.txt", three(1)+"mine\n")
		s.until("Neovim asks nothing", `return not vim.api.nvim_get_mode().blocking and vim.fn.mode(1) == 'n'`)
	})
}

// During the review, the file is changed in every way there is; with a look of Neovim's at it (as when it gets the
// focus) or without.
func TestDiskChangedDuring(t *testing.T) {
	type change struct {
		do   func(s *story) // to a.txt
		says string         // why it was not saved
		disk string         // what is there then
	}
	elsewhere := func(s *story) string { return filepath.Join(filepath.Dir(s.dir), "elsewhere.txt") }
	changes := map[string]change{
		"written":          {do: func(s *story) { s.file("a.txt", "somebody else's\n") }, says: "changed on disk", disk: "somebody else's\n"},
		"written the same": {do: func(s *story) { s.file("a.txt", three()) }, says: "changed on disk", disk: three()},
		"replaced": {do: func(s *story) {
			s.file("b.txt", "somebody else's\n")
			must(s.t, os.Rename(s.path("b.txt"), s.path("a.txt")))
		}, says: "changed on disk", disk: "somebody else's\n"},
		"link": {do: func(s *story) {
			must(s.t, os.WriteFile(elsewhere(s), []byte("elsewhere\n"), 0o644))
			must(s.t, os.Remove(s.path("a.txt")))
			must(s.t, os.Symlink(elsewhere(s), s.path("a.txt")))
		}, says: "leads to another place", disk: "elsewhere\n"},
		"directory": {do: func(s *story) {
			must(s.t, os.Remove(s.path("a.txt")))
			must(s.t, os.Mkdir(s.path("a.txt"), 0o755))
		}, says: "leads to a directory"},
	}
	for name, c := range changes {
		for _, look := range []bool{false, true} {
			t.Run(map[bool]string{false: name, true: name + ", looked at"}[look], func(t *testing.T) {
				autoreads(t, func(s *story) {
					call := s.asked()
					s.press("aa")
					s.states(applied, applied, pending)
					c.do(s)
					if look {
						s.pressed(":checktime<CR>")
					}
					s.unasked()
					s.states(applied, applied, pending)
					s.press("q")
					s.press("y")
					call.result().accepted("a.txt", false).hunks(2, 0, 1, 0).says("Not saved: ", c.says)
					if c.disk != "" {
						s.fileIs("a.txt", c.disk)
					}
					s.bufferIs("a.txt", three(1, 2))
					s.unasked()
					if name == "written" {
						s.writeAsks("a.txt", c.disk)
					}
				})
			})
		}
	}
}
