package test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// proposePatch is the agent proposing a patch.
func (s *story) proposePatch(patch, description string) *call {
	s.t.Helper()
	if s.agent == nil {
		s.agent = s.another()
	}
	c := s.agent.call("propose_patch", map[string]any{"patch": patch, "description": description})
	s.calls = append(s.calls, c)
	return c
}

// ofFiles is what propose_patch says of each file.
func (r *result) ofFiles() (files []struct {
	structured
	Kind string
	Done []string
},
) {
	r.t.Helper()
	var body struct {
		Message  string
		Decision string
		Files    json.RawMessage
	}
	if r.IsError || r.Raw == nil {
		r.t.Fatalf("no decision: %s%s", r.Text, r.Protocol)
	}
	must(r.t, json.Unmarshal(r.Raw, &body))
	must(r.t, json.Unmarshal(body.Files, &files))
	decision := "rejected"
	for _, f := range files {
		if f.Decision == "accepted" {
			decision = "accepted"
		}
		if !strings.Contains(r.Text, "== "+f.Path+"\n"+f.Message) {
			r.t.Errorf("the text should have this below the file's name:\n%s\n%s", f.Message, r.Text)
		}
	}
	if body.Decision != decision || body.Message != r.Text {
		r.t.Errorf("should be %s, with the text as its message: %s", decision, r.Raw)
	}
	return files
}

// outcome is what propose_patch says of all files, briefly.
func (r *result) brief() string {
	r.t.Helper()
	var all []string
	for _, f := range r.ofFiles() {
		line := fmt.Sprintf("%s %s %s", f.Path, f.Kind, f.Decision)
		if f.Saved {
			line += " saved"
		}
		for _, h := range f.Results {
			line += " " + h.State
		}
		if len(f.Done) > 0 {
			line += ": " + strings.Join(f.Done, ", ")
		}
		all = append(all, line)
	}
	return strings.Join(all, "\n")
}

// filesAre waits until the review's files and hunks are such: "NAME KIND: STATE STATE ..." for each file.
func (s *story) filesAre(want ...string) {
	s.t.Helper()
	const seen = `
		local there, agent_diff = pcall(require, 'agent_diff')
		local review = there and agent_diff.reviews()[1]
		if not review or not require('agent_diff.queue').shown or not review.files then return nil end
		local d, at, list = vim.b[review.bufnr].agent_diff, 0, {}
		for _, file in ipairs(d.files) do
			local line = file.path:sub(#vim.fn.getcwd() + 2) .. ' ' .. file.kind .. ':'
			local count = { applied = 0, rejected = 0, pending = 0, conflict = 0 }
			for i = at + 1, at + file.total do
				line = line .. ' ' .. d.hunks[i].state
				count[d.hunks[i].state] = count[d.hunks[i].state] + 1
			end
			at = at + file.total
			for state, n in pairs(count) do
				if file[state] ~= n then line = line .. ' but counts ' .. file[state] .. ' ' .. state end
			end
			list[#list + 1] = line
		end
		return list`
	if err := s.nvim.Until(patience, fmt.Sprint("the files are ", want), "local want = ... local function seen() "+seen+" end return vim.deep_equal(seen(), want)", want); err != nil {
		var got any
		s.lua(&got, seen)
		s.t.Fatalf("%v\nwant %q\n got %q", err, want, got)
	}
}

// at waits until the cursor is in a line of the review that says this, and its file is the current one everywhere.
func (s *story) at(line, name string) {
	s.t.Helper()
	s.until(fmt.Sprintf("the cursor is on %q, and the source is %s", line, name), `
		local line, path = ...
		local d = vim.b.agent_diff
		if vim.fn.getline('.') ~= line or not d or d.path ~= path then return false end
		for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
			if vim.api.nvim_win_get_buf(win) == d.source_bufnr and vim.api.nvim_buf_get_name(d.source_bufnr) == path then return true end
		end
		return false`, line, s.path(name))
}

// missing: the disk does not have this file.
func (s *story) missing(names ...string) {
	s.t.Helper()
	for _, name := range names {
		if _, err := os.Lstat(s.path(name)); !errors.Is(err, fs.ErrNotExist) {
			s.t.Errorf("%s is there (%v)", name, err)
		}
	}
}

// program: whether the file can be run.
func (s *story) program(name string, want bool) {
	s.t.Helper()
	info, err := os.Stat(s.path(name))
	must(s.t, err)
	if got := info.Mode()&0o111 != 0; got != want {
		s.t.Errorf("%s has mode %v", name, info.Mode())
	}
}

// noticesNothing: Neovim has nothing to say about the files on the disk.
func (s *story) noticesNothing() {
	s.t.Helper()
	var said string
	s.lua(&said, `vim.cmd('messages clear | checktime') return vim.fn.execute('messages')`)
	if said != "" {
		s.t.Errorf("Neovim says %q", said)
	}
}

