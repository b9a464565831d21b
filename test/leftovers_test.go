package test

import (
	"fmt"
	"testing"

	"nvim-agent-diff/screen"
	"nvim-agent-diff/screen/screentest"
)

// untouched are lines of the state that follow from what the user did during the review, not from the review.
var untouched = []string{"changedtick", "register /", "register :", "jumps of", "last window of"}

// Whatever the user has in front of them when a review takes the focus, they have it in front of them again afterwards,
// by whichever way the review ends.
func TestFocusComesBack(t *testing.T) {
	scenes := map[string]string{
		"a float":                              `vim.api.nvim_open_win(vim.fn.bufadd('b.txt'), true, { relative = 'editor', row = 2, col = 5, width = 30, height = 9, style = 'minimal', border = 'single' })`,
		"a quickfix list":                      `vim.fn.setqflist({ { filename = 'b.txt', lnum = 2 } }) vim.cmd.copen()`,
		"help":                                 `vim.cmd.help()`,
		"a tab on each side":                   `vim.cmd.tabnew('b.txt') vim.cmd.tabnew('c.txt') vim.cmd('tabdo vsplit | tabnext 2')`,
		"a preview window":                     `vim.cmd.pedit('b.txt') vim.cmd.wincmd('P')`,
		"fixed buffers":                        `vim.wo.winfixbuf = true`,
		"fixed sizes":                          `vim.cmd('5split b.txt') vim.wo.winfixheight = true vim.cmd('20vsplit c.txt') vim.wo.winfixwidth = true`,
		"no tabline":                           `vim.o.showtabline = 0 vim.cmd.split('b.txt')`,
		"a global statusline, no command line": `vim.o.laststatus = 3 vim.o.cmdheight = 0 vim.cmd.vsplit()`,
		"a scratch buffer in its last window":  `vim.cmd.enew() vim.bo.buftype = 'nofile' vim.bo.bufhidden = 'wipe' vim.cmd.split('b.txt')`,
		"autochdir":                            `vim.o.autochdir = true`,
		"a modified buffer and nohidden":       `vim.o.hidden = false vim.cmd.split('b.txt') vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'mine' })`,
	}
	ends := []string{"R", "rq" + "y", ":q<CR>", ":tabclose<CR>", ":bwipeout!<CR>", "<C-w>w:only<CR>", ":only<CR>R", ":tabmove 0<CR>R", ":only<CR>:q<CR>", "cancel"}
	for name, scene := range scenes {
		t.Run(name, func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
					s.file(name, three())
				}
				s.open("a.txt")
				s.lua(nil, scene)
				s.pressed("5G")
				before := s.state()
				for _, keys := range ends {
					call := s.proposeThree()
					s.inReview()
					s.states(pending, pending, pending)
					s.endBy(keys, call)
					s.asBefore(before, untouched...)
					if s.t.Failed() {
						s.t.Fatalf("after %s", keys)
					}
				}
			})
		})
	}
}

// A terminal that was typed in is typed in again, also after two reviews in a row and after one that was cancelled.
func TestBackInTerminal(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.pressed(":terminal cat<CR>")
		s.press("i")
		typing := func() {
			s.t.Helper()
			s.reviews(0)
			s.until("terminal mode", `return vim.fn.mode(1) == 't' and vim.bo.buftype == 'terminal'`)
		}
		typing()
		before := s.state()
		for _, end := range []string{"R", "q" + "y", ":q<CR>", "ZZ", ":bd!<CR>", ":tabclose<CR>", "<C-w>w:only<CR>", "cancel"} {
			var calls []*call
			for i := range 2 {
				s.file(fmt.Sprint(i), three())
				calls = append(calls, s.propose(fmt.Sprint(i), three(), three(1), fmt.Sprint("number ", i)))
				s.reviews(i + 1)
			}
			for i, c := range calls {
				s.see(fmt.Sprint("Description: number ", i))
				s.states(pending)
				if end == "cancel" {
					c.cancel()
				} else {
					s.press(end)
					c.result().rejected(fmt.Sprint(i))
				}
			}
			typing()
			s.press("x") // terminal mode has no SafeState: something to draw makes the test look again
			s.asBefore(before, append(untouched, "buffer ", "option buf", "variable of", "view of", "autocommand SafeState", "handles")...)
			if s.t.Failed() {
				s.t.Fatalf("after %s", end)
			}
		}
		s.press("still here<CR>")
		s.see("still here")
	})
}

