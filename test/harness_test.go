package test

import (
	"strings"
	"testing"
)

// The state notices everything that a review could leave behind: tests that compare states would pass for nothing
// otherwise.
func TestStateNotices(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.go", "one\ntwo\n")
		s.open("a.go")
		s.lua(nil, `vim.fn.bufadd('z.go')`)
		cases := []struct{ name, do, undo string }{
			{"a window", `vim.cmd.split()`, `vim.cmd.close()`},
			{
				"a float", `vim.g.f = vim.api.nvim_open_win(0, false, { relative = 'editor', width = 5, height = 2, row = 1, col = 1 })`,
				`vim.api.nvim_win_close(vim.g.f, true) vim.g.f = nil`,
			},
			{"a tab", `vim.cmd.tabnew()`, `vim.cmd('bwipeout!')`},
			{"a buffer", `vim.g.b = vim.api.nvim_create_buf(false, true)`, `vim.api.nvim_buf_delete(vim.g.b, { force = true }) vim.g.b = nil`},
			{"the cursor", `vim.api.nvim_win_set_cursor(0, { 2, 0 })`, `vim.api.nvim_win_set_cursor(0, { 1, 0 })`},
			{"a global option", `vim.o.more = false`, `vim.o.more = true`},
			{"a window's option", `vim.wo.number = true`, `vim.wo.number = false`},
			{"a buffer's option", `vim.bo.expandtab = true`, `vim.bo.expandtab = false`},
			{"a keymap", `vim.keymap.set('n', 'gz', 'x')`, `vim.keymap.del('n', 'gz')`},
			{"a buffer's keymap", `vim.keymap.set('n', 'a', print, { buffer = 0 })`, `vim.keymap.del('n', 'a', { buffer = 0 })`},
			{
				"an autocommand", `vim.g.a = vim.api.nvim_create_autocmd('CursorMoved', { callback = print })`,
				`vim.api.nvim_del_autocmd(vim.g.a) vim.g.a = nil`,
			},
			{
				"an extmark", `vim.api.nvim_buf_set_extmark(0, vim.api.nvim_create_namespace('x'), 0, 1, {})`,
				`vim.api.nvim_buf_clear_namespace(0, -1, 0, -1)`,
			},
			{"a command", `vim.api.nvim_create_user_command('Mine', 'echo', {})`, `vim.api.nvim_del_user_command('Mine')`},
			{"a highlight", `vim.api.nvim_set_hl(0, 'Normal', { bold = true })`, ``},
			{"a mark", `vim.cmd.mark('x')`, `vim.cmd.delmarks('x')`},
			{"an alternate file", `vim.fn.setreg('#', 'z.go')`, `vim.fn.setreg('#', 'a.go')`},
			{"a timer", `vim.g.t = vim.fn.timer_start(1e6, print)`, `vim.fn.timer_stop(vim.g.t) vim.g.t = nil`},
			{"a listener to keys", `_G.n = vim.on_key(print)`, `vim.on_key(nil, _G.n)`},
			{"a register", `vim.fn.setreg('"', 'x')`, ``},
			{"a buffer's variable", `vim.b.mine = 1`, `vim.b.mine = nil`},
		}
		for _, c := range cases {
			before := s.state()
			s.lua(nil, c.do)
			if now := s.state(); now.since(before) == "" {
				s.t.Errorf("%s was not noticed", c.name)
			}
			if c.undo != "" {
				s.lua(nil, c.undo)
				s.asBefore(before, "jumps of", "last window of")
			}
		}
	})
}

// The story's own questions do not show in the state, and its answers are of this moment.
func TestStoryTells(t *testing.T) {
	forEachNvim(t, func(s *story) {
		before := s.state()
		s.pressed("ione<CR>two<Esc>")
		s.see("two")
		if diff := s.state().since(before); !strings.Contains(diff, "view of") {
			s.t.Errorf("typing changed only\n%s", diff)
		}
		s.file("dir/a b.txt", "x\n")
		s.pressed(":edit! dir/a\\ b.txt<CR>")
		s.bufferIs("dir/a b.txt", "x\n")
		s.pressed("dd")
		s.bufferIs("dir/a b.txt", "\n")
		s.fileIs("dir/a b.txt", "x\n")
	})
}
