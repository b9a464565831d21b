package test

import (
	"os"
	"strings"
	"testing"
)

// Unsaved changes of the user's own: nothing is written over or with them, and the answer says so.
func TestUnsavedChanges(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		s.open("a.txt")
		s.pressed("Gomine<Esc>")
		call := s.propose("a.txt", three()+"mine\n", three(1, 2, 3)+"mine\n", "")
		s.states(pending, pending, pending)
		s.press("A")
		call.result().accepted("a.txt", false).hunks(3, 0, 0, 0).says("unsaved changes")
		s.fileIs("a.txt", three())
		s.bufferIs("a.txt", three(1, 2, 3)+"mine\n")

		// An agent that knows only the disk's text: its hunks are placed around them.
		s.pressed("u")
		s.bufferIs("a.txt", three()+"mine\n")
		call = s.propose("a.txt", three(), three(1, 2, 3), "")
		s.states(pending, pending, pending)
		s.press("A")
		call.result().accepted("a.txt", false)
		s.bufferIs("a.txt", three(1, 2, 3)+"mine\n")
		s.fileIs("a.txt", three())
	})
}

func TestSaveOption(t *testing.T) {
	cases := []struct {
		save           string
		dirty          bool
		saved, written bool
	}{
		{"auto", false, true, true},
		{"auto", true, false, false},
		{"always", false, true, true},
		{"always", true, true, true},
		{"never", false, false, false},
		{"never", true, false, false},
	}
	for _, c := range cases {
		name := c.save
		if c.dirty {
			name += " with unsaved changes"
		}
		t.Run(name, func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				s.lua(nil, `vim.g.agent_diff = { arm_ms = 0, save = ... }`, c.save)
				s.file("a.txt", three())
				s.open("a.txt")
				end := ""
				if c.dirty {
					s.pressed("Gomine<Esc>")
					end = "mine\n"
				}
				call := s.propose("a.txt", three()+end, three(1)+end, "")
				s.states(pending)
				s.press("A")
				call.result().accepted("a.txt", c.saved)
				s.bufferIs("a.txt", three(1)+end)
				if c.written {
					s.fileIs("a.txt", three(1)+end)
				} else {
					s.fileIs("a.txt", three())
				}
				s.until("'modified' is true to that", `return vim.bo.modified ~= ...`, c.written)
			})
		})
	}
}

// A formatter on save: what is on the disk is what the answer says.
func TestFormatOnSave(t *testing.T) {
	forEachNvim(t, func(s *story) {
		on := func(event, does string) {
			s.t.Helper()
			s.lua(nil, `
				local event, does = ...
				vim.api.nvim_create_augroup('test', {})
				vim.api.nvim_create_autocmd(event, { group = 'test', pattern = '*.txt', callback = loadstring(does) })`, event, does)
		}
		ends := func() *result {
			s.t.Helper()
			call := s.asked()
			s.press("A")
			result := call.result()
			s.over()
			return result
		}
		on("BufWritePre", `vim.cmd('%s/FOUR/VIER/e')`)
		ends().accepted("a.txt", true).says("VIER")
		s.fileIs("a.txt", strings.Replace(three(1, 2, 3), "FOUR", "VIER", 1))

		// What runs after the write can change the file, the buffer, both, or fail.
		on("BufWritePost", `vim.fn.writefile({ 'tail' }, 'a.txt', 'a')`)
		ends().accepted("a.txt", true).says("What saving changed further", "+tail")
		s.fileIs("a.txt", three(1, 2, 3)+"tail\n")
		on("BufWritePost", `vim.api.nvim_buf_set_lines(0, -1, -1, true, { 'tail' })`)
		ends().accepted("a.txt", true).says("that is not on the disk").silent("+tail")
		s.fileIs("a.txt", three(1, 2, 3))
		s.lua(nil, `vim.cmd('silent edit!')`)
		on("BufWritePost", `vim.fn.writefile({ 'nothing of it' }, 'a.txt')`)
		ends().accepted("a.txt", false).says("does not hold what was written")
		s.lua(nil, `vim.cmd('silent edit!')`)
		on("BufWritePost", `error('no, not today')`)
		ends().accepted("a.txt", true).silent("Not saved")
		s.fileIs("a.txt", three(1, 2, 3))
		s.see("not today")

		// Line ends are the user's to choose.
		on("BufWritePre", `vim.bo.fileformat = 'dos'`)
		ends().accepted("a.txt", true)
		s.fileIs("a.txt", strings.ReplaceAll(three(1, 2, 3), "\n", "\r\n"))

		// Who puts a link in the way between Neovim's last look and the write is found out.
		on("BufWritePost", `vim.uv.fs_rename('a.txt', 'other.txt') vim.uv.fs_symlink('other.txt', 'a.txt')`)
		ends().accepted("a.txt", false).says("Not saved: the path leads to another place now; what was written may be there")
	})
}

