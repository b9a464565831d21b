package test

import (
	"fmt"
	"strings"
	"testing"
)

// configured is the user setting options of ours, before there has been a review.
func (s *story) configured(options map[string]any) {
	s.t.Helper()
	s.lua(nil, `vim.g.agent_diff = vim.tbl_extend('force', vim.g.agent_diff, ...)`, options)
}

// atHunk waits until the user is in a window of the review, on the hunk, counted from 1, whatever the layout.
func (s *story) atHunk(hunk int) {
	s.t.Helper()
	s.until(fmt.Sprint("the cursor is on hunk ", hunk), `
		local review = package.loaded['agent_diff.queue'] and require('agent_diff.queue').of_buffer(vim.api.nvim_get_current_buf())
		local at = review and review.view:hunk_at_cursor()
		return at ~= nil and at.index == ...`, hunk)
}

// wins waits until the review is in so many windows.
func (s *story) wins(layout string, n int) {
	s.t.Helper()
	s.until(fmt.Sprintf("layout %s in %d windows", layout, n), `
		local layout, n = ...
		local review = package.loaded['agent_diff.queue'] and require('agent_diff.queue').list()[1]
		local view = review and review.view
		return view and view.shape.name == layout and view.layout ~= nil and #view.layout:review_wins() == n`, layout, n)
}

// In every layout and wherever it opens the keys do the same, the layouts follow each other in place, and afterwards the user
// is where they were.
func TestLayouts(t *testing.T) {
	for _, window := range []string{"tab", "split", "float"} {
		for _, layout := range []string{"unified", "split"} {
			t.Run(window+"/"+layout, func(t *testing.T) {
				forEachNvim(t, func(s *story) {
					s.configured(map[string]any{"window": window, "layout": layout})
					s.file("a.txt", three())
					s.open("a.txt")
					s.pressed(":vsplit<CR>5G")
					before := s.state()
					other, n := "split", map[string]int{"unified": 1, "split": 2}
					if layout == "split" {
						other = "unified"
					}
					to := map[string]string{"split": "<Tab>", "unified": "<Tab><Tab>"} // by way of the file itself
					call := s.propose("a.txt", three(), three(1, 2, 3), "")
					s.wins(layout, n[layout])
					s.atHunk(1)
					s.press("a")
					s.states(applied, pending, pending)
					s.atHunk(2)
					s.press(to[other])
					s.wins(other, n[other])
					s.atHunk(2)
					s.press("r")
					s.states(applied, rejected, pending)
					s.press("u")
					s.states(applied, pending, pending)
					s.press(to[layout])
					s.wins(layout, n[layout])
					s.press("nnu")
					s.states(pending, pending, pending)
					s.press("R")
					call.result().rejected("a.txt")
					s.over()
					s.asBefore(before, untouched...)

					call = s.propose("a.txt", three(), three(1, 2, 3), "")
					s.wins(layout, n[layout])
					s.atHunk(1)
					s.pressed(to[other])
					for left := n[other]; left > 0; left-- {
						s.wins(other, left)
						s.atHunk(1)
						s.waiting(call)
						s.press(":q<CR>")
					}
					call.result().rejected("a.txt")
					s.over()
					s.asBefore(before, untouched...)
				})
			})
		}
	}
}