// The review's window is the last one of all: it stays, with something else in it; leaving it leaves Neovim.
func TestLastWindow(t *testing.T) {
	for _, end := range []string{"R", "qy", ":bdelete!<CR>", ":bwipeout!<CR>", "cancel"} {
		t.Run(end, func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				call := s.asked()
				s.pressed(":tabonly<CR>:only<CR>")
				s.waiting(call)
				s.endBy(end, call)
				s.until("one ordinary window", `
					return #vim.api.nvim_list_wins() == 1 and vim.bo.buftype == '' and not vim.wo.winfixbuf and vim.wo.winbar == ''
						and not vim.wo.cursorline and vim.wo.foldenable`)
				s.next(three())
			})
		})
	}
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.pressed("a")
		s.inFile("a.txt", ":w<CR>")
		s.pressed(":tabonly<CR>:only<CR>")
		s.press(":q<CR>")
		call.result().accepted("a.txt", true).hunks(1, 0, 2, 0).says("Neovim was closed")
	})
	// The source's window is the last: it stays as it is.
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.pressed(":tabonly<CR>")
		s.press("R")
		call.result().rejected("a.txt")
		s.over()
		s.inSource("a.txt", 4)
		s.next(three())
	})
}

// The user changes the layout meanwhile: what is theirs stays, what we opened goes.
func TestLayoutIsTheirs(t *testing.T) {
	cases := []struct{ name, keys, end, holds string }{
		{
			"their window is gone", ":split b.txt<CR>", "<Cmd>call nvim_win_close(g:first, 1)<CR>R",
			`return #vim.api.nvim_list_wins() == 1 and vim.fn.bufname() == 'b.txt'`,
		},
		{
			"their tab is gone", ":tabnew b.txt<CR>:tabprevious<CR>", ":tabclose 1<CR>R",
			`return #vim.api.nvim_list_wins() == 1 and vim.fn.bufname() == 'b.txt'`,
		},
		{
			"another file beside the review", "", "<C-w>w:edit b.txt<CR><C-w>wR",
			`return #vim.api.nvim_list_wins() == 1 and vim.fn.bufname() == 'a.txt'`,
		},
		{
			"they read another file beside the review when the agent cancels", "", "<C-w>w:edit b.txt<CR>cancel",
			`return #vim.api.nvim_list_tabpages() == 2 and vim.fn.tabpagenr() == 2 and vim.fn.bufname() == 'b.txt'`,
		},
		{
			"a quickfix list of theirs in our tab", "", ":copen<CR>cancel",
			`return #vim.api.nvim_list_tabpages() == 2 and vim.fn.tabpagenr() == 2 and vim.bo.buftype == 'quickfix'`,
		},
		{
			"a window of theirs in our tab", "", ":new b.txt<CR><C-w>jR",
			`return #vim.api.nvim_list_tabpages() == 2 and vim.fn.tabpagenr() == 1 and vim.fn.bufname() == 'a.txt'`,
		},
		{
			"the review in a further tab", "", ":tab split<CR>R",
			`return #vim.api.nvim_list_wins() == 1 and vim.fn.bufname() == 'a.txt'`,
		},
		{
			"the source in a further window", "", "<C-w>w:split<CR><C-w>tR",
			`return #vim.api.nvim_list_wins() == 2 and vim.fn.tabpagenr() == 1`,
		},
		{
			"the review moved to a further tab", "", "<C-w>TR",
			`return #vim.api.nvim_list_wins() == 1 and vim.fn.bufname() == 'a.txt'`,
		},
		{
			"they are elsewhere", "", ":tabnew b.txt<CR>cancel",
			`return #vim.api.nvim_list_wins() == 2 and vim.fn.bufname() == 'b.txt'`,
		},
		{
			"they are elsewhere, and wipe it out", "", ":tabnew b.txt<CR>:execute 'bwipeout!' g:review<CR>",
			`return #vim.api.nvim_list_wins() == 2 and vim.fn.bufname() == 'b.txt'`,
		},
		{
			"another buffer is forced into its window", "", ":edit! b.txt<CR>:buffer! b.txt<CR>",
			`return vim.fn.bufname() == 'b.txt' and not vim.wo.winfixbuf and not vim.wo.cursorline`,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				s.file("a.txt", three())
				s.file("b.txt", "one\n")
				s.open("a.txt")
				s.lua(nil, `vim.g.first = vim.api.nvim_get_current_win()`)
				s.pressed(c.keys)
				call := s.proposeThree()
				s.lua(nil, `vim.g.review = vim.api.nvim_get_current_buf()`)
				keys := c.end
				if n := len(keys) - len("cancel"); n >= 0 && keys[n:] == "cancel" {
					s.pressed(keys[:n])
					call.cancel()
				} else {
					s.press(keys)
					call.result().rejected("a.txt")
				}
				s.over()
				s.until("the layout is right", c.holds)
				s.inFileOrTab("a.txt")
				s.next(three())
			})
		})
	}
}

