package test

import (
	"fmt"
	"testing"

	"nvim-agent-diff/screen"
)

// Counts, `.`, and the hunk as a text object.
func TestCountsAndAgain(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("2a")
		s.states(applied, applied, pending)
		s.cursorOn(3)
		s.press("2u")
		s.states(pending, pending, pending)
		s.press("ggr.")
		s.states(rejected, rejected, pending)
		s.press("<C-o>") // deciding leaves places behind to go back to
		s.cursorOn(2)
		s.press("5u")
		s.see("no decision to undo")
		s.states(pending, pending, pending)
		s.press("n<Space>p.")
		s.states(applied, applied, pending)
		s.press("..") // a toggle toggles back
		s.states(applied, applied, pending)
		s.press("ggn2njjyih")
		s.until("the lines are yanked", `return vim.fn.getreg('"') == ' line 24\n line 25\n line 26\n-line 27\n line 28\n line 29\n line 30\n'`)
		s.pressed("yah")
		s.until("the hunk is yanked", `return vim.startswith(vim.fn.getreg('"'), '@@ -24,7 +25,6 @@\n line 24\n') and vim.fn.mode() == 'n'`)
		s.pressed("vihr") // all that was selected is the whole hunk
		s.states(applied, applied, rejected)
		s.press("q")
		call.result().accepted("a.txt", true).hunks(2, 1, 0, 0)
	})
}

// Several reviews: one is put off, any of them is gone to, and what is undecided is found where it is now.
func TestWhereAmINeeded(t *testing.T) {
	forEachNvim(t, func(s *story) {
		first := s.asked()
		s.file("b.txt", three())
		second := s.propose("b.txt", three(), three(1, 2), "another one")
		s.until("both are ready", `local r = require("agent_diff").reviews()[2] return r and r.total == 2`)
		s.met(s.nvim.Wait(patience, "the second one is told to wait", func(*screen.Snapshot) bool {
			waiting := ""
			for _, e := range s.nvim.Events() {
				if data, _ := e.Data.(map[string]any); e.Match == "AgentDiffWaiting" {
					waiting += fmt.Sprint(data["path"], data["pending"])
				}
			}
			return waiting == s.path("b.txt")+"2"
		}))
		s.press("a")
		s.states(applied, pending, pending)
		s.pressed("gl")
		s.states(pending, pending) // b.txt's
		s.press(":AgentDiff 1<CR>")
		s.states(applied, pending, pending)
		s.inFile("a.txt", "ggOnew<CR>lines<Esc>")
		s.pressed(":AgentDiff list<CR>")
		s.until("what is undecided is listed with its place", `
			local got = {}
			for _, item in ipairs(vim.fn.getqflist()) do
				table.insert(got, vim.fn.fnamemodify(vim.fn.bufname(item.bufnr), ':t') .. ':' .. item.lnum)
			end
			return table.concat(got, ' ') == 'a.txt:18 a.txt:29 b.txt:4 b.txt:16'`)
		s.pressed(":cclose<CR>:AgentDiff 2<CR>:AgentDiff later<CR>")
		s.states(applied, pending, pending)
		s.press(":AgentDiff 3<CR>")
		s.see("there is no review 3: 2 wait")
		s.press(":AgentDiff pick<CR>")
		s.see("agent-diff: go to")
		s.see("2: b.txt  2 of 2 undecided  another one")
		s.press("2<CR>")
		s.inReview()
		s.states(pending, pending)
		s.press("R")
		second.result().rejected("b.txt")
		s.states(applied, pending, pending)
		s.inReview()
		s.press("R")
		first.result().rejected("a.txt")
		s.over()
	})
}
