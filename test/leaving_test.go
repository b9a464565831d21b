package test

import (
	"strings"
	"testing"
)

// Leaving in any other way ends the review as q does without the question: exactly one answer, and nothing left behind.
func TestLeaving(t *testing.T) {
	ways := map[string]string{
		":q": ":q<CR>", ":q!": ":q!<CR>", ":close": ":close<CR>", ":bdelete": ":bd<CR>", ":bdelete!": ":bd!<CR>",
		":bwipeout": ":bw<CR>", ":bwipeout!": ":bw!<CR>", ":bunload": ":bunload<CR>", ":tabclose": ":tabclose<CR>",
		"CTRL-W c": "<C-w>c", "CTRL-W q": "<C-w>q", "ZZ": "ZZ", "ZQ": "ZQ", ":only in the source": "<C-w>w:only<CR>",
		":x": ":x<CR>", ":hide": ":hide<CR>", ":tabonly elsewhere": ":tabnew<CR>:tabonly<CR>",
		":windo close": ":windo close<CR>",
	}
	for name, keys := range ways {
		t.Run(name, func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				s.file("a.txt", three())
				s.open("a.txt")
				before := s.state()
				call := s.proposeThree()
				s.press("ar")
				s.states(applied, rejected, pending)
				s.press(keys)
				call.result().accepted("a.txt", true).hunks(1, 1, 1, 0)
				s.fileIs("a.txt", three(1))
				s.over()
				if !strings.Contains(name, "elsewhere") {
					s.asBefore(before, "changedtick", "register /", "jumps of", "register :")
				}
				// Nothing hinders the next one.
				call = s.propose("a.txt", three(1), three(1, 2, 3), "")
				s.shown()
				s.press("R")
				call.result().rejected("a.txt")
				s.fileIs("a.txt", three(1))
			})
		})
	}
}

// A review ends when its LAST window closes.
func TestTwoWindows(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.pressed(":split<CR>")
		s.pressed("a")
		s.states(applied, pending, pending)
		s.pressed(":q<CR>")
		s.states(applied, pending, pending)
		s.waiting(call)
		s.pressed("nr") // each window has its own cursor
		s.states(applied, rejected, pending)
		s.press(":q<CR>")
		call.result().accepted("a.txt", true).hunks(1, 1, 1, 0)
	})
}

// :e draws the review again, :w and autosave decide nothing, and no other buffer comes into its window.
func TestEditAndWriteDecideNothing(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("other.txt", "x\n")
		call := s.asked()
		s.press("a")
		s.states(applied, pending, pending)
		for _, keys := range []string{":e<CR>", ":e!<CR>", ":w<CR>", ":wa<CR>", ":silent! edit other.txt<CR>", ":silent! bnext<CR>"} {
			s.pressed(keys)
			s.states(applied, pending, pending)
			s.inReview()
			s.waiting(call)
		}
		s.pressed("i<Esc>") // 'modifiable' is off
		s.states(applied, pending, pending)
		s.press("q")
		s.see("2 undecided")
		s.press("y")
		call.result().hunks(1, 0, 2, 0)
		s.fileIs("a.txt", three(1))
	})
}

// The user is where they were: windows, cursor, alternate buffer and options, whatever layout they had.
func TestBackWhereTheyWere(t *testing.T) {
	layouts := map[string]string{
		"splits":                    `:vsplit b.txt<CR>:split<CR>:resize 5<CR><C-w>l3j`,
		"tabs":                      `:tabnew b.txt<CR>:tabprevious<CR>5j`,
		"another file":              `:edit b.txt<CR>2j`,
		"no file":                   `:enew<CR>`,
		"options":                   `:set number list wrap nohlsearch splitright equalalways showtabline=2<CR>:vsplit<CR>`,
		"scrollbind":                `:vsplit b.txt<CR>:windo set scrollbind cursorbind<CR>`,
		"folds":                     `:3,20fold<CR>`,
		"diff mode":                 `:diffsplit b.txt<CR>`,
		"quickfix":                  `:call setqflist([{'filename': 'b.txt', 'lnum': 2, 'text': 'x'}])<CR>:copen<CR>`,
		"a visual selection before": `Vjj<Esc>3G`,
	}
	for name, keys := range layouts {
		t.Run(name, func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				s.file("a.txt", three())
				s.file("b.txt", three(1, 2))
				s.open("a.txt")
				s.pressed(keys)
				before := s.state()
				for i, end := range []string{"R", "aq" + "y"} {
					call := s.proposeThree()
					s.press(end)
					r := call.result()
					s.over()
					if i == 0 {
						r.rejected("a.txt")
						s.asBefore(before, "changedtick", "jumps of")
					} else {
						r.accepted("a.txt", true)
						s.asBefore(before, "changedtick", "jumps of", "view of")
					}
				}
			})
		})
	}
}

// A terminal that was being typed in is given back in terminal mode.
func TestBackInTerminalMode(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		s.pressed(":terminal cat<CR>")
		s.press("i")
		s.until("terminal mode", `return vim.fn.mode(1) == 't'`)
		call := s.proposeThree()
		s.inReview()
		s.press("A")
		call.result().accepted("a.txt", true)
		s.over()
		s.until("terminal mode again", `return vim.bo.buftype == 'terminal' and vim.fn.mode(1) == 't'`)
		s.press("still typing<CR>")
		s.see("still typing")
	})
}

