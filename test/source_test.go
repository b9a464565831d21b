package test

import (
	"strings"
	"testing"
)

// A state is what the text says: what the user does in the source changes the states with it.
func TestUndoInSource(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("aa")
		s.states(applied, applied, pending)
		s.inFile("a.txt", "u") // each decision is one undo step
		s.states(applied, pending, pending)
		s.bufferIs("a.txt", three(1))
		s.inFile("a.txt", "u")
		s.states(pending, pending, pending)
		s.inFile("a.txt", "<C-r><C-r>")
		s.states(applied, applied, pending)
		s.press("gg")
		s.press("r") // on the first hunk
		s.states(rejected, applied, pending)
		s.inFile("a.txt", "u")
		s.states(applied, applied, pending)
		s.inFile("a.txt", ":earlier 1f<CR>")
		s.states(rejected, pending, pending) // 1 was rejected before it was undone
		s.press("R")
		call.result().rejected("a.txt").hunks(0, 3, 0, 0)
		s.fileIs("a.txt", three())
	})
}

// A visual selection, A and R are one undo step each, and so is each single decision.
func TestOneUndoStepEach(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.asked()
		s.press("aaa")
		s.states(applied, applied, applied)
		for _, want := range []string{three(1, 2), three(1), three()} {
			s.inFile("a.txt", "u")
			s.bufferIs("a.txt", want)
		}
	})
}

// The user edits above, between and beside hunks: places move with the text, and nothing of theirs is lost.
func TestEditsAround(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.inFile("a.txt", "ggOtop<Esc>:$put ='bottom'<CR>")
		s.press("a")
		s.states(applied, pending, pending)
		s.inFile("a.txt", "/FOUR<CR>Oabove<Esc>jobelow<Esc>")
		s.press("<Space>") // hunk 2
		s.states(applied, applied, pending)
		s.press("p")
		s.cursorOn(1)
		s.press("<Space>")
		s.states(pending, applied, pending)
		s.press("<Space>nnaq")
		want := strings.Replace("top\n"+three(1, 2, 3)+"bottom\n", "FOUR\n", "above\nFOUR\nbelow\n", 1)
		call.result().accepted("a.txt", true).hunks(3, 0, 0, 0).says("+top", "+above")
		s.fileIs("a.txt", want)
	})
}

// A changed context line hinders nothing; an applied hunk that the user edited is theirs.
func TestEditedSinceApplied(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("ap")
		s.inFile("a.txt", ":3s/$/ changed<CR>:4s/$/ and five<CR>")
		for _, key := range []string{"r", "<Space>"} {
			s.press(key)
			s.see("edited")
			s.states(applied, pending, pending)
		}
		s.press("q")
		s.see("2 undecided")
		s.press("y")
		r := call.result().accepted("a.txt", true).hunks(1, 0, 2, 0).says("edited by the user", "line 3 changed")
		if h := r.Structured.Results[0]; !h.Edited || h.State != applied {
			s.t.Errorf("the hunk is applied, and edited: %+v", h)
		}
		want := strings.Replace(three(1), "FOUR", "FOUR and five", 1)
		s.fileIs("a.txt", strings.Replace(want, "line 3\n", "line 3 changed\n", 1))
	})
}

// A hunk whose lines the user has changed is in conflict when it is tried, and only that one; it is usable again when
// the text fits again.
func TestConflict(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.inFile("a.txt", ":4s/line/my line<CR>")
		s.states(pending, pending, pending)
		s.press("a")
		s.see("[CONFLICT: ")
		s.states(conflict, pending, pending)
		s.cursorOn(1)
		s.press("na")
		s.states(conflict, applied, pending)
		s.press("A") // cannot be finished: stays open on the one that does not fit
		s.states(conflict, applied, applied)
		s.cursorOn(1)
		s.waiting(call)
		s.inFile("a.txt", ":4s/my line/line<CR>")
		s.press("<Space>")
		s.states(applied, applied, applied)
		s.press("q")
		call.result().accepted("a.txt", true).hunks(3, 0, 0, 0)
		s.fileIs("a.txt", three(1, 2, 3))
	})
}

// An insertion fits only between the two lines it was proposed between.
func TestConflictOfInsertion(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.inFile("a.txt", ":15s/$/ mine<CR>")
		s.press("na")
		s.states(pending, conflict, pending)
		s.press("r")
		s.states(pending, rejected, pending)
		s.press("q")
		s.press("y")
		call.result().rejected("a.txt").hunks(0, 1, 2, 0)
	})
}

