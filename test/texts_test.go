package test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A snippet that occurs exactly once is a proposal for that place.
func TestSnippet(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		s.open("a.txt")
		call := s.propose("a.txt", "line 15\n", "line 15\nfifteen and a half\n", "")
		s.states(pending)
		s.press("a")
		s.bufferIs("a.txt", three(2))
		s.press("q")
		call.result().accepted("a.txt", true).hunks(1, 0, 0, 0)
		s.fileIs("a.txt", three(2))

		call = s.propose("a.txt", "and a half", "and 1/2", "") // a part of a line
		s.states(pending)
		s.press("A")
		call.result().accepted("a.txt", true)
		s.fileIs("a.txt", strings.Replace(three(2), "and a half", "and 1/2", 1))
	})
}

// Drifted: each hunk that has one place is moved there, the others are in conflict.
func TestDrifted(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", "new 1\nnew 2\n"+strings.Replace(three(), "line 15\n", "fünfzehn\n", 1))
		s.open("a.txt")
		call := s.propose("a.txt", three(), three(1, 2, 3), "")
		s.states(pending, conflict, pending)
		s.press("aaq")
		call.result().accepted("a.txt", true).hunks(2, 0, 0, 1)
		s.fileIs("a.txt", "new 1\nnew 2\n"+strings.Replace(three(1, 3), "line 15\n", "fünfzehn\n", 1))
	})
}

// A new file, in new folders: written when accepted, not there when declined.
func TestNewFile(t *testing.T) {
	forEachNvim(t, func(s *story) {
		before := s.state()
		call := s.propose("new/dir/a.txt", "", "one\ntwo\n", "a new file")
		s.states(pending)
		s.see("--- /dev/null")
		s.see("+++ b/new/dir/a.txt")
		s.press("R")
		call.result().rejected("new/dir/a.txt").hunks(0, 1, 0, 0)
		s.over()
		if _, err := os.Stat(s.path("new")); err == nil {
			s.t.Error("a folder was made for nothing")
		}
		s.asBefore(before, "jumps of")

		call = s.propose("new/dir/a.txt", "", "one\ntwo\n", "a new file")
		s.states(pending)
		s.press("a")
		s.states(applied)
		s.press("q")
		call.result().accepted("new/dir/a.txt", true).hunks(1, 0, 0, 0)
		s.fileIs("new/dir/a.txt", "one\ntwo\n")

		s.file("empty.txt", "")
		call = s.propose("empty.txt", "", "no newline", "fill it")
		s.states(pending)
		s.press("A")
		call.result().accepted("empty.txt", true)
		s.fileIs("empty.txt", "no newline")
	})
}

// In a CRLF file the ending belongs to the file.
func TestCRLF(t *testing.T) {
	crlf := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	forEachNvim(t, func(s *story) {
		s.file("a.txt", crlf(three()))
		s.open("a.txt")
		call := s.propose("a.txt", three(), three(1, 2, 3), "")
		s.shown()
		s.press("aar")
		s.states(applied, applied, rejected)
		s.press("q")
		call.result().accepted("a.txt", true).hunks(2, 1, 0, 0).says("CRLF")
		s.fileIs("a.txt", crlf(three(1, 2)))

		call = s.propose("a.txt", crlf(three(1, 2)), crlf(three(1, 2, 3)), "")
		s.states(pending)
		s.press("A")
		call.result().accepted("a.txt", true).silent("CRLF")
		s.fileIs("a.txt", crlf(three(1, 2, 3)))
	})
}

// Bytes are taken as they are: what looks like diff syntax, escapes, tabs, trailing blanks, a BOM, wide characters.
func TestBytes(t *testing.T) {
	texts := map[string][2]string{
		"diff syntax": {"-- a\n++ b\n@@ -1 +1 @@\n\\ No newline at end of file\n", "-- a\n--- a\n+++ b\n@@ -1 +1 @@\n\\ No newline\n"},
		"escapes":     {"a\\nb\n\\\\\n\\t\n", "a\\nb\n\\\\\\\\\n\\t%#|\n"},
		"blanks":      {"a \n\tb\t\n \n\n", "a  \n\t\tb\t \n\n \n\n"},
		"BOM":         {"\ufeffone\ntwo\n", "\ufeffONE\ntwo\n"},
		"wide":        {"日本\ne\u0301\n👩‍👩‍👧\n", "日本語\ne\u0301\u0301\n👩‍👩‍👧‍👦\n"},
		"CR inside":   {"a\rb\nc\n", "a\rB\nc\n"},
		"mixed":       {"a\r\nb\nc\r\n", "a\r\nB\nC\r\n"},
		"modeline":    {"x\nvim: set ts=99:\n", "y\nvim: set ts=77 sw=66:\n"},
		"control":     {"a\x01b\x7f\x1b[31m\n", "A\x01b\x7f\x1b[32m\n"},
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				s.file("a.txt", text[0])
				s.open("a.txt")
				call := s.propose("a.txt", text[0], text[1], "")
				s.states(pending)
				s.press("<Space>")
				s.states(applied)
				s.press("<Space>")
				s.states(pending)
				s.press("A")
				call.result().accepted("a.txt", true).hunks(1, 0, 0, 0)
				s.fileIs("a.txt", text[1])
				s.until("no modeline was obeyed", `return vim.bo.ts < 66 and vim.bo.sw < 66`)
			})
		})
	}
}