// Side by side, both windows take the keys and move together, and lines of either side are decided on by selecting them.
func TestSideBySide(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.configured(map[string]any{"layout": "split"})
		s.file("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n")
		s.open("a.txt")
		call := s.propose("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n", "1\ntwo\n3\n4\nfive\nsix\nseven\n8\n", "")
		s.states(pending)
		s.until("the sides have as many lines", `
			local bufs = require('agent_diff.queue').list()[1].view.shape.bufs
			return vim.api.nvim_buf_line_count(bufs[1]) == vim.api.nvim_buf_line_count(bufs[2])`)
		s.pressed("<C-w>l/five<CR>Vja")
		s.until("two of the lines are applied", `return vim.b[require('agent_diff').reviews()[1].bufnr].agent_diff.applied == 1`)
		s.bufferIs("a.txt", "1\n2\n3\n4\nfive\nsix\n7\n8\n")
		s.pressed("<C-w>hgg")
		s.until("the cursors are in the same line", `
			local lines = vim.tbl_map(function(win) return vim.api.nvim_win_get_cursor(win)[1] end, vim.api.nvim_tabpage_list_wins(0))
			return #lines == 2 and lines[1] == lines[2]`)
		s.press("cwhy<Esc><CR>")
		s.notSee("Comment on hunk")
		s.press("qy")
		call.result().accepted("a.txt", true)
	})
}

// Half of a review is none: where there is no room for two windows, it is shown in one.
func TestNoRoomForTwo(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.configured(map[string]any{"layout": "split"})
		s.file("a.txt", three())
		s.open("a.txt")
		s.lua(nil, `vim.o.winwidth = 80 vim.o.winminwidth = 80`)
		call := s.propose("a.txt", three(), three(1, 2, 3), "")
		s.wins("unified", 1)
		s.atHunk(1)
		s.press("<Tab>")
		s.wins("unified", 1)
		s.atHunk(1)
		s.press("ar")
		s.states(applied, rejected, pending)
		s.press("A")
		call.result().accepted("a.txt", true).hunks(2, 1, 0, 0)
	})
}

// Side by side a whole new file is folded to a preview as well, on both sides; what is opened on one is opened on the other.
func TestSideBySideFolds(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.configured(map[string]any{"layout": "split", "preview_lines": 35})
		closed := func(where string, want bool) {
			s.until(fmt.Sprint(where, ": the folds are closed: ", want), `
				local closed = {}
				for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
					closed[#closed + 1] = vim.api.nvim_win_call(win, function() return vim.fn.foldclosed('$') > 0 end)
				end
				return #closed == 2 and closed[1] == ... and closed[2] == ...`, want)
		}
		together := func() {
			s.until("the sides stand beside each other", `
				local tops = vim.tbl_map(function(win) return vim.fn.line('w0', win) end, vim.api.nvim_tabpage_list_wins(0))
				return #tops == 2 and tops[1] == tops[2]`)
		}
		call := s.propose("new.txt", "", strings.Repeat("one more\n", 2000), "")
		s.wins("split", 2)
		closed("at first", true)
		s.press("G")
		s.see("1965 more lines, zo opens")
		s.press("zo")
		closed("after zo", false)
		together()
		s.pressed("gg")
		together()
		s.press("<C-w>lGzc")
		closed("after zc on the right", true)
		s.pressed("gg")
		together()
		s.press("<Tab><Tab>")
		closed("with the layout", true)
		s.press("R")
		call.result().rejected("new.txt")
	})
}

// <CR> goes to the file where it can be seen: in a window of its own where there is none, or where a float hides those that are there.
func TestShow(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		s.open("a.txt")
		for _, where := range []string{"tab", "float"} {
			if where != "tab" {
				s.lua(nil, `require('agent_diff').setup({ window = ... })`, where)
			}
			before := s.state()
			call := s.propose("a.txt", three(), three(1, 2, 3), "")
			s.atHunk(1)
			if where == "tab" {
				s.pressed("<C-w>l:q<CR>")
				s.atHunk(1)
			}
			s.pressed("n<CR>")
			s.inSource("a.txt", 16)
			s.until("no float is over it", `
				local last = vim.api.nvim_win_get_position(0)[1]
				for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
					local float = vim.api.nvim_win_get_config(win)
					if float.relative ~= '' and float.row + float.height + 2 > last then return false end
				end
				return true`)
			s.pressed("<C-w>p")
			s.atHunk(2)
			s.press("R")
			call.result().rejected("a.txt")
			s.over()
			s.asBefore(before, untouched...)
		}
	})
}
