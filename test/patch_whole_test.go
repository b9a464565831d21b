package test

import (
	"os"
	"strings"
	"testing"
)

const (
	deleteIt = "*** Begin Patch\n*** Delete File: gone.txt\n*** End Patch\n"
	renameIt = "diff --git a/old.txt b/new.txt\nrename from old.txt\nrename to new.txt\n"
	editIt   = "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+ONE\n"
)

// A file that is deleted or renamed loses nothing that the person has not saved, nor what others put there.
func TestWholeLosesNothing(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("gone.txt", "one\ntwo\n")
		s.open("gone.txt")
		s.pressed("ggOmine<Esc>")
		call := s.proposePatch(deleteIt, "")
		s.see("deleted file mode")
		s.press("a")
		s.see("hunk 1: the buffer has unsaved changes")
		s.fileIs("gone.txt", "one\ntwo\n")
		s.inFile("gone.txt", ":w<CR>")
		s.press("a")
		s.see("[APPLIED]")
		s.inFile("gone.txt", "Gomore<Esc>") // typed after accepting
		s.press("q")
		call.result().failed("stale_original").says("The user accepted, but Neovim could not do it", "Nothing was changed.")
		s.fileIs("gone.txt", "mine\none\ntwo\n")
		s.bufferIs("gone.txt", "mine\none\ntwo\nmore\n")
		s.over()
		s.pressed(":w<CR>")

		call = s.proposePatch(deleteIt, "")
		s.inReview()
		s.press("a")
		s.see("[APPLIED]")
		s.file("gone.txt", "from elsewhere\n")
		s.press("q")
		call.result().failed("stale_original").says("Nothing was changed.")
		s.fileIs("gone.txt", "from elsewhere\n")
		s.over()
		s.pressed(":e!<CR>")

		// The person sees the buffer: it stays, and the agent is told.
		call = s.proposePatch(deleteIt, "")
		s.inReview()
		s.press("aq")
		r := call.result()
		if got := r.brief(); got != "gone.txt delete accepted saved applied: deleted" {
			s.t.Error(got)
		}
		r.says("The file was deleted.", "Its buffer is still open in Neovim").silent("The buffer has been updated")
		s.missing("gone.txt")
		s.bufferIs("gone.txt", "from elsewhere\n")
		s.over()
		s.noticesNothing()
		s.pressed(":enew<CR>")

		// Nobody sees it: it goes.
		s.file("gone.txt", "one\n")
		s.lua(nil, `vim.fn.bufload(vim.fn.bufadd(...))`, s.path("gone.txt"))
		s.lua(nil, `vim.bo[vim.fn.bufnr('^' .. ... .. '$')].buflisted = true`, s.path("gone.txt"))
		s.lua(nil, `vim.cmd.checktime()`)
		call = s.proposePatch(deleteIt, "")
		s.inReview()
		s.press("aq")
		call.result().says("The file was deleted.", "Its buffer in Neovim was closed.")
		s.missing("gone.txt")
		s.until("the buffer is gone", `return vim.fn.bufnr('^' .. ... .. '$') == -1`, s.path("gone.txt"))
	})
}