// Names that editors and diffs stumble over.
func TestNames(t *testing.T) {
	for _, name := range []string{
		"a b.txt", "quote\"s'.txt", "50%.txt", "c#.txt", "a|b.txt", "[id].tsx", "-rf", "back\\slash", "new\nline", "ünï.txt",
		"$HOME.txt", "~", "*.txt", "+1", "a\tb", "`ls`", "{a,b}", "foo.c", "trailing ",
	} {
		t.Run(fmt.Sprintf("%q", name), func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				s.file("foo.cpp", "not me\n")
				s.file(name, three())
				call := s.propose(name, three(), three(1, 2, 3), "")
				s.states(pending, pending, pending)
				var lines []string
				s.lua(&lines, `return vim.api.nvim_buf_get_lines(vim.api.nvim_get_current_buf(), 0, -1, true)`)
				_, diff, _ := strings.Cut(strings.Join(lines, "\n")+"\n", "\n--- ")
				s.appliesToDisk("--- "+diff, three(1, 2, 3), name)
				s.press("A")
				call.result().accepted(name, true).hunks(3, 0, 0, 0)
				s.fileIs(name, three(1, 2, 3))
			})
		})
	}
}

// Never a review: the message says what is wrong, nothing opens and nothing changes.
func TestNeverAReview(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		s.file("full.txt", "one\n")
		s.file("binary", "a\x00b\n")
		s.file("dir/x", "")
		s.file("twice.txt", "one\ntwo\none\n")
		s.file("latin1.txt", "caf\xe9\n")
		must(s.t, os.Symlink("/etc/passwd", s.path("link")))
		s.open("a.txt")
		s.agent = s.another()
		before := s.state()
		cases := []struct {
			path, original, modified string
			code                     string
			says                     []string
		}{
			{"a.txt", "old\n", three(), "nothing_to_change", []string{"a.txt already holds this text. Nothing was changed."}},
			{"a.txt", three(), three(), "nothing_to_change", []string{"Nothing was changed."}},
			{"a.txt", "other\n", "text\n", "stale_original", []string{"ead the file again", "Nothing was changed."}},
			{"full.txt", "", "text\n", "stale_original", []string{"Nothing was changed."}},
			{"twice.txt", "one\n", "three\n", "stale_original", []string{"1", "3", "Nothing was changed."}},
			{"binary", "a", "b", "tool_failed", []string{"binary", "Nothing was changed."}},
			{"dir", "", "b", "tool_failed", []string{"Nothing was changed."}},
			{"missing.txt", "something\n", "b\n", "stale_original", []string{"Nothing was changed."}},
			{"../x", "", "b", "PathNotInSandboxError", []string{"Nothing was changed."}},
			{"/etc/passwd", "root", "toor", "PathNotInSandboxError", []string{"Nothing was changed."}},
			{"link", "root", "toor", "PathNotInSandboxError", []string{"Nothing was changed."}},
			{"", "a", "b", "invalid_args", []string{"path", "Nothing was changed."}},
			{"a\x00b", "a", "b", "invalid_args", []string{"path", "Nothing was changed."}},
			{"latin1.txt", "café\n", "cafés €\n", "tool_failed", []string{"€", "Nothing was changed."}},
		}
		for _, c := range cases {
			s.t.Logf("%q %.10q", c.path, c.original)
			s.propose(c.path, c.original, c.modified, "").result().failed(c.code).says(c.says...)
		}
		s.asBefore(before, "jumps of")
		s.fileIs("a.txt", three())
		if _, err := os.Stat(s.path("missing.txt")); err == nil {
			s.t.Error("a file was made")
		}
	})
}

// Arguments are checked before anything else, and the wrong one is named.
func TestInvalidArguments(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		a := s.another()
		whole := func() map[string]any {
			return map[string]any{"path": "a.txt", "original": three(), "modified": three(1), "description": "x"}
		}
		for _, name := range []string{"path", "original", "modified", "description"} {
			args := whole()
			delete(args, name)
			a.call("propose_file_edit", args).result().failed("invalid_args").says(name, "Nothing was changed.")
			for _, wrong := range []any{7, nil, []any{"x"}, map[string]any{"x": 1}, true} {
				args[name] = wrong
				a.call("propose_file_edit", args).result().failed("invalid_args").says(name)
			}
		}
		for _, raw := range []string{`"\ud800"`, "\"\xff\"", `"\udc00\ud800"`} {
			c := a.expect()
			a.write([]byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"propose_file_edit",`+
				`"arguments":{"path":"a.txt","original":"","modified":%s,"description":""}}}`, c.id, raw)))
			c.result().failed("invalid_args").says("modified")
		}
		if r := a.call("no_such_tool", map[string]any{}).result(); r.Protocol == "" {
			s.t.Errorf("an unknown tool is the protocol's own error: %s", r.Text)
		}
		// Unknown ones are ignored: one client adds one.
		args := whole()
		args["task_progress"] = []any{"x"}
		call := a.call("propose_file_edit", args)
		s.states(pending)
		s.press("A")
		call.result().accepted("a.txt", true)
		s.fileIs("a.txt", three(1))
	})
}
