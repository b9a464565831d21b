package test

import (
	"fmt"
	"strings"
	"testing"
)

// In the file itself the keys are there while the cursor is in a hunk, and the user's own are back where it is not; what
// stands beside the text is gone afterwards.
func TestInline(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.configured(map[string]any{"layout": "inline"})
		s.file("a.txt", three())
		s.file("b.txt", "b\n")
		s.open("a.txt")
		s.lua(nil, `
			vim.keymap.set('n', 'a', '<Cmd>let g:mine = get(g:, "mine") + 1<CR>', { buffer = 0, desc = 'mine' })
			vim.keymap.set({ 'n', 'x' }, 'r', '<Nop>', { buffer = 0 })`)
		s.pressed("9G")
		before := s.state()
		call := s.propose("a.txt", three(), three(1, 2, 3), "")
		s.wins("inline", 1)
		s.atHunk(1)
		s.inSource("a.txt", 4)
		s.see("FOUR") // as it would be
		s.press("ar")
		s.states(applied, rejected, pending)
		s.bufferIs("a.txt", three(1))
		s.press("9Ga")
		s.until("the user's own key", `return vim.g.mine == 1`)
		s.states(applied, rejected, pending)
		s.press("4G<Space>")
		s.states(pending, rejected, pending)
		s.press("cmore of it<Esc><CR>")
		s.see("» more of it")
		s.press("<Tab>")
		s.wins("unified", 1)
		s.atHunk(1)
		s.press("<Tab><Tab>")
		s.wins("inline", 1)
		s.press("R")
		call.result().says("more of it")
		s.over()
		s.asBefore(before, append(untouched, "variable of")...)

		call = s.propose("a.txt", three(), three(1, 2, 3), "")
		s.wins("inline", 1)
		s.atHunk(1)
		s.pressed(":edit b.txt<CR>")
		s.until("the review waits", `return require('agent_diff.queue').list()[1].view.layout == nil`)
		s.see("waits: :AgentDiff")
		s.waiting(call)
		s.pressed(":buffer a.txt<CR>4Ga") // it waits: nothing of it is in the file, and the keys are the user's
		s.until("the user's own key", `return vim.g.mine == 2`)
		s.notSee("FOUR")
		s.pressed(":AgentDiff<CR>")
		s.wins("inline", 1)
		s.press("a")
		s.states(applied, pending, pending)
		s.press("A")
		call.result().accepted("a.txt", true).hunks(3, 0, 0, 0)
		s.over()
		s.fileIs("a.txt", three(1, 2, 3))

		// The window with it is the review's last one.
		s.pressed(":new b.txt<CR><C-w>p")
		call = s.propose("a.txt", three(1, 2, 3), three(), "")
		s.wins("inline", 1)
		s.press("a")
		s.states(applied, pending, pending)
		s.press(":q<CR>")
		call.result().accepted("a.txt", true).hunks(1, 0, 2, 0)
	})
}

// What a hunk adds stands below a line of the file: it is on the screen too when the cursor goes to the hunk.
func TestInlineShowsWhatIsAdded(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.configured(map[string]any{"layout": "inline"})
		var before, after strings.Builder
		for i := 1; i <= 100; i++ {
			fmt.Fprintf(&before, "line %d\n", i)
			switch i {
			case 5:
				after.WriteString("first\n")
			case 34:
				after.WriteString(strings.Repeat("more\n", 8) + "the last of it\n")
			default:
				fmt.Fprintf(&after, "line %d\n", i)
			}
		}
		s.file("a.txt", before.String())
		s.open("a.txt")
		call := s.propose("a.txt", before.String(), after.String(), "")
		s.wins("inline", 1)
		s.atHunk(1)
		s.press("a")
		s.see("the last of it")
		s.press("R")
		call.result().rejected("a.txt")
	})
}

// However a review in the file itself is left, it is one answer, and nothing of it is left in the file or its window.
func TestLeavingInline(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.configured(map[string]any{"layout": "inline"})
		s.file("a.txt", three())
		s.file("b.txt", "b\n")
		for _, keys := range []string{"qy", "R", "u<Tab>R", "<C-w>c", ":q<CR>", "cancel", "9Gcancel"} {
			s.lua(nil, `vim.cmd.tabonly() vim.cmd.only() vim.cmd('edit! b.txt | vsplit a.txt')`)
			s.pressed("5G")
			before := s.state()
			call := s.propose("a.txt", three(), three(1, 2, 3), "")
			s.wins("inline", 1)
			s.atHunk(1)
			if typed, cancelled := strings.CutSuffix(keys, "cancel"); cancelled {
				s.pressed(typed)
				call.cancel()
			} else {
				s.press(keys)
				call.result().rejected("a.txt")
			}
			s.over()
			except := untouched
			if keys == "<C-w>c" || keys == ":q<CR>" { // the window was theirs
				except = append(except, "window", "view of", "option", "tab ", "alternate of", "cwd of", "mark", "matches of")
			}
			s.asBefore(before, except...)
			if s.t.Failed() {
				s.t.Fatalf("after %s", keys)
			}
		}
	})
}