// A file is never moved onto another, nor into one that is open, nor out of the roots.
func TestRenameDangers(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("old.txt", "text\n")
		s.file("new.txt", "precious\n")
		s.file("b.txt", "one\n")
		call := s.proposePatch(renameIt+editIt, "")
		s.filesAre("old.txt rename: conflict", "b.txt modify: pending")
		s.press("a")
		s.press("gga")
		s.see("[CONFLICT: ")
		s.press("q")
		r := call.result()
		if got := r.brief(); got != "old.txt rename rejected conflict\nb.txt modify accepted saved applied" {
			s.t.Error(got)
		}
		r.says("in conflict, not applied: ", "new.txt exists already")
		s.fileIs("new.txt", "precious\n")
		s.fileIs("old.txt", "text\n")
		s.over()

		// It comes while the review is open, and after it was accepted.
		must(s.t, os.Remove(s.path("new.txt")))
		call = s.proposePatch(renameIt, "")
		s.inReview()
		s.press("a")
		s.see("[APPLIED]")
		s.file("new.txt", "came\n")
		s.press("q")
		call.result().failed("stale_original").says("new.txt exists already", "Nothing was changed.")
		s.fileIs("new.txt", "came\n")
		s.fileIs("old.txt", "text\n")
		s.over()
		must(s.t, os.Remove(s.path("new.txt")))

		s.open("new.txt")
		s.pressed("iunsaved<Esc>")
		call = s.proposePatch(renameIt, "")
		s.inReview()
		s.press("a")
		s.see("hunk 1: a buffer for new.txt is open")
		s.press("q")
		call.result().failed("stale_original").says("a buffer for")
		s.bufferIs("new.txt", "unsaved\n")
		s.over()
		s.pressed(":bw!<CR>")

		outside := s.t.TempDir()
		must(s.t, os.Symlink(outside, s.path("link")))
		for _, to := range []string{"../x", "/tmp/x", "link/x"} {
			s.proposePatch(strings.ReplaceAll(renameIt, "new.txt", to), "").result().
				failed("PathNotInSandboxError").says("Nothing was changed.")
		}
		s.proposePatch(strings.ReplaceAll(renameIt, "old.txt", "../x"), "").result().failed("PathNotInSandboxError")
		must(s.t, os.Symlink("old.txt", s.path("soft")))
		for _, c := range []string{renameIt, deleteIt} {
			c = strings.NewReplacer("old.txt", "soft", "gone.txt", "soft").Replace(c)
			s.proposePatch(c, "").result().failed("tool_failed").says("is a symbolic link")
		}
		s.file("dir/x", "")
		s.proposePatch(strings.ReplaceAll(renameIt, "new.txt", "dir"), "").result().failed("tool_failed").says("is a directory")
		s.proposePatch(strings.ReplaceAll(renameIt, "new.txt", "b.txt/x"), "").result().failed("tool_failed")
		s.fileIs("old.txt", "text\n")
	})
}

// What is only noted can be taken back, and an end that is no decision does nothing.
func TestWholeIsDoneAtTheEnd(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("old.txt", "text\n")
		s.file("gone.txt", "one\n")
		both := renameIt + "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"
		as := func(first, second string) {
			t.Helper()
			s.filesAre("old.txt rename: "+first, "gone.txt delete: "+second)
		}
		untouched := func() {
			t.Helper()
			s.fileIs("old.txt", "text\n")
			s.fileIs("gone.txt", "one\n")
			s.missing("new.txt")
		}
		call := s.proposePatch(both, "")
		as(pending, pending)
		for _, step := range []struct{ keys, first, second string }{
			{"aa", applied, applied},
			{"u", applied, pending},
			{"<Space>", applied, applied},
			{"<Space>", applied, pending},
			{"a", applied, applied},
			{"r", applied, rejected},
			{"p<Space>", pending, rejected},
			{"gr", rejected, rejected},
			{"u", pending, rejected},
			{"ga", applied, rejected},
		} {
			s.pressed(step.keys)
			as(step.first, step.second)
		}
		untouched()
		s.press("R")
		call.result().says("✗ REJECTED: User explicitly declined changes to old.txt")
		untouched()
		s.over()

		call = s.proposePatch(both, "")
		as(pending, pending)
		s.press("aa")
		as(applied, applied)
		call.cancel()
		s.over()
		untouched()

		s.lua(nil, `require('agent_diff').setup({ arm_ms = 0, save = 'never' })`)
		call = s.proposePatch(both, "")
		as(pending, pending)
		s.press("a")
		s.see("[CONFLICT: the option save is 'never")
		s.press("q")
		s.press("y")
		call.result().failed("stale_original").says("the option save is 'never'")
		untouched()
		s.over()

		s.lua(nil, `require('agent_diff').setup({ arm_ms = 0, save = 'auto' })`)
		call = s.proposePatch(both, "")
		as(pending, pending)
		s.press("aa")
		as(applied, applied)
		_ = s.nvim.Lua(nil, `vim.cmd.qall()`)
		call.result().says("never saved and are lost").silent("was deleted", "was renamed")
		untouched()
	})
}