// everything has each thing that a patch can do to a file.
const everything = `diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,7 +1,7 @@
 line 1
 line 2
 line 3
-line 4
+FOUR
 line 5
 line 6
 line 7
@@ -24,7 +24,6 @@
 line 24
 line 25
 line 26
-line 27
 line 28
 line 29
 line 30
diff --git a/made/new.sh b/made/new.sh
new file mode 100755
--- /dev/null
+++ b/made/new.sh
@@ -0,0 +1,2 @@
+#!/bin/sh
+true
diff --git a/made/empty b/made/empty
new file mode 100644
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-one
-two
diff --git a/old.txt b/moved/to.txt
rename from old.txt
rename to moved/to.txt
--- a/old.txt
+++ b/moved/to.txt
@@ -1,2 +1,2 @@
-here
+there
 and
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
`

// before lays what the patch is about.
func (s *story) before() {
	s.t.Helper()
	s.file("a.txt", three())
	s.file("gone.txt", "one\ntwo\n")
	s.file("old.txt", "here\nand\n")
	s.file("run.sh", "true\n")
}

// Several files in one sitting: each decision where it belongs, nothing on the disk before the end, and then just what was
// accepted.
func TestPatch(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.before()
		s.open("run.sh")
		s.open("old.txt")
		call := s.proposePatch(everything, "tidy up")
		s.see("Agent proposes changes to: 6 files")
		s.filesAre("a.txt modify: pending pending", "made/new.sh create: pending", "made/empty create: pending",
			"gone.txt delete: pending", "old.txt rename: pending pending", "run.sh modify: pending")
		s.at("@@ -1,7 +1,7 @@", "a.txt")
		s.press("a")
		s.at("@@ -24,7 +24,6 @@", "a.txt")
		s.press("ra")
		s.at("new file mode 100644", "made/empty")
		s.press("aa")
		s.at("rename to moved/to.txt", "old.txt")
		s.press("3[f")
		s.at("diff --git a/made/empty b/made/empty", "made/empty")
		s.press("2]f")
		s.at("diff --git a/old.txt b/moved/to.txt", "old.txt")
		s.press("ga")
		s.at("new mode 100755", "run.sh")
		s.press("a")
		s.filesAre("a.txt modify: applied rejected", "made/new.sh create: applied", "made/empty create: applied",
			"gone.txt delete: applied", "old.txt rename: applied applied", "run.sh modify: applied")
		s.fileIs("gone.txt", "one\ntwo\n")
		s.missing("made", "moved")
		s.waiting(call)

		s.press("q")
		r := call.result()
		want := `a.txt modify accepted saved applied rejected
made/new.sh create accepted saved applied: created
made/empty create accepted saved applied: created
gone.txt delete accepted saved applied: deleted
old.txt rename accepted saved applied applied: renamed to moved/to.txt
run.sh modify accepted saved applied: mode now 100755`
		if got := r.brief(); got != want {
			s.t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		r.says("The file was deleted.", "Its mode is now 100755.", "- hunk 2 (@@ -24,7 +24,6 @@): rejected")
		s.fileIs("a.txt", three(1))
		s.fileIs("made/new.sh", "#!/bin/sh\ntrue\n")
		s.program("made/new.sh", true)
		s.fileIs("made/empty", "")
		s.missing("gone.txt", "old.txt")
		s.fileIs("moved/to.txt", "there\nand\n")
		s.program("run.sh", true)
		s.over()
		// The person's buffer has followed its file, and is written there without a question.
		s.until("the buffer has the new name", `return vim.api.nvim_buf_get_name(0) == ...`, s.path("moved/to.txt"))
		s.pressed("Gofine<Esc>:w<CR>")
		s.fileIs("moved/to.txt", "there\nand\nfine\n")
		s.until("no other buffer is left", `return #vim.fn.getbufinfo({ buflisted = 1 }) == 2 and not vim.bo.modified`)
		s.noticesNothing()
	})
}

// The text of the review is a patch that git and patch take as it is.
func TestPatchText(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.before()
		call := s.proposePatch(everything, "")
		s.inReview()
		var text []string
		s.lua(&text, `return vim.api.nvim_buf_get_lines(0, 0, -1, true)`)
		from := slices.IndexFunc(text, func(line string) bool { return strings.HasPrefix(line, "diff --git ") })
		names := slices.IndexFunc(text, func(line string) bool { return strings.HasPrefix(line, "--- ") })
		for _, c := range []struct {
			first   int
			command []string
		}{
			{from, []string{"git", "apply"}},
			{from, []string{"patch", "-p1", "-s"}},
			{names, []string{"git", "apply"}},
			{names, []string{"patch", "-p1", "-s"}},
		} {
			copied := &story{t: s.t, dir: project(s.t)}
			copied.before()
			cmd := exec.Command(c.command[0], c.command[1:]...)
			cmd.Dir, cmd.Stdin = copied.dir, strings.NewReader(strings.Join(text[c.first:], "\n")+"\n")
			if out, err := cmd.CombinedOutput(); err != nil {
				s.t.Errorf("%v from line %d: %v\n%s", c.command, c.first, err, out)
				continue
			}
			copied.fileIs("a.txt", three(1, 3))
			copied.fileIs("moved/to.txt", "there\nand\n")
			copied.missing("gone.txt", "old.txt")
			copied.program("run.sh", true)
		}
		s.press("R")
		if got := call.result().brief(); strings.Contains(got, "accepted") || strings.Count(got, "rejected") != 6+8 {
			s.t.Error(got)
		}
		s.missing("made", "moved")
		s.fileIs("gone.txt", "one\ntwo\n")
	})
}