// inFileOrTab brings the file to where the user is.
func (s *story) inFileOrTab(name string) {
	s.t.Helper()
	s.lua(nil, `vim.cmd.tabonly() vim.cmd.only() vim.cmd.edit(...)`, name)
}

// Keys typed ahead: the question takes its answer, and what follows goes to where the user is then.
func TestTypedAheadThroughQuestion(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("arqyGdd")
		call.result().accepted("a.txt", true).hunks(1, 1, 1, 0)
		s.over()
		s.until("dd went into the file", `return vim.fn.line('$') == 29 and vim.fn.bufname() == 'a.txt'`)
		s.pressed("u")

		call = s.propose("a.txt", three(1), three(1, 2, 3), "")
		s.states(pending, pending)
		s.press("qnqnaqn<Space>raaq")
		call.result().accepted("a.txt", true).hunks(2, 0, 0, 0)
	})
}

// However the question is left, the review goes on, and nothing of the question is left.
func TestQuestionIsLeft(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.cursorOn(1)
		s.pressed("gtgt") // Neovim fits the windows of a tab page when it is entered
		before := s.state()
		for _, keys := range []string{"n", "<Esc>", "q", "<C-w>w", "<C-w>p", ":q<CR>", "<C-w>c", "ZZ", ":bwipeout<CR>", ":close<CR>", "<C-w>t", "gt"} {
			s.press("q")
			s.see("Finish anyway?")
			s.press(keys)
			s.notSee("Finish anyway?")
			s.until("no float", `
				for _, win in ipairs(vim.api.nvim_list_wins()) do
					if vim.api.nvim_win_get_config(win).relative ~= '' then return false end
				end
				return true`)
			s.waiting(call)
			s.lua(nil, `vim.api.nvim_set_current_win(vim.fn.win_findbuf(require('agent_diff').reviews()[1].bufnr)[1])`)
			s.asBefore(before, append(untouched, "autocommand SafeState", "handles")...)
			if s.t.Failed() {
				s.t.Fatalf("after %s", keys)
			}
		}
		s.press("q")
		s.see("Finish anyway?")
		s.press("y")
		call.result().rejected("a.txt")
	})
}