// A new file that is empty is a change, whichever tool wants it.
func TestEmptyFile(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.propose("made/empty", "", "", "a mark")
		s.see("new file mode 100644")
		s.missing("made")
		s.press("a")
		s.see("[APPLIED]")
		s.missing("made")
		s.press("q")
		r := call.result()
		if r.IsError || r.Structured.Decision != "accepted" || !r.Structured.Saved || r.Structured.Hunks.Applied != 1 {
			s.t.Errorf("%s %s", r.Text, r.Raw)
		}
		r.says("✓ Changes accepted and applied to made/empty\n\nThe file was created.\n")
		s.fileIs("made/empty", "")
		s.over()

		call = s.agent.call("write_file", map[string]any{"path": "again/empty", "content": ""})
		s.see("new file mode 100644")
		s.press("r")
		s.see("[REJECTED]")
		s.press("q")
		call.result().says("✗ REJECTED: User explicitly declined changes to again/empty")
		s.missing("again")
		s.over()

		s.agent.call("write_file", map[string]any{"path": "made/empty", "content": ""}).result().failed("nothing_to_change")
	})
}

// One file's buffer is closed during the review: it is decided by its disk, and the others as ever.
func TestPatchOfClosedBuffer(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", "one\n")
		s.file("b.txt", "one\n")
		s.open("b.txt")
		call := s.proposePatch(strings.ReplaceAll(editIt, "b.txt", "a.txt")+editIt, "")
		s.filesAre("a.txt modify: pending", "b.txt modify: pending")
		s.press("aa")
		s.filesAre("a.txt modify: applied", "b.txt modify: applied")
		s.lua(nil, `vim.api.nvim_buf_delete(vim.fn.bufnr('^' .. ... .. '$'), { force = true })`, s.path("a.txt"))
		r := call.result()
		if got := r.brief(); got != "a.txt modify rejected pending\nb.txt modify accepted saved applied" {
			s.t.Error(got)
		}
		r.says("The buffer of the file was closed during the review")
		s.fileIs("a.txt", "one\n")
		s.fileIs("b.txt", "ONE\n")
	})
}

// What a patch wants and the files have already, what has no place, and what cannot be read.
func TestPatchErrors(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", "a line long enough to be known\n")
		s.file("b.txt", "one\n")
		s.file("c.txt", "other\n")
		s.file("bin", "\x00\x01")
		of := func(name string) string { return strings.ReplaceAll(editIt, "b.txt", name) }

		already := "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-it was shorter\n+a line long enough to be known\n"
		call := s.proposePatch(already+editIt+of("c.txt")+of("missing.txt"), "")
		s.see("Note: a.txt already holds what the patch wants.")
		s.filesAre("b.txt modify: pending", "c.txt modify: conflict", "missing.txt modify: conflict")
		s.see("[CONFLICT: its lines are not in the file]")
		s.see("[CONFLICT: the file does not exist]")
		s.press("A") // stays open on what cannot be applied
		s.filesAre("b.txt modify: applied", "c.txt modify: conflict", "missing.txt modify: conflict")
		s.press("q")
		r := call.result()
		if got := r.brief(); got != "b.txt modify accepted saved applied\nc.txt modify rejected conflict\nmissing.txt modify rejected conflict" {
			s.t.Error(got)
		}
		r.says("a.txt already holds what the patch wants.")
		s.fileIs("c.txt", "other\n")
		s.missing("missing.txt")
		s.over()

		for _, c := range []struct{ patch, code, says string }{
			{already, "nothing_to_change", "a.txt already holds"},
			{of("c.txt"), "stale_original", "Read the file again"},
			{of("missing.txt"), "stale_original", "the file does not exist."},
			{"", "invalid_args", `Line 1 of the patch`},
			{"hello\nworld\n", "invalid_args", "no change of a file was found"},
			{editIt + "--- " + s.path("b.txt") + "\n+++ " + s.path("b.txt") + "\n@@ -1 +1 @@\n-one\n+TWO\n", "invalid_args", "are the same file"},
			{of("bin"), "tool_failed", "is a binary file"},
			{of("../b.txt"), "PathNotInSandboxError", ""},
			{"diff --git a/i b/i\nGIT binary patch\nliteral 0\n", "tool_failed", "binary"},
		} {
			r := s.proposePatch(c.patch, "").result().failed(c.code).says("Nothing was changed.")
			if !strings.Contains(r.Text, c.says) {
				s.t.Errorf("%q should say %q: %s", c.patch, c.says, r.Text)
			}
		}
		s.reviews(0)
	})
}

