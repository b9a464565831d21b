package test

import "testing"

// The whole way once, as a user meets it.
func TestReviewHunkByHunk(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		s.open("a.txt")
		before := s.state()

		call := s.propose("a.txt", three(), three(1, 2, 3), "count better\nand shorter")
		s.see("Agent proposes changes to: a.txt")
		s.see("Description: count better ⏎ and shorter")
		s.see("--- a/a.txt")
		s.see("+FOUR")
		s.states(pending, pending, pending)
		s.cursorOn(1)

		s.press("a")
		s.see("[APPLIED]")
		s.see("Progress: 1/3 applied, 0 rejected, 2 pending")
		s.states(applied, pending, pending)
		s.bufferIs("a.txt", three(1))
		s.cursorOn(2)

		s.press("r")
		s.see("[REJECTED]")
		s.see("Progress: 1/3 applied, 1 rejected, 1 pending")
		s.states(applied, rejected, pending)
		s.cursorOn(3)

		s.press("a")
		s.states(applied, rejected, applied)
		s.bufferIs("a.txt", three(1, 3))
		s.fileIs("a.txt", three())
		s.waiting(call)

		s.press("q")
		call.result().accepted("a.txt", true).hunks(2, 1, 0, 0).
			says("@@ -13,6 +13,7 @@", "rejected", "-line 27").silent("+fifteen and a half")
		s.fileIs("a.txt", three(1, 3))
		s.over()
		s.asBefore(before, "changedtick")
	})
}

func TestAcceptAll(t *testing.T) {
	for _, keys := range []string{"A", "<C-c><C-c>"} {
		forEachNvim(t, func(s *story) {
			call := s.asked()
			s.dressed()
			s.press(keys)
			call.result().accepted("a.txt", true).hunks(3, 0, 0, 0).silent("@@", "+++")
			s.fileIs("a.txt", three(1, 2, 3))
			s.over()
			s.pressed("u") // all of it was one decision
			s.bufferIs("a.txt", three())
		})
	}
}

func TestRejectAll(t *testing.T) {
	for _, keys := range []string{"R", "<C-c><C-k>"} {
		forEachNvim(t, func(s *story) {
			call := s.asked()
			s.press("aa")
			s.states(applied, applied, pending)
			s.dressed()
			s.press(keys)
			call.result().rejected("a.txt").hunks(0, 3, 0, 0)
			s.fileIs("a.txt", three())
			s.bufferIs("a.txt", three())
			s.over()
			s.pressed("u") // un-applying both was one decision
			s.bufferIs("a.txt", three(1, 2))
		})
	}
}

// A rejected hunk stays rejected when the rest is accepted.
func TestAcceptAllKeepsRejected(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("rA")
		call.result().accepted("a.txt", true).hunks(2, 1, 0, 0)
		s.fileIs("a.txt", three(2, 3))
	})
}

func TestEveryHunkDeclined(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("rrrq")
		call.result().rejected("a.txt").hunks(0, 3, 0, 0)
		s.fileIs("a.txt", three())
		s.until("nothing was changed", `return not vim.bo.modified and vim.fn.undotree().seq_last == 0`)
	})
}

// Section 2, row by row: a key, the state it leads to, the text of the source, where the cursor goes.
func TestStates(t *testing.T) {
	rows := []struct {
		name   string
		keys   string // what has been pressed before, on hunk 1 of three
		key    string
		state  string
		in     bool // the hunk is in the source
		cursor int
	}{
		{"pending a", "", "a", applied, true, 2},
		{"pending Space", "", "<Space>", applied, true, 1},
		{"pending r", "", "r", rejected, false, 2},
		{"rejected a", "rp", "a", applied, true, 2},
		{"rejected Space", "rp", "<Space>", applied, true, 1},
		{"rejected r", "rp", "r", rejected, false, 2},
		{"applied r", "ap", "r", rejected, false, 2},
		{"applied Space", "ap", "<Space>", pending, false, 1},
		{"applied a", "ap", "a", applied, true, 2},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				call := s.asked()
				s.press(row.keys + row.key)
				s.states(row.state, pending, pending)
				want := three()
				if row.in {
					want = three(1)
				}
				s.bufferIs("a.txt", want)
				s.cursorOn(row.cursor)
				s.waiting(call)
			})
		})
	}
}