// In the file itself u takes back what was done last: what the person typed, or a decision.
func TestInlineUndo(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.configured(map[string]any{"layout": "inline"})
		s.file("a.txt", three())
		s.open("a.txt")
		call := s.propose("a.txt", three(), three(1, 2, 3), "")
		s.wins("inline", 1)
		s.atHunk(1)
		s.pressed("a4GS mine<Esc>")
		s.bufferIs("a.txt", strings.Replace(three(1), "FOUR", " mine", 1))
		s.pressed("4Gu")
		s.bufferIs("a.txt", three(1))
		s.states(applied, pending, pending)
		s.pressed(":%d<CR>u")
		s.bufferIs("a.txt", three(1))
		s.states(applied, pending, pending)
		s.pressed("4G<Space>")
		s.states(pending, pending, pending)
		s.pressed("4Gu")
		s.states(applied, pending, pending)
		s.bufferIs("a.txt", three(1))
		s.press("R")
		call.result().rejected("a.txt")
		s.fileIs("a.txt", three())
	})
}

// In the file itself a selected line stands for what comes, or came, in its place too; what is only inserted is
// decided on by a line beside it. The user's own keys of visual mode are back where no hunk is selected.
func TestInlineSelection(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.configured(map[string]any{"layout": "inline"})
		was, now := "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\ntwo\n3\n4\nfive\nsix\nseven\n8\nmore\nof it\n9\n"
		s.file("a.txt", was)
		s.open("a.txt")
		s.lua(nil, `vim.keymap.set({ 'n', 'v' }, 'a', '<Esc><Cmd>let g:mine = get(g:, "mine") + 1<CR>', { buffer = 0 })`)
		before := s.state()
		call := s.propose("a.txt", was, now, "")
		s.wins("inline", 1)
		s.atHunk(1)
		s.pressed("6GVa")
		s.bufferIs("a.txt", "1\n2\n3\n4\n5\nsix\n7\n8\n9\n")
		s.pressed("1GVa")
		s.until("the user's own key", `return vim.g.mine == 1`)
		s.pressed("8GVa")
		s.bufferIs("a.txt", "1\n2\n3\n4\n5\nsix\n7\n8\nmore\nof it\n9\n")
		s.pressed("10GVj<Esc>a") // not in a hunk any more
		s.until("the user's own key again", `return vim.g.mine == 2`)
		s.pressed("1GVGr") // from outside of the hunks to outside of them
		s.bufferIs("a.txt", was)
		s.pressed("u")
		s.bufferIs("a.txt", "1\n2\n3\n4\n5\nsix\n7\n8\nmore\nof it\n9\n")
		s.pressed("5GVjja")
		s.bufferIs("a.txt", "1\n2\n3\n4\nfive\nsix\nseven\n8\nmore\nof it\n9\n")
		s.pressed("6GVr")
		s.bufferIs("a.txt", "1\n2\n3\n4\nfive\n6\nseven\n8\nmore\nof it\n9\n")
		s.pressed("2GVa")
		s.press("q")
		call.result().accepted("a.txt", true)
		s.over()
		s.fileIs("a.txt", strings.Replace(now, "six", "6", 1))
		s.asBefore(before, append(untouched, "variable of", "text of", "option changedtick", "jumps of", "mark")...)
	})
}

// What comes before the first line of a file, or was there, is on the screen while the cursor is at it.
func TestInlineAboveTheFirstLine(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.configured(map[string]any{"layout": "inline"})
		s.file("a.txt", three())
		s.open("a.txt")
		call := s.propose("a.txt", three(), "before it all\n"+three(), "")
		s.wins("inline", 1)
		s.see("before it all")
		s.press("R")
		call.result().rejected("a.txt")
		call = s.propose("a.txt", three(), "the first\n"+strings.SplitN(three(), "\n", 2)[1], "")
		s.wins("inline", 1)
		s.press("a")
		s.states(applied)
		s.see("the first")
		s.see("line 1 ")
		s.press("Ggg")
		s.until("the line that it replaced is above it", `return vim.fn.winsaveview().topfill == 1`)
		s.press("R")
		call.result().rejected("a.txt")
	})
}

// Where a review cannot be shown in the file itself, the user is told why, once.
func TestNotInline(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.configured(map[string]any{"layout": "inline"})
		call := s.propose("new.txt", "", "1\n", "")
		s.wins("unified", 1)
		s.see("not shown in the file itself: it is about the file as a whole")
		s.pressed(":echo<CR><Tab>")
		s.wins("split", 2)
		s.pressed("<Tab>")
		s.wins("unified", 1)
		s.notSee("not shown in the file itself")
		s.press("R")
		call.result().rejected("new.txt")
		s.lua(nil, `require('agent_diff').setup({ layout = 'split' })`)
		call = s.propose("new.txt", "", "1\n", "")
		s.wins("split", 2)
		s.notSee("not shown in the file itself")
		s.atHunk(1)
		s.press("<Tab>")
		s.wins("unified", 1)
		s.see("not shown in the file itself: it is about the file as a whole")
		s.press("R")
		call.result().rejected("new.txt")
	})
}

// Lines of any length keep nobody waiting; of the longest ones the beginning is shown.
func TestInlineLongLines(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.configured(map[string]any{"layout": "inline"})
		old := "var x = " + strings.Repeat("call(an_argument), ", 20000) + "\n"
		now := strings.Replace(old, "var", "let", 1)
		s.file("a.js", old)
		s.open("a.js")
		s.lua(nil, `vim.wo.wrap = false`)
		call := s.propose("a.js", old, now, "")
		s.wins("inline", 1)
		s.see("let x = call(")
		s.press("a")
		s.states(applied)
		s.press("q")
		call.result().accepted("a.js", true)
		s.fileIs("a.js", now)
	})
}
