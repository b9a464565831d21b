package test

import (
	"os"
	"strings"
	"testing"
	"time"
)

// Names, descriptions and texts that are code to a shell, to Ex, to Lua, to a statusline or to a modeline are nothing but
// text.
func TestNothingIsEvaluated(t *testing.T) {
	names := []string{
		"$(touch pwned).go", "`touch pwned`.go", "|lua vim.g.pwned=1", "%{execute('let g:pwned=1')}.go", "%!execute('let g:pwned=1')",
		"%@execute@x", "#", "%", "%:p", "##", "a b'c\"d.go", "-c quit", "+quit", "[id].tsx", "a\nb.go", "<sfile>", "<cword>.go", "~", "~root",
		"$HOME.go", "*.go", "{a,b}.go", `\*.go`, "x.zip", "x.tar", "x.tar.gz", "x.gz", "x.gpg", "scp:/host/x", "term:/sh", "file:/x", "%#Error#.go",
		"tab\there.go", "\x1b[31m.go", ".nvim.lua", ".exrc", "=1+1", "\u202eog.go", "&.go", ";quit", "a\\nb.go", "$VIMRUNTIME",
		"agent-diff:/1/a.txt", "++enc=latin1 x", strings.Repeat("long", 60) + ".go",
	}
	const nasty = "%{execute('let g:pwned=1')} `touch pwned` $(touch pwned) <Cmd>let g:pwned=1<CR> vim: set shiftwidth=7 :"
	const text = "# vim: set shiftwidth=7 :\n:let g:pwned=1\n$(touch pwned)\n# vim: set shiftwidth=7 :\n"
	forEachNvim(t, func(s *story) {
		s.lua(nil, `vim.o.title, vim.o.laststatus, vim.o.showtabline, vim.o.modelineexpr = true, 2, 2, true`)
		s.agent = startNamed(s.t, nasty, s.dir, s.nvim.Env(), "--nvim", s.nvim.Addr(), "--root", s.dir)
		for _, name := range names {
			call := s.propose(name, "", text, nasty)
			s.shown() // the screen may still show the one before, which says the same
			s.see("Description: %{execute('let g:pwned=1')} `touch")
			s.press(":AgentDiff list<CR>:cclose<CR>:AgentDiff<CR>:redrawtabline<CR>")
			s.press("A")
			r := call.result()
			s.queued(0)
			if r.IsError || r.Structured == nil || r.Structured.Path != name {
				s.t.Fatalf("%q: %s", name, r.Text)
			}
			if strings.HasSuffix(name, ".gz") { // Neovim's own plugin packs it when it is written
				r.says("Not saved: the file on disk does not hold what was written")
				continue
			}
			if r.Structured.Decision != "accepted" || !r.Structured.Saved {
				s.t.Errorf("%q: %s", name, r.Text)
			}
			s.fileIs(name, text)
		}
		var set map[string]any
		s.lua(&set, `return { pwned = vim.g.pwned, width = vim.o.shiftwidth, buffer = vim.bo.shiftwidth, mode = vim.api.nvim_get_mode() }`)
		if set["pwned"] != nil || set["width"] != int64(8) || set["buffer"] != int64(8) {
			s.t.Errorf("something was evaluated: %v", set)
		}
		if _, err := os.Stat(s.path("pwned")); err == nil {
			s.t.Error("a shell has run")
		}
	})
}

// An argument of 100 MB is refused, and the session goes on, in bounded memory; so are a text of too many lines, one with
// too many changes, and a file that is too large. What cannot be parsed is answered.
func TestTooMuch(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", "old\n")
		s.agent = s.another()
		huge := strings.Repeat("x", 100<<20)
		s.propose("a.txt", "old\n", huge, "").result().failed("invalid_args").
			says(`"modified" is larger than 16 MiB. Nothing was changed.`)
		s.propose(huge, "old\n", "new\n", "").result().failed("invalid_args").says(`"path" is larger than 16 MiB`)
		if peak := s.agent.memory("VmHWM"); peak > 150<<20 && !raced {
			s.t.Errorf("the program took %d MB", peak>>20)
		}
		s.propose("a.txt", "old\n", strings.Repeat("x\n", 2_000_000), "").result().failed("invalid_args").
			says(`"modified" has more than 1000000 lines`)

		// Two texts with little in common, and one with changes everywhere.
		var one, two strings.Builder
		for i := range 60_000 {
			one.WriteString(string(rune('a'+i*i%13)) + "\n")
			two.WriteString(string(rune('a'+i*i*i%11)) + "\n")
		}
		s.file("random.txt", one.String())
		start := time.Now()
		call := s.propose("random.txt", one.String(), two.String(), "")
		s.shown()
		within(s.t, 10*time.Second, start, time.Now())
		s.press("R")
		call.result().rejected("random.txt")
		one.Reset()
		two.Reset()
		for range 120_000 {
			one.WriteString("old\n1\n2\n3\n4\n5\n6\n7\n")
			two.WriteString("new\n1\n2\n3\n4\n5\n6\n7\n")
		}
		s.file("many.txt", one.String())
		s.propose("many.txt", one.String(), two.String(), "").result().failed("tool_failed").
			says("This is too much for one review: 120000 separate changes", "Propose it in several smaller parts.")
		s.queued(0)

		must(s.t, os.Truncate(s.path("a.txt"), 65<<20))
		s.propose("a.txt", "old\n", "new\n", "").result().failed("tool_failed").says("a.txt is larger than 64 MiB")
		s.file("a.txt", "old\n")

		deep := strings.Repeat("[", 1_000_000)
		for _, line := range []string{
			"garbage", "\xff\xfe\x00", "[]", "{", deep, `{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"propose_file_edit","arguments":{"path":` + deep + `}}}`,
			`{"jsonrpc":"2.0","id":77,"method":"tools/call","params":` + strings.Repeat(`{"params":`, 100_000) + `}`,
		} {
			s.agent.refused([]byte(line))
		}
		// Of two members of one name the last counts, as everywhere in JSON.
		c := s.agent.expect()
		s.agent.write([]byte(`{"jsonrpc":"2.0","id":` + c.id + `,"method":"tools/call","params":{"name":"propose_file_edit","arguments":{` +
			`"path":"../x","path":"a.txt","original":"x","original":"old\n","modified":"new\n","description":"twice","description":"once"}}}`))
		s.see("Description: once")
		s.press("A")
		c.result().accepted("a.txt", true)
		if peak := s.agent.memory("VmHWM"); peak > 400<<20 && !raced {
			s.t.Errorf("the program took %d MB", peak>>20)
		}
	})
}
