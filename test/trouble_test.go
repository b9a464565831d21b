package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nvim-agent-diff/screen"
	"nvim-agent-diff/screen/screentest"
)

// The disk is full: accepted, not saved, why; the file is not torn, and what was accepted is in the buffer.
func TestDiskFull(t *testing.T) {
	small := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "none", small).CombinedOutput(); err != nil {
		t.Skipf("a small disk can be mounted by root only: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", small).Run() })
	for _, nvim := range screentest.Nvims(t) { // one after the other: they share the disk
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(nvim))), func(t *testing.T) {
			s := newStory(t, nvim)
			s.file("a.txt", "")
			s.dir = small
			s.file("a.txt", three())
			s.open(s.path("a.txt"))
			must(t, os.WriteFile(s.path("filler"), make([]byte, 40<<10), 0o600))
			long := three(1) + strings.Repeat("a line that the disk has no room for\n", 1000)
			call := s.propose("a.txt", three(), long, "")
			s.shown()
			s.press("A")
			call.result().accepted("a.txt", false).says("Not saved", "the disk is full")
			s.bufferIs("a.txt", long)
			s.fileIs("a.txt", three())
			s.until("Neovim asks nothing", `return not vim.api.nvim_get_mode().blocking`)
			s.over()

			must(t, os.Remove(s.path("filler")))
			s.lua(nil, `vim.cmd('silent write')`)
			s.fileIs("a.txt", long)
			must(t, os.Remove(s.path("a.txt")))
		})
	}
}

// Writing fails half way, and Neovim leaves a torn file: that is said, and the buffer has everything.
func TestWriteFailsHalfWay(t *testing.T) {
	screentest.Each(t, func(t *testing.T, nvim string) {
		wrapper := filepath.Join(t.TempDir(), "nvim")
		must(t, os.WriteFile(wrapper, []byte("#!/bin/sh\ntrap '' XFSZ\nulimit -f 128\nexec '"+nvim+"' \"$@\"\n"), 0o700))
		s := newStory(t, wrapper, append(armed, "--cmd", "set noswapfile")...)
		s.file("a.txt", three())
		s.open("a.txt")
		long := three(1) + strings.Repeat("a line too much for a small file\n", 10_000)
		call := s.propose("a.txt", three(), long, "")
		s.shown()
		s.press("A")
		call.result().accepted("a.txt", false).says("Not saved", "the file on disk is not complete now, the buffer is")
		s.until("the buffer has everything", `return vim.api.nvim_buf_line_count(vim.fn.bufnr('a.txt')) == 10030 and vim.bo.modified`)
	})
}

// A Neovim that is not asked has the file open: it is reviewed all the same, not written, and both are told why.
func TestSwapFile(t *testing.T) {
	screentest.Each(t, func(t *testing.T, nvim string) {
		home := t.TempDir()
		s := &story{t: t, dir: project(t)}
		s.file("a.txt", three())
		other := screentest.Start(t, screen.Options{Nvim: nvim, Dir: s.dir, Home: home, Args: []string{"a.txt"}})
		must(t, other.Input("Gomine<Esc>"))
		must(t, other.Until(patience, "it has a swap file", `vim.cmd.preserve() return vim.fn.swapname('%') ~= ''`))
		s.nvim = screentest.Start(t, screen.Options{Nvim: nvim, Dir: s.dir, Home: home, Args: armed})
		call := s.proposeThree()
		s.see("swap file")
		s.press("A")
		call.result().accepted("a.txt", false).says("swap file")
		s.fileIs("a.txt", three())
		s.bufferIs("a.txt", three(1, 2, 3))
		s.until("Neovim asks nothing", `return not vim.api.nvim_get_mode().blocking`)
	})
}

// 'autowriteall' and :wall write what is applied, when the user or a plugin goes elsewhere: the answer says what is on the
// disk then, and a decision that is taken back is written again.
func TestAutowriteAll(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.lua(nil, `vim.o.autowriteall = true vim.o.makeprg = 'true'`)
		call := s.asked()
		s.pressed("a")
		s.pressed(":silent make!<CR>")
		s.fileIs("a.txt", three(1))
		s.states(applied, pending, pending)
		s.pressed("a")
		s.states(applied, applied, pending)
		s.pressed(":wall<CR>")
		s.fileIs("a.txt", three(1, 2))
		s.waiting(call)
		s.press("qy")
		call.result().accepted("a.txt", true).hunks(2, 0, 1, 0)
		s.fileIs("a.txt", three(1, 2))

		// What was there before is the user's to write, and was written by them.
		s.open("a.txt")
		s.pressed("Gomine<Esc>")
		call = s.propose("a.txt", three(1, 2)+"mine\n", three(1, 2, 3)+"mine\n", "")
		s.shown()
		s.pressed("a")
		s.pressed(":wall<CR>")
		s.press("q")
		call.result().accepted("a.txt", true)
		s.fileIs("a.txt", three(1, 2, 3)+"mine\n")
	})
}
