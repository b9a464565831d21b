package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rules is the user's configuration.
func (s *story) rules(text string) {
	s.t.Helper()
	s.file(filepath.Join(s.nvim.Home(), ".config", "nvim-agent-diff", "config.toml"), text)
}

// What a rule lets through is applied, saved and answered without a window, and can be taken back.
func TestLetThrough(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.rules("allow = ['*.txt']")
		s.file("a.txt", three())
		s.file("b.txt", three())
		s.open("b.txt")
		before := s.state()
		s.propose("a.txt", three(), three(1, 2, 3), "").result().accepted("a.txt", true).hunks(3, 0, 0, 0).
			says("Accepted by policy allow = \"*.txt\" (", "config.toml:1), without a review.")
		s.fileIs("a.txt", three(1, 2, 3))
		s.see("a.txt: 3 hunks applied without a review")
		s.asBefore(before, "buffers")

		s.pressed("ddP:write<CR>") // b.txt as it was
		s.propose("b.txt", three(), three(2), "").result().accepted("b.txt", true)
		s.bufferIs("b.txt", three(2))
		s.pressed("u")
		s.bufferIs("b.txt", three())
		s.pressed("<C-r>:AgentDiff undo<CR>")
		s.see("b.txt: 1 of 1 hunks taken back")
		s.bufferIs("b.txt", three())
		s.fileIs("b.txt", three())
		s.pressed(":AgentDiff undo<CR>")
		s.see("a.txt: 3 of 3 hunks taken back")
		s.fileIs("a.txt", three())
		s.pressed(":AgentDiff undo<CR>")
		s.see("no finished review to take back")

		// Who types in the file is not interrupted: what they type stays a step of its own.
		s.press("Gonew")
		s.until("the line is there", `return vim.api.nvim_get_current_line() == 'new'`)
		call := s.propose("b.txt", three(), three(1), "")
		s.propose("c.txt", "", "c\n", "").result().accepted("c.txt", true)
		s.waiting(call)
		s.pressed("<Esc>")
		call.result().accepted("b.txt", false).says("unsaved changes")
		s.bufferIs("b.txt", three(1)+"new\n")
		s.pressed("u")
		s.bufferIs("b.txt", three()+"new\n")

		// The user has undone the last one already; a file that was made goes again.
		s.pressed(":AgentDiff undo<CR>")
		s.until("c.txt is gone", `return vim.uv.fs_stat(...) == nil`, s.path("c.txt"))
	})
}

// Where not all of it can be applied, the person is asked; without a Neovim nothing is done.
func TestLetThroughAsks(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.rules("mode = 'auto_approve'\nask = ['locked']")
		s.file("a.txt", three())
		s.open("a.txt")
		s.lua(nil, `vim.bo.modifiable = false`)
		call := s.propose("a.txt", three(), three(1, 2, 3), "")
		s.see("You are asked because of hunk 1: buffer is")
		s.states(pending, pending, pending)
		s.fileIs("a.txt", three())
		s.lua(nil, `vim.bo[vim.fn.bufnr('a.txt')].modifiable = true`)
		s.press("A")
		call.result().accepted("a.txt", true).silent("without a review")

		s.file("locked", "a\n")
		call = s.propose("locked", "a\n", "b\n", "")
		s.states(pending)
		s.press("R")
		call.result().rejected("locked")

		call = s.propose(".nvim-agent-diff.toml", "", "mode = 'auto_approve'\n", "")
		s.states(pending)
		s.press("R")
		call.result().rejected(".nvim-agent-diff.toml")

		s.rules("mode = 'auto_deny'")
		s.propose("a.txt", three(1, 2, 3), three(1, 2), "").result().failed("fs_denied").says("denied by policy mode = \"auto_deny\"")
		s.rules("mode = 'auto_approve'\nmode")
		s.propose("a.txt", three(1, 2, 3), three(1, 2), "").result().failed("fs_denied").says("config.toml:2")

		s.rules("mode = 'auto_approve'")
		s.nvim.Kill()
		s.propose("a.txt", three(1, 2, 3), three(1, 2), "").result().failed("editor_unavailable")
		s.fileIs("a.txt", three(1, 2, 3))
	})
}

// A finished review is taken back as a whole: one undo step, saved again; what has changed since is named and stays.
func TestUndoFinished(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("A")
		call.result().accepted("a.txt", true)
		s.pressed(":AgentDiff undo<CR>")
		s.see("a.txt: 3 of 3 hunks taken back")
		s.fileIs("a.txt", three())
		s.pressed("u")
		s.bufferIs("a.txt", three(1, 2, 3))
		s.pressed("<C-r>")
		s.bufferIs("a.txt", three())

		call = s.proposeThree()
		s.press("aaq")
		s.press("y")
		call.result().accepted("a.txt", true)
		s.pressed("ggOtop<Esc>/FOUR<CR>ccMINE<Esc>")
		s.pressed(":AgentDiff undo<CR>")
		s.see("a.txt: 1 of 2 hunks taken back; a.txt: hunk 1: its lines")
		// What the user changed is not written with it.
		s.fileIs("a.txt", three(1, 2))
		s.until("the second hunk is taken back", `
			local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n')
			return text:find('^top\n') and text:find('\nMINE\n') and not text:find('fifteen and a half')`)

		// No final newline, CRLF, an empty file, and a file that nobody has open. What was made for a file goes with it.
		must(s.t, os.Mkdir(s.path("own"), 0o700))
		for name, texts := range map[string][2]string{
			"bare.txt": {"a\nb", "a\nc"}, "ended.txt": {"a\nb", "a\nb\n"}, "crlf.txt": {"a\r\nb\r\n", "x\r\nb\r\ny\r\n"},
			"filled.txt": {"", "x\ny\n"}, "emptied.txt": {"x\ny\n", "\n"}, "sub/deep/new.txt": {"-", "x\n"}, "own/new.txt": {"-", "x\n"},
		} {
			original := texts[0]
			if original != "-" {
				s.file(name, texts[0])
			} else {
				original = ""
			}
			call = s.propose(name, original, texts[1], "")
			s.states(pending)
			s.press("A")
			call.result().accepted(name, true)
			s.fileIs(name, texts[1])
			s.pressed(":AgentDiff undo<CR>")
			s.see(name + ": 1 of 1 hunks taken back")
			if texts[0] == "-" {
				if _, err := os.Lstat(s.path(name)); err == nil {
					s.t.Error("the file that the review made is still there")
				}
				continue
			}
			s.fileIs(name, texts[0])
		}
		if _, err := os.Lstat(s.path("sub")); err == nil {
			s.t.Error("the folders that the review made are still there")
		}
		if _, err := os.Lstat(s.path("own")); err != nil {
			s.t.Error("a folder of the user's is gone")
		}
	})
}

