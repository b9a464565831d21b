package test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const (
	partOld = "package p\n\nfunc a() {\n\tone()\n\ttwo()\n\tthree()\n\tfour()\n}\n"
	partNew = "package p\n\nfunc a() {\n\tONE()\n\ttwo()\n\tTHREE()\n\tFOUR()\n\tfive()\n}\n"
)

// hunks waits until the shown review's hunks are in these states, and the review says so everywhere.
func (s *story) hunks(want ...string) {
	s.t.Helper()
	s.until(fmt.Sprint("hunks are ", want), `
		local want = ...
		local review = require('agent_diff').reviews()[1]
		if not review or not require('agent_diff.queue').shown then return false end
		local got, count = {}, { applied = 0, rejected = 0, pending = 0, conflict = 0 }
		local d = vim.b[review.bufnr].agent_diff
		for i, hunk in ipairs(d.hunks) do
			got[i] = hunk.state
			count[hunk.state] = count[hunk.state] + 1
			if hunk.index ~= i then return false end
		end
		for state, n in pairs(count) do
			if d[state] ~= n then return false end
		end
		local progress = ('Progress: %d/%d applied, %d rejected, %d pending'):format(count.applied, #got, count.rejected, count.pending)
		local text = table.concat(vim.api.nvim_buf_get_lines(review.bufnr, 0, -1, true), '\n')
		return d.total == #got and vim.deep_equal(got, want) and text:find(progress, 1, true) ~= nil`, want)
}

// applies: git apply takes what the review shows, and it makes this of the file.
func (s *story) applies(name, old, want string) {
	s.t.Helper()
	var text string
	s.lua(&text, `
		local text = table.concat(vim.api.nvim_buf_get_lines(require('agent_diff').reviews()[1].bufnr, 0, -1, true), '\n') .. '\n'
		return text:sub(text:find('--- ', 1, true), -1)`)
	dir := s.t.TempDir()
	must(s.t, os.WriteFile(dir+"/"+name, []byte(old), 0o644))
	git := exec.Command("git", "apply", "-")
	git.Dir, git.Stdin = dir, strings.NewReader(text)
	if out, err := git.CombinedOutput(); err != nil {
		s.t.Fatalf("git apply: %v\n%s\n%s", err, out, text)
	}
	got, err := os.ReadFile(dir + "/" + name)
	must(s.t, err)
	if string(got) != want {
		s.t.Errorf("git apply makes\n%s\nof\n%s", got, text)
	}
}

func (s *story) proposePart() *call {
	s.t.Helper()
	s.file("a.go", partOld)
	s.open("a.go")
	c := s.propose("a.go", partOld, partNew, "louder")
	s.see("Progress: 0/1 applied")
	return c
}

// What edit_file counts is what was applied of a divided hunk.
func TestSplitReplacements(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", "foo 1\nx\nfoo 2\ny\nfoo 3\n")
		s.open("a.txt")
		s.agent = s.another()
		call := s.agent.call("edit_file", map[string]any{
			"path": s.path("a.txt"), "old_string": "foo", "new_string": "bar", "replace_all": true,
		})
		s.see("Progress: 0/1 applied")
		s.press("srraq")
		if r := call.result().accepted(s.path("a.txt"), true); !strings.Contains(string(r.Raw), `"replacements_made":1,"lines_changed":1`) {
			s.t.Errorf("one of three is replaced: %s", r.Raw)
		}
		s.fileIs("a.txt", "foo 1\nx\nfoo 2\ny\nbar 3\n")
	})
}

// A hunk is split into its changes; keys typed ahead find the parts, `u` takes back one thing after the other.
func TestSplit(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.proposePart()
		s.press("sar")
		s.hunks(applied, rejected)
		s.bufferIs("a.go", strings.Replace(partOld, "one()", "ONE()", 1))
		s.applies("a.go", partOld, partNew)
		s.press("u")
		s.hunks(applied, pending)
		s.press("uu")
		s.hunks(pending)
		s.bufferIs("a.go", partOld)
		s.press("as") // what is applied stays so in its parts
		s.hunks(applied, applied)
		s.press("s")
		s.see("this hunk cannot be split further")
		s.press("r")
		s.hunks(rejected, applied)
		s.bufferIs("a.go", strings.Replace(partNew, "ONE()", "one()", 1))
		s.press("uu")
		s.hunks(applied)
		s.press("u")
		s.hunks(pending)
		s.press(":normal sar<CR>")
		s.hunks(applied, rejected)
		s.press("q")
		want := strings.Replace(partOld, "one()", "ONE()", 1)
		r := call.result().accepted("a.go", true).hunks(1, 1, 0, 0).says("a part of a proposed hunk", "-\tone()\n+\tONE()")
		if !r.Structured.Results[0].Partial || !r.Structured.Results[1].Partial {
			s.t.Errorf("both are parts: %s", r.Raw)
		}
		s.fileIs("a.go", want)
		s.over()

		// All parts applied is the whole.
		s.file("a.go", partOld)
		s.lua(nil, `vim.cmd('edit! a.go')`)
		call = s.proposePart()
		s.press("saaq")
		call.result().accepted("a.go", true).hunks(2, 0, 0, 0).silent("a part of", "@@")
	})
}

