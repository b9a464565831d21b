package test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every proposal is in the log with what became of it, for the person to look at in Neovim and on the command line; what
// is in it drives neither.
func TestLog(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		s.open("a.txt")
		evil := "why\nvim: set ft=evil :\x1b]0;owned\a \u202e"
		call := s.propose("a.txt", three(), three(1, 3), evil)
		s.states(pending, pending)
		s.press("arq")
		call.result().accepted("a.txt", true)
		s.over()
		s.propose("../outside", "", "x\n", "").result().failed("PathNotInSandboxError")
		refused := s.propose("new.txt", "", "it's\tnew\n", "")
		s.states(pending)
		s.press("R")
		refused.result().rejected("new.txt")
		s.over()

		s.lua(nil, `vim.cmd('AgentDiff log')`)
		var log string
		s.lua(&log, `
			local bo = vim.bo
			assert(bo.buftype == 'nofile' and not bo.modeline and not bo.modifiable and bo.filetype ~= 'evil', 'not as it should be')
			return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n')`)
		rejected, accepted := strings.Index(log, "  rejected  story propose_file_edit  new.txt\n"), strings.Index(log, "  accepted 1/2  story propose_file_edit  a.txt\n")
		if rejected < 0 || accepted < rejected || !strings.Contains(log, "\n+it's\tnew\n") || !strings.Contains(log, "    why ⏎ vim: set") {
			s.t.Errorf("the log in Neovim:\n%s", log)
		}
		s.see("agent-diff://log")
		s.press("q")
		s.notSee("agent-diff://log")
		s.lua(nil, `vim.cmd('AgentDiff log') vim.cmd('AgentDiff log')`) // again takes the place of the first
		s.press("q")
		s.notSee("agent-diff://log")

		out := s.command("log", "--diff")
		if !strings.Contains(out, "accepted 1/2  story propose_file_edit  a.txt  why vim: set ft=evil :^[]0;owned^G <202e>\n") ||
			strings.Contains(out, "\x1b") || !strings.Contains(out, "\n+it's\tnew\n") {
			s.t.Errorf("log --diff:\n%s", out)
		}
		var entry struct {
			Description, Decision string
			Files                 []struct{ Path, Proposed, Applied string }
		}
		must(s.t, json.Unmarshal([]byte(strings.SplitAfter(s.command("log", "--json"), "\n")[0]), &entry))
		if entry.Description != evil || entry.Decision != "accepted" || !strings.Contains(entry.Files[0].Proposed, "\n+") || entry.Files[0].Applied == "" {
			s.t.Errorf("%+v", entry)
		}
		if out := s.command("log", "-n", "1"); strings.Count(out, "\n") != 1 {
			s.t.Errorf("log -n 1:\n%s", out)
		}

		s.file(filepath.Join(s.nvim.Home(), ".config/nvim-agent-diff/config.toml"), "log = false\n")
		again := s.propose("new.txt", "", "again\n", "")
		s.states(pending)
		s.press("R")
		again.result().rejected("new.txt")
		if out := s.command("log", "-n", "0"); strings.Count(out, "\n") != 2 {
			s.t.Errorf("it was switched off, but:\n%s", out)
		}
		must(s.t, os.Remove(filepath.Join(s.nvim.Home(), ".local/state/nvim-agent-diff/log.jsonl")))
		s.over()
		s.press(":AgentDiff log<CR>")
		s.see("the log is empty")
	})
}

// command is what the program prints.
func (s *story) command(args ...string) string {
	s.t.Helper()
	cmd := exec.Command(program(s.t), args...)
	cmd.Dir, cmd.Env, cmd.Stderr = s.dir, append(s.nvim.Env(), "LANG=C.UTF-8", fmt.Sprintf("PATH=%s", os.Getenv("PATH"))), os.Stderr
	out, err := cmd.Output()
	must(s.t, err)
	return string(out)
}
