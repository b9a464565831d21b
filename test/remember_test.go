package test

import (
	"strings"
	"testing"
)

// What a person lets through is not asked again, as far as they said, until they revoke it.
func TestRemember(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		s.file("sub/b.txt", three())
		call := s.propose("a.txt", three(), three(1), "")
		s.states(pending)
		s.press("M")
		s.see("changes of a.txt                     [f] this session  [F] always")
		s.see("propose_file_edit in this project    [t] this session  [T] always")
		s.press("q") // back to the review
		s.notSee("this session")
		s.waiting(call)
		s.press("M")
		s.see("[f] this session")
		s.press("f")
		call.result().accepted("a.txt", true)
		s.propose("a.txt", three(1), three(1, 2), "").result().accepted("a.txt", true).
			says("Accepted by policy approval ", ": changes of "+s.path("a.txt")+", this session, without a review.")

		// Another agent has another session.
		other := s.another()
		call = other.propose("a.txt", three(1, 2), three(1, 2, 3), "")
		s.states(pending)
		s.press("R")
		call.result().rejected("a.txt")

		call = other.propose("sub/b.txt", three(), three(1), "")
		s.states(pending)
		s.press("M")
		s.see("[D] always")
		s.press("D")
		call.result().accepted("sub/b.txt", true)
		s.propose("sub/new/c.txt", "", "c\n", "").result().accepted("sub/new/c.txt", true).says("changes in " + s.path("sub") + ", always")

		s.pressed(":AgentDiff approvals<CR>")
		s.see("changes of " + s.path("a.txt") + ", this session")
		s.see("changes in " + s.path("sub") + ", always")
		s.see("a.txt  1 hunk, by approval")
		s.see("sub/new/c.txt  1 hunk, by approval")
		s.press("/sub.new.c.txt<CR><CR>")
		s.see("+c")
		s.press("u")
		s.see("taken back, 1 hunk")
		s.until("c.txt is gone", `return vim.uv.fs_stat(...) == nil`, s.path("sub/new/c.txt"))
		s.press("gg/in .*sub, always<CR>d")
		s.see("revoked: changes in")
		s.press("q")

		call = s.propose("sub/b.txt", three(1), three(1, 2), "")
		s.states(pending)
		s.press("R")
		call.result().rejected("sub/b.txt")

		// Where a rule wants it, each one is asked, and no yes is remembered.
		s.rules("ask = ['a.txt']")
		call = s.propose("a.txt", three(1, 2), three(1), "")
		s.states(pending)
		s.press("M")
		s.see("nothing is remembered here")
		s.press("A")
		call.result().accepted("a.txt", true)
		s.rules("memory = false")
		call = s.propose("a.txt", three(1), three(), "")
		s.states(pending)
		s.press("R")
		call.result().rejected("a.txt")
	})
}

// A yes is remembered only when it was one.
func TestRememberConflict(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.lua(nil, `vim.bo[vim.fn.bufnr('a.txt')].modifiable = false`)
		s.press("M")
		s.see("[F] always")
		s.press("F")
		s.see("buffer is not modifiable")
		s.press("q")
		s.pressed("y")
		call.result().failed("stale_original")
		s.lua(nil, `vim.bo[vim.fn.bufnr('a.txt')].modifiable = true`)
		call = s.proposeThree()
		s.press("R")
		call.result().rejected("a.txt")
		s.pressed(":AgentDiff approvals<CR>")
		var lines []string
		s.lua(&lines, `return vim.api.nvim_buf_get_lines(0, 0, -1, true)`)
		if got := strings.Count(strings.Join(lines, "\n"), "  nothing"); got != 2 {
			s.t.Errorf("%q", lines)
		}
	})
}