// Keys act as if each had waited for the one before.
func TestTypedAhead(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("arq")
		s.see("1 undecided hunks left. Finish anyway?")
		s.press("naq")
		call.result().accepted("a.txt", true).hunks(2, 1, 0, 0)
		s.fileIs("a.txt", three(1, 3))

		s.file("b.txt", three())
		call = s.propose("b.txt", three(), three(1, 2, 3), "")
		s.shown()
		s.lua(nil, `vim.cmd('normal arr')`)
		s.states(applied, rejected, rejected)
		s.press("q")
		call.result().accepted("b.txt", true).hunks(1, 2, 0, 0)
		s.fileIs("b.txt", three(1))

		s.file("c.txt", three())
		call = s.propose("c.txt", three(), three(1, 2, 3), "")
		s.shown()
		s.lua(nil, `vim.fn.setreg('q', 'raaq')`)
		s.press("@q")
		call.result().accepted("c.txt", true).hunks(2, 1, 0, 0)
		s.fileIs("c.txt", three(2, 3))
	})
}

// q asks when something is undecided, and the question blocks nothing.
func TestQuestion(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("a")
		for _, no := range []string{"n", "<Esc>", "<C-w>p"} {
			s.press("q")
			s.see("2 undecided hunks left. Finish anyway?")
			s.until("Neovim answers", `return true`)
			s.press(no)
			s.notSee("Finish anyway?")
			s.waiting(call)
		}
		s.states(applied, pending, pending)
		s.inFile("a.txt", "")
		s.press("q")
		s.see("2 undecided hunks left. Finish anyway?")
		s.press("y")
		call.result().accepted("a.txt", true).hunks(1, 0, 2, 0)
		s.over()

		call = s.propose("a.txt", three(1), three(1, 2, 3), "")
		s.shown()
		s.press("q")
		s.see("2 undecided hunks left. Finish anyway?")
		s.press("<CR>")
		call.result().rejected("a.txt").hunks(0, 0, 2, 0)
		s.fileIs("a.txt", three(1))
	})
}

func TestMoving(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.asked()
		for _, move := range []struct {
			keys string
			hunk int
		}{
			{"n", 2}, {"]c", 3}, {"p", 2}, {"[c", 1}, {"2n", 3}, {"2[c", 1}, {"2]c", 3}, {"2p", 1}, {"jj", 0}, {"p", 1}, {"nj", 0}, {"n", 3},
		} {
			s.press(move.keys)
			if move.hunk > 0 {
				s.cursorOn(move.hunk)
			}
		}
		s.press("gga") // on no hunk: the first is meant
		s.states(applied, pending, pending)
		s.cursorOn(2)
		s.press("nk") // on the last context line of hunk 2
		s.press("r")
		s.states(applied, rejected, pending)
	})
}

// <CR> shows the hunk's place; the source stands beside the review, and follows it.
func TestSourceFollows(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.asked()
		s.press("n<CR>")
		s.inSource("a.txt", 16)
		s.press("<C-w>p")
		s.inReview()
		s.press("A")
		s.over()
	})
}

// u takes back the last decision, one after the other.
func TestUndo(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("ara")
		s.states(applied, rejected, applied)
		s.press("u")
		s.states(applied, rejected, pending)
		s.cursorOn(3)
		s.bufferIs("a.txt", three(1))
		s.press("u")
		s.states(applied, pending, pending)
		s.press("u")
		s.states(pending, pending, pending)
		s.bufferIs("a.txt", three())
		s.press("u")
		s.states(pending, pending, pending)
		s.press("A")
		call.result().accepted("a.txt", true).hunks(3, 0, 0, 0)
	})
}

func TestHelp(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		for _, keys := range []string{"?", "g?"} {
			s.press(keys)
			s.see("accept all undecided hunks")
			s.press("q")
			s.notSee("accept all undecided hunks")
			s.waiting(call)
			s.inReview()
		}
	})
}