// A file that was not open: afterwards it is not, or holds what was accepted and not written.
func TestUnopenedFile(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		before := s.state()
		call := s.proposeThree()
		s.press("R")
		call.result().rejected("a.txt")
		s.over()
		s.asBefore(before, "jumps of", "1:")

		call = s.proposeThree()
		s.press("A")
		call.result().accepted("a.txt", true)
		s.fileIs("a.txt", three(1, 2, 3))
		s.over()
		s.until("the buffer is unloaded again", `return not vim.api.nvim_buf_is_loaded(vim.fn.bufnr(...))`, s.path("a.txt"))

		s.file("b.txt", three())
		s.lua(nil, `require('agent_diff').setup({ save = 'never' })`)
		call = s.propose("b.txt", three(), three(1, 2, 3), "")
		s.shown()
		s.press("A")
		call.result().accepted("b.txt", false)
		s.over()
		s.until("the buffer is kept, listed", `
			local buf = vim.fn.bufnr(...)
			return vim.bo[buf].buflisted and vim.bo[buf].modified`, s.path("b.txt"))
		s.fileIs("b.txt", three())
	})
}

// What the user does to the layout during a review is theirs.
func TestLayoutChangedMeanwhile(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("b.txt", "other\n")
		call := s.asked()
		s.pressed(":tabnew b.txt<CR>")
		s.pressed(":vsplit<CR>")
		s.pressed(":tabprevious<CR>")
		s.inReview()
		s.press("R")
		call.result().rejected("a.txt")
		s.over()
		s.until("the new tab is still there, with its two windows", `
			for _, tab in ipairs(vim.api.nvim_list_tabpages()) do
				local wins = vim.api.nvim_tabpage_list_wins(tab)
				if #wins == 2 and vim.fn.bufname(vim.api.nvim_win_get_buf(wins[1])) == 'b.txt' then return true end
			end`)
	})
}

// In two windows: what closes one of them leaves the review open, and the answer is one all the same.
func TestLeavingTwoWindows(t *testing.T) {
	ways := []struct {
		keys string
		both bool // it closes both windows
	}{
		{":q<CR>", false},
		{":q!<CR>", false},
		{":close<CR>", false},
		{"ZZ", false},
		{"ZQ", false},
		{"<C-w>c", false},
		{"<C-w>q", false},
		{":x<CR>", false},
		{":hide<CR>", false},
		{":bd!<CR>", true},
		{":bw!<CR>", true},
		{":bunload!<CR>", true},
		{":tabclose<CR>", true},
		{":windo close<CR>", true},
		{":only<CR>:q<CR>", true},
	}
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		s.open("a.txt")
		before := s.state()
		for _, way := range ways {
			call := s.proposeThree()
			s.pressed("ar:split<CR>")
			s.states(applied, rejected, pending)
			s.press(way.keys)
			if !way.both {
				s.until("one window of the review is left", `
					return #vim.fn.win_findbuf(require('agent_diff').reviews()[1].bufnr) == 1`)
				s.waiting(call)
				s.press(way.keys)
			}
			call.result().accepted("a.txt", true).hunks(1, 1, 1, 0)
			s.over()
			s.fileIs("a.txt", three(1))
			s.pressed("u:w<CR>")
			s.asBefore(before, append(untouched, "undo", "view of")...)
			if s.t.Failed() {
				s.t.Fatalf("after %s", way.keys)
			}
		}
	})
}

// In every layout and every kind of window too: one answer, and nothing left behind.
func TestLeavingLayouts(t *testing.T) {
	unified := []string{
		"R", ":q<CR>", "ZZ", "<C-w>c", ":bwipeout!<CR>", "<Tab>R", "<C-w>w:only<CR>", "<C-w>T:q<CR>", "cancel",
	}
	split := []string{
		"R", ":q<CR>:q<CR>", "ZZZZ", ":bwipeout!<CR>", "<Tab>R", "<C-w>TR", "cancel", "qy", ":bdelete!<CR>", "<C-w>w:bwipeout!<CR>",
	}
	looks := []struct {
		layout, window string
		wins           int
		ends           []string
	}{
		{"unified", "split", 1, unified},
		{"unified", "float", 1, unified},
		{"split", "tab", 2, split},
		{"split", "split", 2, split},
		{"split", "float", 2, []string{"R", ":q<CR>:q<CR>", "ZZZZ", ":bwipeout!<CR>", "<Tab>R", "cancel"}},
	}
	for _, look := range looks {
		t.Run(look.layout+" in a "+look.window, func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				s.configured(map[string]any{"window": look.window, "layout": look.layout})
				s.file("a.txt", three())
				s.open("a.txt")
				s.pressed("5G")
				before := s.state()
				for _, keys := range look.ends {
					call := s.propose("a.txt", three(), three(1, 2, 3), "")
					s.wins(look.layout, look.wins)
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
