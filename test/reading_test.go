package test

import "testing"

// Where the rules want it, the person is asked before a file is read, with the manners of a review.
func TestReadingAsks(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.rules("read_approval = true")
		s.file("a.txt", "a\n")
		s.file("b.txt", "b\n")
		s.file("sub/c.txt", "c\n")
		s.open("b.txt")
		s.agent = s.another()
		before := s.state()
		read := func(path string) *call {
			c := s.agent.call("read_file", map[string]any{"path": path})
			s.calls = append(s.calls, c)
			return c
		}

		call := read("a.txt")
		s.see("story wants to read a file:")
		s.see("    a.txt")
		s.press("r")
		call.result().failed("fs_denied").says("The user does not want a.txt to be read")
		s.notSee("wants to read a file")
		s.asBefore(before, "last window of")

		// Leaving it is no answer.
		call = read("a.txt")
		s.see("story wants to read a file:")
		s.press(":quit<CR>")
		s.see("reading a.txt waits: :AgentDiff")
		s.notSee("wants to read a file")
		s.waiting(call)
		s.press(":AgentDiff<CR>")
		s.see("story wants to read a file:")
		s.press("a")
		if got := call.result().Text; got != "a\n" {
			s.t.Errorf("%q", got)
		}
		s.notSee("wants to read a file")

		// Both of a diff, one after the other; a folder for the session.
		call = s.agent.call("diff", map[string]any{"path_a": "a.txt", "path_b": "sub/c.txt"})
		s.see("    a.txt")
		s.press("a")
		s.see("    sub/c.txt")
		s.press("d")
		call.result().says("-a", "+c")
		if got := read("sub/c.txt").result().Text; got != "c\n" {
			s.t.Errorf("%q", got)
		}
		// Reading is not changing.
		edit := s.propose("sub/c.txt", "c\n", "d\n", "")
		s.states(pending)
		s.press("R")
		edit.result().rejected("sub/c.txt")

		// Who types is not interrupted, and an agent that takes it back leaves nothing.
		s.press("i")
		s.until("insert mode", `return vim.fn.mode() == 'i'`)
		call = read("a.txt")
		s.see("a review of reading a.txt waits")
		s.notSee("story wants to read a file:")
		s.press("<Esc>")
		s.see("story wants to read a file:")
		call.cancel()
		s.notSee("story wants to read a file:")
		call = read("a.txt")
		s.see("story wants to read a file:")
		s.pressed(":AgentDiff reject<CR>")
		call.result().failed("fs_denied")
		s.notSee("wants to read a file")
		call = read("a.txt")
		s.see("story wants to read a file:")
		s.nvim.Kill()
		call.result().failed("editor_lost")
		read("a.txt").result().failed("editor_unavailable")
	})
}
