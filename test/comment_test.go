package test

import "testing"

// Comments on a hunk and on the whole proposal are seen where they belong, can be changed and deleted, and reach the agent
// with what was rejected and with what was accepted.
func TestComments(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("cthis breaks<CR>the build<Esc><CR>")
		s.see("» this breaks")
		s.see("  the build")
		s.cursorOn(1)
		s.press("c, I think<Esc>:w<CR>") // behind what is there
		s.see("the build, I think")
		s.press("Csee issue 7<Esc><CR>")
		s.see("» see issue 7")
		s.press("nchalf a thought<Esc>q") // dropped
		s.notSee("half a thought")
		s.press("cNo.<Esc><C-w>p") // left for another window: nothing is lost
		s.see("» No.")
		s.inReview()
		s.press("ncgone<Esc><CR>")
		s.see("» gone")
		s.press("c<C-u><Esc><CR>") // an empty one is none
		s.notSee("gone")
		s.states(pending, pending, pending)

		s.press("R")
		r := call.result().hunks(0, 3, 0, 0)
		r.says(`✗ REJECTED: User explicitly declined changes to a.txt

STOP: Do NOT retry this edit as it is. The user asks for something else:
- see issue 7
- on hunk 1 (@@ -1,7 +1,7 @@): this breaks
  the build, I think
- on hunk 2 (@@ -13,6 +13,7 @@): No.
`).silent("gone", "half a thought", "deliberate")
		if r.IsError || r.Structured.Decision != "rejected" {
			s.t.Errorf("should be a rejection: %s", r.Raw)
		}
		if got := r.Structured.Comment + "|" + r.Structured.Results[0].Comment + "|" + r.Structured.Results[2].Comment; got != "see issue 7|this breaks\nthe build, I think|" {
			s.t.Errorf("the structure has the comments %q", got)
		}
		s.over()

		// With what is accepted, too; and nothing of the last review's is left.
		call = s.proposeThree()
		s.press("cgood<Esc><CR>Cwell done<Esc><CR>A")
		call.result().accepted("a.txt", true).hunks(3, 0, 0, 0).
			says("- hunk 1 (@@ -1,7 +1,7 @@): applied. Comment: good", "The user's comment: well done")
		s.over()
	})
}

// An agent that takes its proposal back does not take the pad away under a person who types in it: the next keys would act
// on the file.
func TestCommentOutlivesTyping(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("cdd")
		s.until("the person types", `return vim.fn.mode() == 'i'`)
		call.cancel()
		s.until("the review has ended", `return #require('agent_diff').reviews() == 0`)
		s.pressed("dddd")
		s.see("dddddd")
		s.press("<Esc>")
		s.over()
		s.bufferIs("a.txt", three())
		s.until("the text is not lost", `return vim.fn.getreg('"') == 'dddddd\n'`)
	})
}
