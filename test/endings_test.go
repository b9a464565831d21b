package test

import (
	"os"
	"strings"
	"testing"
	"time"

	"nvim-agent-diff/screen"
)

// The agent takes the call back: the review closes with a notice, and what is applied stays, unsaved.
func TestCancelled(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("a")
		s.states(applied, pending, pending)
		call.cancel()
		s.over()
		s.see("cancel")
		s.bufferIs("a.txt", three(1))
		s.fileIs("a.txt", three())

		// A late one, of a call that is answered, does nothing; the server lives on.
		call = s.propose("a.txt", three(1), three(1, 2), "")
		s.states(pending)
		s.press("A")
		call.result().accepted("a.txt", false)
		call.cancel()
		call = s.propose("a.txt", three(1, 2), three(1, 2, 3), "")
		s.states(pending)
		s.press("R")
		call.result().rejected("a.txt")
	})
}

// Neovim is killed: the agent is told at once, with what the file holds.
func TestNeovimKilled(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("a")
		s.states(applied, pending, pending)
		killed := time.Now()
		s.nvim.Kill()
		call.result().failed("editor_lost").says("1")
		within(s.t, time.Second, killed, call.at)
		s.propose("a.txt", three(), three(1), "").result().failed("editor_unavailable")
		s.fileIs("a.txt", three())
	})
}

// Neovim is left on purpose: decided by what the file holds.
func TestNeovimLeft(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("aa")
		s.states(applied, applied, pending)
		s.press(":qa!<CR>")
		call.result().rejected("a.txt").says("Neovim was closed", "never saved")
		s.fileIs("a.txt", three())
	})
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("aa")
		s.states(applied, applied, pending)
		s.press(":wqa<CR>")
		s.press(":wa<CR>:qa!<CR>")
		call.result().accepted("a.txt", true).hunks(2, 0, 1, 0)
		s.fileIs("a.txt", three(1, 2))
	})
}

// :restart (a new Neovim has it) leaves Neovim on purpose too, and the server finds the one that comes.
func TestRestart(t *testing.T) {
	forEachNvim(t, func(s *story) {
		var there bool
		s.lua(&there, `return vim.fn.exists(':restart') == 2`)
		if !there {
			s.t.Skip("this Neovim has no :restart")
		}
		call := s.asked()
		s.press("ara")
		s.states(applied, rejected, applied)
		s.inFile("a.txt", ":w<CR>")
		s.press("<Space>")
		s.states(applied, rejected, pending)
		s.press(":restart +qall!<CR>")
		call.result().accepted("a.txt", true).says("Neovim was closed")
		s.fileIs("a.txt", three(1, 3))
		s.nvim = s.successor()
		call = s.propose("a.txt", three(1, 3), three(1, 2, 3), "the next one")
		s.shown()
		s.press("A")
		call.result().accepted("a.txt", true)
	})
}

// successor waits for the Neovim that takes the place of the story's own at the same address.
func (s *story) successor() *screen.Screen {
	s.t.Helper()
	for began := time.Now(); time.Since(began) < patience; time.Sleep(20 * time.Millisecond) {
		next, err := screen.Attach(s.nvim.Addr(), screen.DefaultWidth, screen.DefaultHeight)
		if err != nil {
			continue // nobody listens there now
		}
		var pid int
		if err := next.Lua(&pid, `return vim.fn.getpid()`); err != nil || pid == s.nvim.Pid() {
			_ = next.Close()
			continue
		}
		s.t.Cleanup(func() {
			_ = next.Lua(nil, `vim.schedule(function() vim.cmd('qall!') end)`)
			_ = next.Close()
		})
		return next
	}
	s.t.Fatal("no Neovim came in its place")
	return nil
}

// The source buffer goes away during the review: decided by what is on the disk.
func TestSourceUnloaded(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("a")
		s.states(applied, pending, pending)
		s.lua(nil, `vim.api.nvim_buf_delete(vim.fn.bufnr('a.txt'), { force = true })`)
		call.result().rejected("a.txt")
		s.over()
		s.fileIs("a.txt", three())

		// What was accepted, edited and written is accepted, although its text is nowhere to be found any more.
		call = s.asked()
		s.press("a")
		s.states(applied, pending, pending)
		s.lua(nil, `
			local bufnr = vim.fn.bufnr('a.txt')
			vim.api.nvim_buf_set_lines(bufnr, 3, 4, true, { 'mine' })
			vim.api.nvim_buf_call(bufnr, function() vim.cmd('silent write') end)
			vim.api.nvim_buf_delete(bufnr, { force = true })`)
		call.result().accepted("a.txt", true).hunks(1, 0, 2, 0).says("applied, edited by the user", "-FOUR\n+mine\n")
		s.over()
		s.fileIs("a.txt", strings.Replace(three(1), "FOUR", "mine", 1))

		// What cannot be read is not called anything: it says what is known.
		call = s.asked()
		s.press("a")
		s.states(applied, pending, pending)
		must(s.t, os.Remove(s.path("a.txt")))
		must(s.t, os.Mkdir(s.path("a.txt"), 0o700))
		s.lua(nil, `vim.api.nvim_buf_delete(vim.fn.bufnr('a.txt'), { force = true })`)
		call.result().failed("tool_failed").says("hunk 1 of 3 had been applied in the buffer; what the file on disk holds cannot be told: ").
			silent("Nothing was changed")
		s.over()
	})
}