// The buffer of a renamed file follows it, however Neovim has it, and nothing else does.
func TestRenamedBuffer(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("other.txt", "other\n")
		for _, c := range []struct{ name, before, after string }{
			{"in no buffer", ``, `return vim.fn.bufnr('^' .. new .. '$') == -1`},
			{"listed", `vim.bo[vim.fn.bufadd(old)].buflisted = true`, `
				local buf = vim.fn.bufnr('^' .. new .. '$')
				return buf > 0 and vim.fn.buflisted(buf) == 1 and vim.fn.bufloaded(buf) == 0`},
			{"hidden", `vim.fn.bufload(vim.fn.bufadd(old))`, `return vim.fn.bufloaded(vim.fn.bufnr('^' .. new .. '$')) == 1`},
			{"shown twice, and an old name is taken", `
				vim.fn.bufadd(new)
				vim.cmd.edit(old)
				vim.cmd.split()`, `
				local wins = vim.fn.win_findbuf(vim.fn.bufnr('^' .. new .. '$'))
				vim.cmd.only()
				return #wins == 2 and vim.fn.bufname() == 'new.txt' and vim.fn.bufname('#') == 'other.txt'`},
		} {
			s.file("old.txt", "text\n")
			s.open("other.txt")
			chunk := func(body string) string { return "local old, new = ... " + body }
			s.lua(nil, chunk(c.before), s.path("old.txt"), s.path("new.txt"))
			call := s.proposePatch(renameIt, "")
			s.inReview()
			s.press("aq")
			if got := call.result().brief(); got != "old.txt rename accepted saved applied: renamed to new.txt" {
				s.t.Errorf("%s: %s", c.name, got)
			}
			s.over()
			s.missing("old.txt")
			s.until(c.name, chunk(c.after), s.path("old.txt"), s.path("new.txt"))
			s.until(c.name+": the old name is in no buffer", chunk(`return vim.fn.bufnr('^' .. old .. '$') == -1`), s.path("old.txt"), s.path("new.txt"))
			s.noticesNothing()
			s.lua(nil, chunk(`
				vim.cmd.edit(new)
				vim.cmd.normal({ 'Amore', bang = true })
				vim.cmd.write() -- no question, no bang
				vim.cmd.edit('other.txt')
				vim.cmd('bwipeout #')`), s.path("old.txt"), s.path("new.txt"))
			s.fileIs("new.txt", "textmore\n")
			must(s.t, os.Remove(s.path("new.txt")))
		}

		// A name that is an expression, a register, a pattern and two lines to others.
		const odd = "%#`echo x`$HOME|ü *\n~.txt"
		s.file("old.txt", "text\n")
		s.open("old.txt")
		call := s.proposePatch("diff --git a/old.txt \"b/%#`echo x`$HOME|\\303\\274 *\\n~.txt\"\n"+
			"rename from old.txt\nrename to \"%#`echo x`$HOME|\\303\\274 *\\n~.txt\"\n", "")
		s.inReview()
		s.press("aq")
		call.result().says("The file was renamed to \"%#`echo x`$HOME|ü *\\n~.txt\".")
		s.over()
		s.fileIs(odd, "text\n")
		s.until("the buffer has the odd name", `return vim.api.nvim_buf_get_name(0) == ...`, s.path(odd))
	})
}

// Another proposal for the file's new name waits until it is known whether the file goes there.
func TestRenameIsWaitedFor(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("old.txt", "text\n")
		first := s.proposePatch(renameIt, "first")
		s.inReview()
		second := s.agent.propose("new.txt", "text\n", "TEXT\n", "second")
		s.reviews(2)
		s.until("the second has no hunks yet", `return require('agent_diff').reviews()[2].total == 0`)
		s.press("aq")
		first.result().says("The file was renamed to new.txt.")
		s.see("Description: second")
		s.press("aq")
		second.result().accepted("new.txt", true)
		s.fileIs("new.txt", "TEXT\n")
	})
}
