package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nvim-agent-diff/screen"
	"nvim-agent-diff/screen/screentest"
	"nvim-agent-diff/test/golden"
)

// settled is how long a screen must have been as it is before -update writes it.
const settled = time.Second

// looks waits until the screen, its characters and how they look, is the golden one of this name.
func (s *story) looks(name string) {
	s.t.Helper()
	path := filepath.Join("testdata", "screens", name+".txt")
	if golden.Updating() {
		for last := ""; last != s.nvim.Snapshot().Looks(); time.Sleep(settled) {
			last = s.nvim.Snapshot().Looks()
		}
		golden.Write(s.t, path, s.nvim.Snapshot().Looks())
		return
	}
	want, err := os.ReadFile(path)
	must(s.t, err)
	err = s.nvim.Wait(patience, "the screen of "+path, func(shot *screen.Snapshot) bool { return shot.Looks() == string(want) })
	if err != nil {
		got := strings.Split(s.nvim.Snapshot().Looks(), "\n")
		for i, line := range strings.Split(string(want), "\n") {
			if i >= len(got) || got[i] != line {
				s.t.Errorf("%s, line %d should be\n%s\nit is\n%s", path, i+1, line, strings.Join(got[min(i, len(got)):min(i+1, len(got))], "\n"))
			}
		}
		s.t.Fatal(err)
	}
}

// onScreen tells a story on a screen of some size, in a folder of golden screens that is named after it and the Neovim.
func onScreen(t *testing.T, width, height int, background string, tell func(s *story, folder string)) {
	t.Helper()
	screentest.Each(t, func(t *testing.T, nvim string) {
		s := &story{t: t, dir: project(t)}
		args := append([]string{"--cmd", "syntax on", "--cmd", "set statusline=%t background=" + background}, armed...)
		s.nvim = screentest.Start(t, screen.Options{Nvim: nvim, Dir: s.dir, Args: args, Width: width, Height: height})
		var version string
		s.lua(&version, `return ('%d.%d'):format(vim.version().major, vim.version().minor)`)
		tell(s, fmt.Sprintf("%s/%dx%d-%s/", version, width, height, background))
	})
}

func testFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "screens", name))
	must(t, err)
	return string(text)
}

// Every layout, with hunks in every state, and a new file that is folded to a preview.
func TestScreens(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		for _, background := range []string{"dark", "light"} {
			onScreen(t, size[0], size[1], background, func(s *story, folder string) {
				before, after := testFile(s.t, "before.lua"), testFile(s.t, "after.lua")
				s.file("a.lua", before)
				s.open("a.lua")
				call := s.propose("a.lua", before, after, "retry, and say what is retried")
				s.atHunk(1)
				s.lua(nil, `
					local source = vim.b[require('agent_diff').reviews()[1].bufnr].agent_diff.source_bufnr
					for i, line in ipairs(vim.api.nvim_buf_get_lines(source, 0, -1, true)) do
						if line:find('table.sort', 1, true) then vim.api.nvim_buf_set_lines(source, i - 1, i, true, { '  mine()' }) end
					end`)
				s.press("ar")
				s.atHunk(3)
				s.press("a")
				s.states(applied, rejected, conflict, pending, pending)
				s.press("1Gn")
				s.atHunk(1)
				s.looks(folder + "unified")
				s.press("<Tab>")
				s.wins("split", 2)
				s.atHunk(1)
				s.looks(folder + "split")
				s.press("<Tab>")
				s.wins("inline", 1)
				s.atHunk(1)
				s.looks(folder + "inline")
				s.press("R")
				call.result().rejected("a.lua")
				s.over()

				s.pressed(":enew!<CR>")
				call = s.propose("new.lua", "", strings.Repeat("local x = 1 -- one more\n", 100), "a file")
				s.atHunk(1)
				s.looks(folder + "new")
				s.press("R")
				call.result().rejected("new.lua")
			})
		}
	}
}

// On a narrow screen, with long lines, and with the user's own ways.
func TestNarrowScreens(t *testing.T) {
	onScreen(t, 40, 16, "dark", func(s *story, folder string) {
		s.lua(nil, `vim.o.list = true vim.o.listchars = 'tab:> ,trail:-' vim.o.number = true vim.o.signcolumn = 'yes'`)
		old, now := "first\n\tx = 1 \n"+strings.Repeat("long ", 12)+"\n", "first\n\tx = 2 \n"+strings.Repeat("long ", 12)+"end\n"
		s.file("a.txt", old)
		call := s.propose("a.txt", old, now, "")
		s.atHunk(1)
		s.looks(folder + "wrapped")
		s.press("<Tab>")
		s.wins("split", 2)
		s.looks(folder + "split")
		s.press("q")
		s.see("anyway?")
		s.press("n")
		s.notSee("anyway?")
		s.press("R")
		call.result().rejected("a.txt")
	})
}