// A patch's review is taken back as a whole: what was deleted is there again, what was renamed has its old name.
func TestUndoFinishedPatch(t *testing.T) {
	forEachNvim(t, func(s *story) {
		files := map[string]string{"gone.txt": "a\nb\n", "old.txt": "1\n2\n3\n4\n5\n", "run.sh": "x\n", "open.txt": "o\n", "plain.txt": "p\n"}
		for name, text := range files {
			s.file(name, text)
		}
		s.open("open.txt")
		call := s.proposePatch(`diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-a
-b
diff --git a/old.txt b/dir/new.txt
rename from old.txt
rename to dir/new.txt
--- a/old.txt
+++ b/dir/new.txt
@@ -1,5 +1,5 @@
 1
-2
+two
 3
 4
 5
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/open.txt b/open.txt
deleted file mode 100644
--- a/open.txt
+++ /dev/null
@@ -1 +0,0 @@
-o
diff --git a/fresh.txt b/fresh.txt
new file mode 100644
--- /dev/null
+++ b/fresh.txt
@@ -0,0 +1 @@
+f
diff --git a/plain.txt b/plain.txt
--- a/plain.txt
+++ b/plain.txt
@@ -1 +1 @@
-p
+q
`, "")
		s.see("Progress: 0/7 applied")
		s.press("A")
		call.result().says("== plain.txt")
		s.fileIs("dir/new.txt", "1\ntwo\n3\n4\n5\n")
		s.pressed(":AgentDiff undo<CR>")
		s.see("7 of 7 hunks taken back")
		for name, text := range files {
			s.fileIs(name, text)
		}
		for _, name := range []string{"dir", "fresh.txt"} {
			if _, err := os.Lstat(s.path(name)); err == nil {
				s.t.Errorf("%s is still there", name)
			}
		}
		info, err := os.Stat(s.path("run.sh"))
		must(s.t, err)
		if info.Mode().Perm() != 0o644 {
			s.t.Errorf("the mode is %v", info.Mode())
		}
		s.bufferIs("open.txt", "o\n")
		s.until("Neovim asks nothing", `return not vim.api.nvim_get_mode().blocking`)

		// Nothing is written over.
		call = s.proposePatch("--- a/gone.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", "")
		s.states(pending)
		s.press("A")
		call.result()
		s.file("gone.txt", "mine\n")
		s.pressed(":AgentDiff undo<CR>")
		s.see("0 of 1 hunks taken back; gone.txt: hunk 1: there is a file again")
		s.fileIs("gone.txt", "mine\n")
	})
}

// At a gate too: what a rule lets through the agent writes at once, it is in the list, and can be taken back.
func TestLetThroughGate(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.rules("allow = ['a.txt']\ndeny = ['no.txt']")
		s.file("a.txt", three())
		s.file("no.txt", "x\n")
		s.open("a.txt")
		gate := func(name, old, added string) *hooked {
			args := map[string]any{"file_path": s.path(name), "old_string": old, "new_string": added}
			return s.hook("claude-code", s.inPlace(hookEvent("PreToolUse", "Edit", args)))
		}
		code, stdout, stderr := gate("a.txt", "line 4\n", "FOUR\n").end()
		if code != 0 || !strings.Contains(stdout, `"permissionDecision":"allow"`) || stderr != "" {
			s.t.Errorf("%d %s%s", code, stdout, stderr)
		}
		s.see("a.txt: 1 hunk let through without a review")
		s.fileIs("a.txt", three())
		s.file("a.txt", three(1))
		s.pressed(":AgentDiff undo<CR>")
		s.see("a.txt: 1 of 1 hunks taken back")
		s.fileIs("a.txt", three())
		s.bufferIs("a.txt", three())
		s.pressed(":AgentDiff approvals<CR>")
		s.see("a.txt  taken back, 1 hunk, by allow")

		s.press("q")

		code, stdout, stderr = gate("no.txt", "x", "y").end()
		if !strings.Contains(stdout+stderr, "denied by policy deny") || strings.Contains(stdout, `"allow"`) {
			s.t.Errorf("%d %s%s", code, stdout, stderr)
		}

		// The hook is over with the edit: what is remembered is for always.
		s.file("b.txt", "b\n")
		asked := gate("b.txt", "b", "c")
		s.see("Progress: 0/1")
		s.press("M")
		s.see("[F] always")
		s.notSee("this session")
		s.press("F")
		allowed := func(h *hooked) {
			if code, stdout, stderr := h.end(); code != 0 || !strings.Contains(stdout, `"permissionDecision":"allow"`) || stderr != "" {
				s.t.Errorf("%d %s%s", code, stdout, stderr)
			}
		}
		allowed(asked)
		allowed(gate("b.txt", "b", "d"))
	})
}