// :w, :wa and automatic writing decide nothing and write nothing of the review, :e draws it again where it was, and no other
// buffer comes into its window.
func TestReviewIsNoFile(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("b.txt", "one\n")
		call := s.asked()
		s.lua(nil, `
			vim.o.autowriteall = true
			vim.api.nvim_create_autocmd({ 'FocusLost', 'BufLeave', 'InsertLeave', 'TextChanged' }, { nested = true, command = 'silent! wall' })
			vim.api.nvim_create_autocmd('BufLeave', { nested = true, command = 'silent! update' })`)
		s.pressed("an")
		s.cursorOn(3)
		for _, keys := range []string{
			":silent! w<CR>", ":silent! w!<CR>", ":wa<CR>", ":silent! update<CR>", ":doautocmd FocusLost<CR>", "gtgt", "<C-w>w<C-w>w",
			":e<CR>", ":e!<CR>", ":silent! edit b.txt<CR>", ":silent! bnext<CR>", ":silent! enew<CR>", ":silent! write! b.txt<CR>",
		} {
			s.pressed(keys)
			s.states(applied, pending, pending)
			s.inReview()
			s.cursorOn(3)
			s.waiting(call)
		}
		s.until("it is still what it was", `return vim.bo.buftype == 'nofile' and not vim.bo.modifiable and not vim.bo.modified
			and not vim.bo.swapfile and vim.wo.winfixbuf and vim.wo.winbar ~= ''`)
		s.press("qy")
		call.result().hunks(1, 0, 2, 0)
	})
}

// On the smallest of screens there is still a review.
func TestTinyScreen(t *testing.T) {
	screentest.Each(t, func(t *testing.T, nvim string) {
		for _, size := range [][2]int{{20, 4}, {40, 6}, {14, 9}} {
			s := &story{t: t, dir: project(t)}
			s.nvim = screentest.Start(t, screen.Options{Nvim: nvim, Dir: s.dir, Args: armed, Width: size[0], Height: size[1]})
			s.file("a.txt", three())
			s.open("a.txt")
			before := s.state()
			call := s.propose("a.txt", three(), three(1, 2, 3), "")
			s.inReview()
			s.press("rq")
			s.until("the question", `return vim.api.nvim_win_get_config(0).relative ~= ''`)
			s.press("y")
			call.result().rejected("a.txt")
			s.over()
			s.asBefore(before, untouched...)
		}
	})
}

// Autocommands of the user's that fail keep nobody waiting, and leave nothing of ours behind.
func TestFailingAutocommands(t *testing.T) {
	events := []string{
		"BufEnter", "BufLeave", "BufWinEnter", "BufWinLeave", "BufHidden", "BufUnload", "WinNew", "WinEnter", "WinLeave", "WinClosed",
		"TabNew", "TabEnter", "TabLeave", "TabClosed", "FileType", "User", "CursorMoved",
	}
	for _, event := range events {
		t.Run(event, func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				s.file("a.txt", three())
				s.open("a.txt")
				s.lua(nil, `vim.api.nvim_create_autocmd(..., { callback = function() error('theirs', 0) end })`, event)
				before := s.state()
				// A prompt of theirs may come at any time: so that it does not matter here, what they get to read is short.
				s.lua(nil, `vim.o.cmdheight = 9 vim.o.columns = 200`)
				call := s.propose("a.txt", three(), three(1, 2, 3), "")
				s.until("the review is shown", `return vim.startswith(vim.fn.bufname(), 'agent-diff://')`)
				s.press("ar:q<CR>")
				call.result().hunks(1, 1, 1, 0)
				s.over()
				s.lua(nil, `vim.o.cmdheight = 1 vim.o.columns = 120`)
				s.asBefore(before, append(untouched, "view of", "option", "extmark")...)
				s.lua(nil, `vim.api.nvim_clear_autocmds({ event = ... })`, event) // so that Neovim can be left
			})
		})
	}
}