// Side by side both windows have line numbers or none, also where one is a column wider, and what the left one has no room for of the
// description goes on in the right one.
func TestBothSides(t *testing.T) {
	onScreen(t, 100, 24, "dark", func(s *story, _ string) {
		s.file("a.txt", three())
		call := s.propose("a.txt", three(), three(1), strings.Repeat("why ", 11)+"日本")
		s.atHunk(1)
		s.press("<Tab>")
		s.wins("split", 2)
		s.see("│▏line 1 ")
		s.see("Description: " + strings.Repeat("why ", 8) + "why│  why why 日本")
		s.press("R")
		call.result().rejected("a.txt")
	})
}

// Who wants no line numbers sees none, only the bars.
func TestNoLineNumbers(t *testing.T) {
	forEachNvim(t, func(s *story) {
		for _, numbers := range []bool{true, false} {
			s.lua(nil, `vim.cmd('edit! a.txt') if package.loaded.agent_diff then require('agent_diff').setup({ line_numbers = ... }) end`, numbers)
			call := s.asked()
			s.met(s.nvim.Wait(patience, fmt.Sprint("line numbers: ", numbers), func(shot *screen.Snapshot) bool {
				row, col, found := shot.Find("▏ line 1 ")
				return found && strings.HasSuffix(shot.Row(row)[:col], " 1  1 ") == numbers && (col == 0) != numbers
			}))
			s.press("R")
			call.result().rejected("a.txt")
			s.over()
		}
	})
}

// The groups are made anew with the colour scheme, light or dark; a definition of the user's stays, and the others are not the
// worse for it.
func TestColourSchemes(t *testing.T) {
	forEachNvim(t, func(s *story) {
		const groups = `
			local made = {}
			for _, name in ipairs({ 'AgentDiffAdd', 'AgentDiffAddText', 'AgentDiffDelete', 'AgentDiffDeleteText' }) do
				made[#made + 1] = ('%06x'):format(vim.api.nvim_get_hl(0, { name = name }).bg or 0)
			end
			return table.concat(made, ' ')`
		call := s.asked()
		seen := map[string]string{}
		for _, do := range []string{"set background=dark", "set background=light", "colorscheme habamax", "colorscheme quiet"} {
			s.lua(nil, `vim.cmd(...)`, do)
			var now string
			s.lua(&now, groups)
			if other, twice := seen[now]; twice || strings.Contains(now, "000000") {
				s.t.Errorf("after %s the backgrounds are %s, as after %q", do, now, other)
			}
			seen[now] = do
		}
		s.lua(nil, `
			vim.api.nvim_create_autocmd('ColorScheme', { callback = function() vim.api.nvim_set_hl(0, 'AgentDiffAdd', { bg = 0x123456 }) end })
			vim.cmd('colorscheme habamax')`)
		var now string
		s.lua(&now, groups)
		if !strings.HasPrefix(now, "123456 ") {
			s.t.Errorf("the user's own background should stay: %s", now)
		}
		s.press("R")
		call.result().rejected("a.txt")
	})
}

// In every colour scheme that Neovim brings, what became of a hunk, comments and hidden characters can be read, and the backgrounds of
// changed lines are near the scheme's own, for which its colours of code are made.
func TestLegible(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		var poor []string
		s.lua(&poor, `
			local function luminance(colour)
				local sum = 0
				for i, share in ipairs({ 0.2126, 0.7152, 0.0722 }) do
					local c = bit.band(bit.rshift(colour, 24 - 8 * i), 255) / 255
					sum = sum + share * (c <= 0.03928 and c / 12.92 or ((c + 0.055) / 1.055) ^ 2.4)
				end
				return sum
			end
			local function contrast(a, b)
				a, b = luminance(a), luminance(b)
				return (math.max(a, b) + 0.05) / (math.min(a, b) + 0.05)
			end
			local poor = {}
			for _, scheme in ipairs(vim.fn.getcompletion('', 'color')) do
				for _, background in ipairs({ 'dark', 'light' }) do
					vim.o.background = background
					vim.cmd.colorscheme(scheme)
					local normal = vim.api.nvim_get_hl(0, { name = 'Normal', link = false })
					local paper, ink = normal.bg or (background == 'dark' and 0 or 0xffffff), normal.fg or (background == 'dark' and 0xffffff or 0)
					local function check(group, of, on, least, most)
						local got = contrast(of, on)
						if got < least or got > most then poor[#poor + 1] = ('%s %s: %s %.1f'):format(scheme, background, group, got) end
					end
					local function hl(group) return vim.api.nvim_get_hl(0, { name = 'AgentDiff' .. group, link = false }) end
					for _, group in ipairs({ 'Applied', 'Rejected', 'Conflict', 'Comment', 'Hidden' }) do
						check(group, hl(group).fg or ink, hl(group).bg or paper, 3, 21)
					end
					for _, group in ipairs({ 'Add', 'Delete' }) do
						check(group .. ' under the text', ink, hl(group).bg, 3, 21)
						check(group .. ' beside the others', paper, hl(group).bg, 1, 2.3)
					end
				end
			end
			return poor`)
		for _, what := range poor {
			s.t.Error(what)
		}
		s.press("R")
		call.result().rejected("a.txt")
	})
}