// Only the selected lines are decided; the rest stays.
func TestSelectedLines(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.proposePart()
		s.press("/+.five<CR>Va")
		s.hunks(pending, applied)
		five := strings.Replace(partOld, "\tfour()\n", "\tfour()\n\tfive()\n", 1)
		s.bufferIs("a.go", five)
		s.applies("a.go", partOld, partNew)
		s.see("┄┄ part @@ -5,4 +5,5 @@")
		s.press("u")
		s.hunks(pending)
		s.bufferIs("a.go", partOld)

		// A removed line without its new text, a context line and the rest.
		s.press("/-.three<CR>Vjr") // -three, -four
		s.hunks(pending, rejected, pending)
		s.press("/-.one<CR>Vja") // all of the first part
		s.hunks(applied, rejected, pending)
		s.bufferIs("a.go", strings.Replace(partOld, "one()", "ONE()", 1))
		s.applies("a.go", partOld, partNew)
		s.press("uu")
		s.hunks(pending)
		s.bufferIs("a.go", partOld)

		// In what is applied, `r` takes the selected lines back, as one step.
		s.press("a")
		s.hunks(applied)
		s.press("/+.five<CR>Vr")
		s.hunks(applied, rejected)
		s.bufferIs("a.go", strings.Replace(partNew, "\tfive()\n", "", 1))
		s.inFile("a.go", "u")
		s.hunks(applied, applied)
		s.bufferIs("a.go", partNew)
		s.inFile("a.go", "<C-r>")
		s.hunks(applied, rejected)
		s.press("u")
		s.hunks(applied)
		s.press("u")
		s.hunks(pending)

		s.press("ggVGa") // everything is everything
		s.hunks(applied)
		s.press("ugg")
		s.hunks(pending)
		s.press("Vja") // nothing
		s.see("no changed line is selected")
		s.press("/+.THREE<CR>Vja")
		s.hunks(pending, applied, pending)
		s.press("qy")
		call.result().accepted("a.go", true).hunks(1, 0, 2, 0).says("a part of a proposed hunk", "+\tTHREE()\n+\tFOUR()\n")
		s.fileIs("a.go", strings.Replace(partOld, "\tfour()\n", "\tfour()\n\tTHREE()\n\tFOUR()\n", 1))
	})
}

// The person's own version of a hunk.
func TestEditHunk(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("e")
		s.see("New text of hunk 1")
		s.press("ccVIER<CR>und mehr<Esc><Esc>") // dropped
		s.states(pending, pending, pending)
		s.bufferIs("a.txt", three())
		s.press("eccVIER<CR>und mehr<Esc><CR>")
		s.states(applied, pending, pending)
		mine := strings.Replace(three(1), "FOUR\n", "VIER\nund mehr\n", 1)
		s.bufferIs("a.txt", mine)
		s.see("+VIER")
		s.applies("a.txt", three(), strings.Replace(three(1, 2, 3), "FOUR\n", "VIER\nund mehr\n", 1))
		s.cursorOn(2)
		s.press("u")
		s.states(pending, pending, pending)
		s.bufferIs("a.txt", three())
		s.see("+FOUR")

		// Of what is applied, too; and back.
		s.press("ggna")
		s.states(applied, pending, pending)
		s.press("pe")
		s.see("New text of hunk 1")
		s.press("ccVIER<Esc>:w<CR>")
		s.states(applied, pending, pending)
		s.bufferIs("a.txt", strings.Replace(three(1), "FOUR", "VIER", 1))
		s.press("u")
		s.states(applied, pending, pending)
		s.bufferIs("a.txt", three(1))

		// What is written in a window that goes away is not lost.
		s.press("eccHALF<Esc><C-w>p")
		s.pressed("gl")
		s.until("the text is not lost", `return vim.fn.getreg('"') == 'HALF\n'`)
		s.press(":AgentDiff<CR>")
		s.states(applied, pending, pending)

		// A deletion that is kept in part, and a text that is none.
		s.press("Gedd<CR>") // nothing instead of nothing: as proposed
		s.states(applied, pending, applied)
		s.press("u")
		s.press("Geiline 27<Esc><CR>")
		s.see("reject the hunk instead")
		s.press("Aa<Esc><CR>")
		s.states(applied, pending, applied)
		s.press("gg2nedd<CR>") // of an insertion, nothing is left
		s.see("reject the hunk instead")
		s.press("<Esc>rq")
		r := call.result().accepted("a.txt", true).hunks(2, 1, 0, 0).says("hunk 3", "applied, edited by the user", "+line 27a")
		if got := r.Structured.Results; got[0].Edited || !got[2].Edited {
			s.t.Errorf("only the third is the user's: %s", r.Raw)
		}
		s.fileIs("a.txt", strings.Replace(three(1), "line 27\n", "line 27a\n", 1))
	})
}

