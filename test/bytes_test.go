package test

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf16"

	"nvim-agent-diff/screen/screentest"
)

// bytesEdit is a proposal in the agent's words, and what it means in bytes.
type bytesEdit struct {
	name               string
	original, modified string
	partial            string                // modified with its first hunk only; "" when it has one hunk
	bytes              func(s string) string // the file that holds a text; nil: the text itself
	noPatch            bool                  // patch and git apply do not know the encoding
}

func (e *bytesEdit) disk(text string) string {
	if e.bytes == nil {
		return text
	}
	return e.bytes(text)
}

// twenty is twenty lines with the first and the last as given.
func twenty(first, last string) string {
	var b strings.Builder
	b.WriteString(first)
	for i := 2; i < 20; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String() + last
}

// twice is an bytesEdit of two hunks: of the first line and of the last.
func twice(name, first, newFirst, last, newLast string, bytes func(string) string) bytesEdit {
	return bytesEdit{
		name: name, original: twenty(first, last), modified: twenty(newFirst, newLast), partial: twenty(newFirst, last), bytes: bytes,
	}
}

func inCRLF(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

func withBOM(s string) string { return "\uFEFF" + s }

func inLatin1(s string) string {
	var out []byte
	for _, r := range s {
		out = append(out, byte(r))
	}
	return string(out)
}

func inUTF16(order binary.AppendByteOrder) func(string) string {
	return func(s string) string {
		var out []byte
		for _, unit := range utf16.Encode([]rune("\uFEFF" + s)) {
			out = order.AppendUint16(out, unit)
		}
		return string(out)
	}
}

func both(f, g func(string) string) func(string) string {
	return func(s string) string { return f(g(s)) }
}

func bytesEdits() []bytesEdit {
	long := strings.Repeat("0123456789abcdef", 1<<16)
	inEncoding := func(e bytesEdit) bytesEdit { e.noPatch = true; return e }
	return []bytesEdit{
		twice("plain", "one\n", "ONE\n", "last\n", "LAST\n", nil),
		twice("CRLF", "one\n", "ONE\nand\n", "last\n", "LAST\n", inCRLF),
		twice("CRLF without final newline", "one\n", "ONE\n", "last", "LAST", inCRLF),
		twice("CR in the middle", "o\rne\n", "O\rNE\n", "la\rst\n", "LA\rST\n", nil),
		twice("mixed endings", "one\r\n", "ONE\r\n", "last\n", "LAST\r\n", nil),
		twice("mixed, one LF", "one\r\ntwo\r\n", "ONE\r\ntwo\r\n", "last\r\n", "last\n", nil),
		twice("CR at the very end", "one\n", "ONE\n", "last\r", "LAST\r", nil),
		twice("BOM", "one\n", "ONE\n", "last\n", "LAST\n", withBOM),
		twice("BOM and CRLF", "one\n", "ONE\n", "last", "LAST", both(withBOM, inCRLF)),
		inEncoding(twice("latin1", "café\n", "cafés\n", "é\n", "è\n", inLatin1)),
		inEncoding(twice("latin1 and CRLF", "café\n", "cafés\n", "é", "è", both(inLatin1, inCRLF))),
		inEncoding(twice("UTF-16 little endian", "café\n", "€ 😀\n", "é\n", "è\n", inUTF16(binary.LittleEndian))),
		inEncoding(twice("UTF-16 big endian", "café\n", "€ 😀\n", "é", "è", inUTF16(binary.BigEndian))),
		inEncoding(twice("UTF-16 and CRLF", "café\n", "€ 😀\n", "é\n", "è\n", both(inUTF16(binary.LittleEndian), inCRLF))),
		twice("no final newline", "one\n", "ONE\n", "last", "LAST", nil),
		twice("no final newline, untouched", "one\n", "ONE\n", "last", "last", nil),
		twice("final newline added", "one\n", "ONE\n", "last", "last\n", nil),
		twice("final newline removed", "one\n", "ONE\n", "last\n", "last", nil),
		{name: "only a newline added", original: "one", modified: "one\n"},
		{name: "only a newline removed", original: "one\n", modified: "one"},
		{name: "empty filled", original: "", modified: "one\ntwo\n"},
		{name: "empty filled without newline", original: "", modified: "one"},
		{name: "emptied", original: "one\ntwo\n", modified: ""},
		{name: "emptied without newline", original: "one", modified: ""},
		{name: "emptied BOM", original: "one\n", modified: "", bytes: withBOM},
		{name: "filled BOM", original: "", modified: "one\n", bytes: withBOM},
		twice("trailing blanks", "one  \t\n", "one\n", "last\n", "last \t \n", nil),
		twice("tabs", "\tone\n", "\t\tone\n", "  last\n", "\tlast\n", nil),
		twice("blank lines", "\n\n", "\n", "\n\n", "\n\n\n\n", nil),
		twice("1 MB lines", long+"\n", long+"x\n", long, "x"+long, nil),
		twice("wide and combining", "日本語 e\u0301 👨\u200d👩\u200d👧\n", "日本 e\u0301\u0302 👩\n", "\u0301\n", "\u200b\n", nil),
		twice("diff syntax", "--- a\n+++ b\n@@ -1 +1 @@\n", "-- c\n++ d\n@@ -2 +2 @@\n", "\\ No newline at end of file\n", "\\ No newline\n--- /dev/null\n", nil),
		twice("literal escapes", "a\\nb\\\\\n", "a\\n\\tb\\\\\\\\\n", "\\u00e9 %s $HOME\n", "\\x00 %d ~\n", nil),
		twice("control characters", "\x01\x1b[31mred\x7f\n", "\x01\x1b[32mgreen\x7f\n", "\x0c\n", "\x0b\u0085\u2028\n", nil),
		twice("whole and half pairs", "\u00e9\n", "\uffff\ufffd\n", "a\n", "\U0010ffff\n", nil),
	}
}

// What is accepted is in the file byte for byte, and what is not leaves every byte as it was; the answer says which.
func TestEveryByte(t *testing.T) {
	screentest.Each(t, func(t *testing.T, nvim string) {
		s := newStory(t, nvim)
		s.agent = s.another()
		for _, e := range bytesEdits() {
			for _, open := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/open %v", e.name, open), func(t *testing.T) {
					s.t = t
					s.bytesOf(e, open)
				})
			}
		}
	})
}