// The user wanted it, but it does not fit: that is not a person's no.
func TestAllConflictsIsStale(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.inFile("a.txt", ":%s/line/row<CR>")
		s.press("a")
		s.states(conflict, pending, pending)
		s.press("ggcit was right<Esc><CR>q")
		s.press("y")
		call.result().failed("stale_original").
			says("user accepted, but the file has changed: read it again and propose again", "On a.txt, hunk 1: it was right")
		s.fileIs("a.txt", three())
	})
}

// :e! and a formatter that replaces the whole buffer: places are found again by their text.
func TestWholeBufferReplaced(t *testing.T) {
	for name, keys := range map[string]string{
		"reload": ":e!<CR>", "filter": ":%!cat<CR>", "set lines": ":call setline(1, getline(1, '$'))<CR>",
		"put": ":let @x = join(getline(1, '$'), \"\\n\")<CR>:%d _<CR>:put! x<CR>:$d _<CR>",
	} {
		t.Run(name, func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				call := s.asked()
				if name != "reload" {
					s.press("a")
					s.states(applied, pending, pending)
					s.press("p")
				}
				s.inFile("a.txt", keys)
				if name != "reload" {
					s.press("<Space>")
				}
				s.states(pending, pending, pending)
				s.bufferIs("a.txt", three())
				s.press("raaq")
				call.result().accepted("a.txt", true).hunks(2, 1, 0, 0)
				s.fileIs("a.txt", three(2, 3))
			})
		})
	}
}

// :e! throws away what was applied and not written; then it is not applied.
func TestReloadUnapplies(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("ar")
		s.states(applied, rejected, pending)
		s.inFile("a.txt", ":e!<CR>")
		s.states(pending, rejected, pending)
		s.bufferIs("a.txt", three())
		s.press("q")
		s.press("y")
		call.result().rejected("a.txt").hunks(0, 1, 2, 0)
		s.fileIs("a.txt", three())
	})
}

// Who wants the literal rule of the original contract: Space changes the mark only, and the answer says so.
func TestToggleMarks(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.lua(nil, `vim.g.agent_diff = { arm_ms = 0, toggle_applied = 'mark' }`)
		call := s.asked()
		s.press("a")
		s.states(applied, pending, pending)
		s.press("p<Space>")
		s.states(pending, pending, pending)
		s.bufferIs("a.txt", three(1))
		s.press("q")
		s.see("3 undecided")
		s.press("y")
		r := call.result().accepted("a.txt", true).hunks(0, 0, 3, 0)
		if !r.Structured.Results[0].StillInBuffer {
			s.t.Errorf("the answer should say that the hunk is still in the buffer: %s", r.Raw)
		}
		s.fileIs("a.txt", three(1))
	})
}

// The final newline belongs to the last line's hunk, in all directions, and the file gets it as it was accepted.
func TestFinalNewline(t *testing.T) {
	texts := []struct{ name, original, modified string }{
		{"added", "one\ntwo", "one\ntwo\n"},
		{"removed", "one\ntwo\n", "one\ntwo"},
		{"kept away", "one\ntwo", "ONE\ntwo"},
		{"line added without", "one\ntwo", "one\ntwo\nthree"},
		{"line removed", "one\ntwo\nthree", "one\ntwo"},
		{"emptied", "one\n", ""},
		{"emptied without", "one", ""},
		{"filled", "", "one"},
		{"a single newline", "", "\n"},
		{"only a newline left", "one\n", "\n"},
	}
	for _, text := range texts {
		t.Run(text.name, func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				s.file("a.txt", text.original)
				s.open("a.txt")
				call := s.propose("a.txt", text.original, text.modified, "")
				s.states(pending)
				s.press("<Space>")
				s.states(applied)
				s.press("<Space>")
				s.states(pending)
				s.press("<Space>u<Space>")
				s.states(applied)
				s.press("q")
				call.result().accepted("a.txt", true).hunks(1, 0, 0, 0)
				s.fileIs("a.txt", text.modified)
				s.until("'fixeol' is as before", `return vim.bo.fixeol`)

				s.file("b.txt", text.original)
				call = s.propose("b.txt", text.original, text.modified, "")
				s.states(pending)
				s.press("arq")
				call.result().rejected("b.txt")
				s.fileIs("b.txt", text.original)
			})
		})
	}
}
