package test

import (
	"testing"

	"nvim-agent-diff/screen"
	"nvim-agent-diff/screen/screentest"
)

// A user who is in the middle of something is not interrupted, and no key of theirs decides.
func TestTypingIsNotInterrupted(t *testing.T) {
	busy := map[string]struct{ begin, mode, more, end string }{
		"insert":           {"i", "i", "arq A", "<Esc>"},
		"replace":          {"R", "R", "arq A", "<Esc>"},
		"visual":           {"v", "v", "", "<Esc>"},
		"command line":     {":echo 'a", "c", "rq", "'<CR>"},
		"search":           {"/li", "c", "ne", "<CR>"},
		"operator pending": {"d", "no", "", "<Esc>"},
		"input()":          {":call input('name: ')<CR>", "c", "arq", "<CR>"},
		"command window":   {"q:", "n", "", ":q<CR>"},
		"recording":        {"qx", "n", "jj", "q"},
	}
	for name, b := range busy {
		t.Run(name, func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				s.file("a.txt", three())
				s.file("b.txt", "one\ntwo\nthree\nfour\n")
				s.open("b.txt")
				s.press(b.begin)
				s.until("mode "+b.mode, `return vim.fn.mode(1) == ...`, b.mode)
				call := s.propose("a.txt", three(), three(1), "")
				s.reviews(1)
				s.press(b.more)
				s.until("the user is where they were", `return #vim.api.nvim_list_tabpages() == 1`)
				s.press(b.end)
				s.press("<Cmd>AgentDiff<CR>")
				s.states(pending)
				s.inReview()
				s.press("a") // by hand, so that it is armed
				s.states(applied)
				s.press("q")
				call.result().accepted("a.txt", true)
			})
		})
	}
}

// At a prompt, or in the middle of a command, nothing of Neovim can be asked; the agent waits, and is told why.
func TestAtPrompt(t *testing.T) {
	t.Parallel() // progress is told every five seconds
	prompts := map[string][2]string{
		"hit enter": {`:echo "one\ntwo\nthree"<CR>`, "<CR>"}, "more": {`:set more | for i in range(99) | echo i | endfor<CR>`, "q"},
		"confirm":   {`:call confirm('Sure?', "&Accept\n&No")<CR>`, "a"},
		"inputlist": {`:call inputlist(['1. a', '2. r'])<CR>`, "1<CR>"},
		"count":     {"3", "j"}, "character": {"f", "x"}, "register": {`"`, "ayy"}, "window command": {"<C-w>", "<Esc>"}, "z": {"z", "z"},
	}
	for name, keys := range prompts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			forEachNvim(t, func(s *story) {
				s.file("a.txt", three())
				s.agent = s.another()
				s.press(keys[0])
				if err := s.nvim.Wait(patience, "a prompt", func(*screen.Snapshot) bool {
					mode, blocking, err := s.nvim.Mode()
					return err == nil && (blocking || mode != "n") // a newer one has dialogs in its command line
				}); err != nil && name != "character" {
					s.t.Fatal(err)
				}
				call := s.propose("a.txt", three(), three(1), "")
				if name == "hit enter" { // it takes its five seconds
					call.progress("busy at a prompt")
				}
				s.waiting(call)
				s.press(keys[1])
				s.states(pending)
				s.press("<Cmd>AgentDiff<CR>")
				s.press("A")
				call.result().accepted("a.txt", true)
			})
		})
	}
}

// getchar() looks like normal mode, and Neovim answers meanwhile.
func TestGetchar(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		s.press(":let g:char = getchar()<CR>")
		s.see(":let g:char")
		call := s.propose("a.txt", three(), three(1), "")
		s.reviews(1)
		s.until("it is ready to be shown", `return require('agent_diff').reviews()[1].total == 1`)
		s.lua(nil, `vim.wait(50)`) // time to show it
		s.until("no window has opened", `return #vim.api.nvim_list_wins() == 1`)
		s.press("A")
		s.states(pending)
		s.inReview()
		s.until("the key went where it should", `return vim.g.char == 65`)
		s.press("A")
		call.result().accepted("a.txt", true)
	})
}

// stoppedClock has Neovim's clock stand still but for pass(): how fast a test's keys come is not the test's to say.
const stoppedClock = `
	local at = vim.uv.now()
	vim.uv.now = function() return at end
	function _G.pass(ms) at = at + ms end`

// After the review took the focus by itself, keys decide only when none has been pressed for a while; also when it took it
// from a terminal that was typed in.
func TestArming(t *testing.T) {
	from := map[string]func(s *story){
		"a file": func(s *story) { s.open("a.txt") },
		"a terminal": func(s *story) {
			s.press(":terminal cat<CR>i")
			s.until("terminal mode", `return vim.fn.mode(1) == 't'`)
		},
	}
	for name, begin := range from {
		t.Run(name, func(t *testing.T) {
			screentest.Each(t, func(t *testing.T, nvim string) {
				s := newStory(t, nvim, "--cmd", "let g:agent_diff = {'arm_ms': 300}")
				s.file("a.txt", three())
				begin(s)
				s.lua(nil, stoppedClock)
				call := s.proposeThree()
				for range 5 {
					s.press("A")
					s.press("q")
					s.press("r")
				}
				s.see("key ignored")
				s.states(pending, pending, pending)
				s.waiting(call)
				s.lua(nil, `_G.pass(300)`)
				s.press("a")
				s.states(applied, pending, pending)
				s.press("A")
				call.result().accepted("a.txt", true)
			})
		})
	}
}

// focus = "never": only a notice, until the user comes.
func TestFocusNever(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.lua(nil, `vim.g.agent_diff = { focus = 'never' }`)
		s.file("a.txt", three())
		s.open("a.txt")
		call := s.propose("a.txt", three(), three(1), "")
		s.see("AgentDiff")
		s.inSource("a.txt", 1)
		s.press(":AgentDiff<CR>")
		s.inReview()
		s.press("A")
		call.result().accepted("a.txt", true)
	})
}