// A BufWritePre that fails: not saved, and why.
func TestWriteFails(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.lua(nil, `vim.api.nvim_create_autocmd('BufWritePre', { pattern = '*.txt', callback = function() error('no, not today') end })`)
		call := s.asked()
		s.press("A")
		call.result().accepted("a.txt", false).says("not today").silent("traceback")
		s.fileIs("a.txt", three())
		s.bufferIs("a.txt", three(1, 2, 3))
		s.until("Neovim asks nothing", `return not vim.api.nvim_get_mode().blocking`)
	})
}

func TestReadOnly(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		s.open("a.txt")
		s.lua(nil, `vim.bo.readonly = true`)
		call := s.proposeThree()
		s.press("A")
		call.result().accepted("a.txt", false).says("read")
		s.fileIs("a.txt", three())
		s.bufferIs("a.txt", three(1, 2, 3))
	})
}

func TestNotModifiable(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		s.open("a.txt")
		s.lua(nil, `vim.bo.modifiable = false`)
		call := s.proposeThree()
		s.press("a")
		s.see("buffer is not modifiable")
		s.states(conflict, pending, pending)
		s.press("q")
		s.press("y")
		call.result().failed("stale_original")
		s.fileIs("a.txt", three())
	})
}

// The disk changed since the buffer was read: with nothing unsaved in the buffer it is read again before the diff.
func TestDiskChangedBefore(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", "old\n")
		s.open("a.txt")
		s.file("a.txt", three())
		call := s.proposeThree()
		s.press("A")
		call.result().accepted("a.txt", true)
		s.fileIs("a.txt", three(1, 2, 3))

		s.pressed("Gomine<Esc>")
		s.file("a.txt", "somebody else's\n")
		call = s.propose("a.txt", three(1, 2, 3)+"mine\n", three(1, 2)+"mine\n", "")
		s.see("changed on disk")
		s.states(pending)
		s.press("A")
		call.result().accepted("a.txt", false).says("disk")
		s.fileIs("a.txt", "somebody else's\n")
		s.bufferIs("a.txt", three(1, 2)+"mine\n")
		s.until("Neovim asks nothing", `return not vim.api.nvim_get_mode().blocking`)
	})
}

// The disk changes during the review: not overwritten.
func TestDiskChangedMeanwhile(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("a")
		s.states(applied, pending, pending)
		s.file("a.txt", "somebody else's\n")
		s.pressed(":checktime<CR>")
		s.until("Neovim asks nothing", `return not vim.api.nvim_get_mode().blocking`)
		s.press("A")
		call.result().accepted("a.txt", false).says("disk")
		s.fileIs("a.txt", "somebody else's\n")
		s.bufferIs("a.txt", three(1, 2, 3))
	})
}

// Autosave and :wa during the review write what is applied; what is taken back is written again.
func TestWrittenMeanwhile(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("aa")
		s.states(applied, applied, pending)
		s.pressed(":wa<CR>")
		s.fileIs("a.txt", three(1, 2))
		s.press("R")
		call.result().rejected("a.txt")
		s.bufferIs("a.txt", three())
		s.fileIs("a.txt", three())
	})
}

// A folder that cannot be written: accepted, not saved, why.
func TestNoPlaceToWrite(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	forEachNvim(t, func(s *story) {
		must(s.t, os.Mkdir(s.path("locked"), 0o555))
		call := s.propose("locked/a.txt", "", "one\n", "")
		s.states(pending)
		s.press("A")
		call.result().accepted("locked/a.txt", false)
	})
}
