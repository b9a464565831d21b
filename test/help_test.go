package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nvim-agent-diff/screen/screentest"
)

// The help file lists the keys and options as they are, and every tag in it is one.
func TestHelpFile(t *testing.T) {
	root, err := filepath.Abs("..")
	must(t, err)
	file := filepath.Join(root, "doc", "agent-diff.txt")
	have, err := os.ReadFile(file)
	must(t, err)
	nvim := screentest.Nvims(t)[0]
	want, err := exec.Command(nvim, "-l", filepath.Join(root, "scripts", "help.lua"), "print").Output()
	must(t, err)
	if string(have) != string(want) {
		t.Error("doc/agent-diff.txt does not list the keys and options as they are: run `make help-file`")
	}
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "agent-diff.txt"), have, 0o600))
	cmd := exec.Command(nvim, "--clean", "--headless", "--cmd", "helptags "+dir, "+qa")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("the tags: %v %s", err, out)
	}
	tags, err := os.ReadFile(filepath.Join(dir, "tags"))
	must(t, err)
	if !strings.Contains("\n"+string(tags), "\nagent-diff\t") {
		t.Error("`:help agent-diff` should lead to the beginning")
	}
	for line := range strings.SplitSeq(string(have), "\n") {
		if strings.Count(line, "`")%2 == 1 {
			t.Errorf("in this line of the help a word has no end: %s", line)
		}
		if n := columns(line); n > 80 {
			t.Errorf("this line of the help has %d columns: %s", n, line)
		}
		for i, word := range strings.Split(line, "|") {
			if i%2 == 1 && strings.HasPrefix(word, "agent-diff") && !strings.Contains(string(tags), word+"\t") {
				t.Errorf("there is no tag %s", word)
			}
		}
	}
}

// columns is how wide a line of the help is, with tab stops of 8.
func columns(line string) int {
	n := 0
	for _, r := range line {
		if r == '\t' {
			n += 8 - n%8
		} else {
			n++
		}
	}
	return n
}

// `:checkhealth agent_diff` asks the attached servers.
func TestHealth(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.asked()
		goOn := s.agent.stop()
		s.press(":AgentDiff health<CR>")
		s.see("is attached and does not answer")
		goOn()
		s.press("q")
		s.notSee("is attached and")
		s.press(":AgentDiff health<CR>") // not installed: a float of ours
		s.see("OK      the agent at channel")
		s.press("q")
		s.notSee("OK      the agent")
		root, err := filepath.Abs("..")
		must(s.t, err)
		s.lua(nil, `vim.opt.runtimepath:append(...)`, root)
		s.press(":AgentDiff health<CR>")
		s.see("answers, in")
		s.until("it is Neovim's", `return vim.bo.filetype == 'checkhealth'`)
	})
}

// asLualine and asHeirline do with what the help shows for those plugins as the plugins do: a component of lualine's is a function,
// called by itself at times; one of heirline's is kept until an event of its own says that it has changed.
const (
	asLualine = `
		package.preload.lualine = function()
			return { setup = function(config) _G.component = config.sections.lualine_x[1] end }
		end
		assert(loadstring(...))()
		function _G.line() return tostring(_G.component({}, true)) end
		vim.o.statusline = 'lualine %{v:lua.line()}'
		vim.uv.new_timer():start(100, 100, vim.schedule_wrap(function() vim.cmd('redrawstatus') end))`
	asHeirline = `
		local component = assert(loadstring(... .. ' return AgentDiff'))()
		local kept
		vim.api.nvim_create_autocmd(component.update[1], {
			pattern = component.update.pattern,
			callback = function(...)
				kept = nil
				component.update.callback(...)
			end,
		})
		function _G.line()
			kept = kept or '%#' .. component.hl .. '#' .. component.provider()
			return kept
		end
		vim.o.statusline = 'heirline %{%v:lua.line()%}'`
)

// The statuslines that the help shows say what waits, and nothing when nothing does.
func TestStatuslineOfTheHelp(t *testing.T) {
	help, err := os.ReadFile(filepath.Join("..", "doc", "agent-diff.txt"))
	must(t, err)
	example := func(after string) string {
		_, code, _ := strings.Cut(string(help), after)
		_, code, _ = strings.Cut(code, ">lua\n")
		code, _, _ = strings.Cut(code, "\n<\n")
		return code
	}
	forEachNvim(t, func(s *story) {
		s.lua(nil, example("In a plain 'statusline'"))
		s.file("a.txt", three())
		s.open("a.txt")
		for _, way := range []struct{ shows, do, code string }{
			{"a.txt", "", ""},
			{"lualine", asLualine, example("In lualine")},
			{"heirline", asHeirline, example("In heirline")},
		} {
			if way.do != "" {
				s.lua(nil, `for _, autocmd in ipairs(vim.api.nvim_get_autocmds({ event = 'User', pattern = 'AgentDiff*' })) do
					if not autocmd.group then vim.api.nvim_del_autocmd(autocmd.id) end
				end`)
				s.lua(nil, way.do, way.code)
			}
			s.see(way.shows)
			call := s.propose("a.txt", three(), three(1, 2, 3), "")
			s.see("agent-diff: 1 review, 3 pending")
			s.shown()
			s.press("a")
			s.see("agent-diff: 1 review, 2 pending")
			s.press("R")
			call.result()
			s.notSee("agent-diff: 1 review")
		}
	})
}