// When the agent's server does not answer, nothing is cut, and its answer when it is late changes nothing.
func TestLateCut(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.proposePart()
		goOn := s.agent.stop()
		s.press("s")
		s.see("the agent does not answer: nothing was changed")
		s.hunks(pending)
		goOn()
		s.press("sa")
		s.hunks(applied, pending)
		s.press("uu")
		s.hunks(pending)
		s.press("A")
		call.result().accepted("a.go", true).hunks(1, 0, 0, 0)
		s.fileIs("a.go", partNew)
	})
}

// Side by side, a selected line is what stands on both sides.
func TestPartsSideBySide(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", "one\ntwo\nthree\n")
		s.open("a.txt")
		call := s.propose("a.txt", "one\ntwo\nthree\n", "one 1\ntwo 2\nthree 3\n", "")
		s.see("+three 3")
		s.press("<Tab>")
		s.notSee("+three 3")
		s.press("/two<CR>Va")
		s.hunks(pending, applied, pending)
		s.bufferIs("a.txt", "one\ntwo 2\nthree\n")
		s.press("/two<CR>yih")
		s.until("the part is yanked", `return vim.fn.getreg('"') == 'two\n'`)
		s.press("cno<Esc><CR>")
		s.see("» no")
		s.press("u")
		s.hunks(pending)
		s.press("eggdd<CR>")
		s.hunks(applied)
		s.bufferIs("a.txt", "two 2\nthree 3\n")
		s.press("q")
		call.result().accepted("a.txt", true).hunks(1, 0, 0, 0).says("edited by the user. Comment: no")
	})
}

// What has no place in the file, or was edited there, is not cut, and that is said; nothing is lost by trying.
func TestWhatCannotBeCut(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", strings.Replace(three(), "line 15\n", "fünfzehn\n", 1))
		s.open("a.txt")
		call := s.propose("a.txt", three(), three(1, 2, 3), "")
		s.states(pending, conflict, pending)
		s.press("gg2ne")
		s.see("this hunk has no place in the file, so it cannot be edited")
		s.press("s")
		s.see("this hunk cannot be split further")
		s.states(pending, conflict, pending)
		s.inFile("a.txt", ":4s/line/my line<CR>")
		s.press("gg/-line 4<CR>Va")
		s.see("its lines were edited since")
		s.states(pending, conflict, pending)
		s.press("gge")
		s.see("New text of hunk 1")
		s.press("ccIV<Esc><CR>")
		s.see("its lines were edited")
		s.press("<Esc>")
		s.states(pending, conflict, pending)
		s.inFile("a.txt", "u")
		s.press("gg/-line 4<CR>Va")
		s.until("the line is gone", `return vim.deep_equal(vim.b.agent_diff.applied, 1)`)
		s.bufferIs("a.txt", strings.NewReplacer("line 15\n", "fünfzehn\n", "line 4\n", "").Replace(three()))
		s.press("qy")
		call.result().accepted("a.txt", true).hunks(1, 0, 2, 1)
	})
}

// Parts, versions and comments in a review of several files; what happens to a file as a whole is not divided.
func TestPartsOfManyFiles(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", "one\n")
		s.file("b.go", partOld)
		patch := "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+ONE\n" +
			"diff --git a/c.txt b/c.txt\nnew file mode 100644\n--- /dev/null\n+++ b/c.txt\n@@ -0,0 +1,2 @@\n+c\n+d\n" +
			"--- a/b.go\n+++ b/b.go\n@@ -3,6 +3,7 @@\n func a() {\n-\tone()\n+\tONE()\n \ttwo()\n-\tthree()\n-\tfour()\n+\tTHREE()\n+\tFOUR()\n+\tfive()\n }\n"
		call := s.proposePatch(patch, "louder")
		s.filesAre("a.txt modify: pending", "c.txt create: pending", "b.go modify: pending")
		s.press("gg2ns")
		s.see("what happens to a file as a whole cannot be divided")
		s.press("ns")
		s.filesAre("a.txt modify: pending", "c.txt create: pending", "b.go modify: pending pending")
		s.press("cin b<Esc><CR>")
		s.see("» in b")
		s.press("a/+.five<CR>Va")
		s.filesAre("a.txt modify: pending", "c.txt create: pending", "b.go modify: applied pending applied")
		s.press("ggneccmine<Esc><CR>")
		s.filesAre("a.txt modify: applied", "c.txt create: pending", "b.go modify: applied pending applied")
		s.press("qy")
		r := call.result()
		want := "a.txt modify accepted saved applied\nc.txt create rejected pending\nb.go modify accepted saved applied pending applied"
		if got := r.brief(); got != want {
			s.t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		r.says("applied, a part of a proposed hunk. Comment: in b", "applied, edited by the user", "+mine")
		s.fileIs("a.txt", "mine\n")
		s.fileIs("b.go", strings.NewReplacer("one()", "ONE()", "\tfour()\n", "\tfour()\n\tfive()\n").Replace(partOld))
	})
}