func (s *story) bytesOf(e bytesEdit, open bool) {
	s.t.Helper()
	base, want := e.disk(e.original), e.disk(e.modified)
	hunks := 1
	if e.partial != "" && e.partial != e.modified {
		hunks = 2
	}
	round := func(keys string, want string, check func(r *result)) {
		s.t.Helper()
		s.file("a.txt", base)
		if open {
			s.open("a.txt")
		}
		c := s.proposeIn("a.txt", e.original, e.modified)
		s.shown()
		if !e.noPatch {
			s.patchApplies()
		}
		s.press(keys)
		r := c.result()
		check(r)
		s.fileIs("a.txt", want)
		s.until("no review is left", `return #require('agent_diff').reviews() == 0`)
		s.until("'fixeol' is as before, nothing is unsaved", `
			local buf = vim.fn.bufnr('^' .. ... .. '$')
			return buf < 0 or vim.bo[buf].fixeol and not vim.bo[buf].modified`, s.path("a.txt"))
		s.lua(nil, `vim.cmd('silent! %bwipeout!')`)
	}
	round("A", want, func(r *result) { r.accepted("a.txt", true).hunks(hunks, 0, 0, 0).silent("Not saved", "```") })
	round("R", base, func(r *result) { r.rejected("a.txt").hunks(0, hunks, 0, 0).silent("```") })
	if hunks == 2 {
		round("arq", e.disk(e.partial), func(r *result) { r.accepted("a.txt", true).hunks(1, 1, 0, 0) })
		round("aauuqy", base, func(r *result) { r.rejected("a.txt").hunks(0, 0, 2, 0) })
		return
	}
	round("auqy", base, func(r *result) { r.rejected("a.txt").hunks(0, 0, 1, 0) })
	round("a<Space><Space>q", want, func(r *result) { r.accepted("a.txt", true).hunks(1, 0, 0, 0) })
}

// proposeIn is propose in a story that goes on through several subtests.
func (s *story) proposeIn(path, original, modified string) *call {
	s.t.Helper()
	s.agent.t = s.t
	return s.agent.propose(path, original, modified, "bytes")
}

// patchApplies: git apply and patch take the diff that the review shows.
func (s *story) patchApplies() {
	s.t.Helper()
	s.until("the review is here", "local r = require('agent_diff').reviews()[1] return r ~= nil and r.bufnr > 0")
	var lines []string
	s.lua(&lines, `
		local review = require('agent_diff').reviews()[1]
		local lines = vim.api.nvim_buf_get_lines(review.bufnr, 0, -1, true)
		while not lines[1]:match('^%-%-%- ') do table.remove(lines, 1) end
		return lines`)
	diff := strings.Join(lines, "\n") + "\n"
	for _, command := range [][]string{{"git", "apply", "--check"}, {"patch", "-p1", "--dry-run", "--force", "--binary"}} {
		if _, err := exec.LookPath(command[0]); err != nil {
			continue // git apply is always there
		}
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir = s.dir
		cmd.Stdin = strings.NewReader(diff)
		cmd.Env = append(os.Environ(), "GIT_DIR="+s.dir+"/none", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			s.t.Errorf("%s: %v\n%s\n%q", command[0], err, out, diff)
		}
	}
}
