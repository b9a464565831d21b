package test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nvim-agent-diff/screen"
)

// Section 4: what statuslines, plugins and tests rely on.
func TestReviewBuffer(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("dir/a b.txt", three())
		s.open("dir/a b.txt")
		s.propose("dir/a b.txt", three(), three(1, 2, 3), "count\r\nbetter")
		s.shown()
		s.until("the buffer is as promised", `
			local bo, name = vim.bo, vim.api.nvim_buf_get_name(0)
			return name:match('^agent%-diff://[^/]+/dir/a b%.txt$') and bo.filetype == 'agentdiff' and bo.buftype == 'nofile'
				and not bo.modeline and not bo.modifiable and not bo.modified and vim.wo.winfixbuf`)
		var lines []string
		s.lua(&lines, `return vim.api.nvim_buf_get_lines(0, 0, -1, true)`)
		head, diff, _ := strings.Cut(strings.Join(lines, "\n")+"\n", "\n--- ")
		for _, want := range []string{
			"Agent proposes changes to: dir/a b.txt", "Description: count ⏎ better", "Progress: 0/3 applied, 0 rejected, 3 pending",
		} {
			if !strings.Contains("\n"+head+"\n", "\n"+want+"\n") {
				s.t.Errorf("the head should have the line %q:\n%s", want, head)
			}
		}
		s.appliesToDisk("--- "+diff, three(1, 2, 3), "dir/a b.txt")
	})
}

// appliesToDisk: git and patch make of the disk's file what is wanted.
func (s *story) appliesToDisk(diff, want, name string) {
	s.t.Helper()
	s.file("the.patch", diff)
	tools := [][]string{{"git", "apply", "the.patch"}, {"patch", "-p1", "-i", "the.patch"}}
	if strings.HasSuffix(name, " ") {
		tools = tools[:1] // patch cannot name such a file
	}
	for _, tool := range tools {
		cmd := exec.Command(tool[0], tool[1:]...)
		cmd.Dir = s.t.TempDir()
		copied := exec.Command("cp", "-r", s.dir+"/.", cmd.Dir)
		must(s.t, copied.Run())
		if out, err := cmd.CombinedOutput(); err != nil {
			s.t.Errorf("%v: %v\n%s\n%s", tool, err, out, diff)
			continue
		}
		other := story{t: s.t, dir: cmd.Dir}
		other.fileIs(name, want)
	}
}

func TestDictionary(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.asked()
		s.press("ar")
		s.states(applied, rejected, pending)
		s.until("b:agent_diff and reviews() say all of it", `
			local path = ...
			local d = vim.b.agent_diff
			local first = require('agent_diff').reviews()[1]
			local bufnr = first.bufnr
			first.bufnr = nil
			return bufnr == vim.api.nvim_get_current_buf() and vim.deep_equal(d, first)
				and d.path == path and d.tool == 'propose_file_edit' and d.description == 'count better'
				and vim.api.nvim_buf_get_name(d.source_bufnr) == path
				and d.total == 3 and d.applied == 1 and d.rejected == 1 and d.pending == 1 and d.conflict == 0
				and #d.hunks == 3 and d.hunks[1].state == 'applied' and d.hunks[1].header == '@@ -1,7 +1,7 @@'
				and d.hunks[2].index == 2 and d.hunks[2].state == 'rejected' and d.hunks[3].id ~= d.hunks[2].id
				and vim.api.nvim_buf_get_name(0):find(d.id, 1, true)`, s.path("a.txt"))
		var line string
		s.lua(&line, `return require('agent_diff').statusline()`)
		if line == "" || strings.ContainsAny(line, "\n%") {
			s.t.Errorf("statusline() during a review: %q", line)
		}
		s.press("R")
		s.over()
		s.lua(&line, `return require('agent_diff').statusline()`)
		if line != "" {
			s.t.Errorf("statusline() without a review: %q", line)
		}
	})
}

// The User autocommands tell of every step, with counts.
func TestEvents(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("arq")
		s.see("1 undecided")
		s.press("y")
		call.result()
		s.over()
		var seen []string
		err := s.nvim.Wait(patience, "all events", func(*screen.Snapshot) bool {
			seen = nil
			for _, e := range s.nvim.Events() {
				seen = append(seen, e.Match)
			}
			return strings.Join(seen, " ") == "AgentDiffOpen AgentDiffHunk AgentDiffHunk AgentDiffDone"
		})
		if err != nil {
			s.t.Fatalf("%v\nsaw %v", err, seen)
		}
		events := s.nvim.Events()
		want := []map[string]int64{
			{"applied": 0, "rejected": 0, "pending": 3},
			{"applied": 1, "rejected": 0, "pending": 2},
			{"applied": 1, "rejected": 1, "pending": 1},
			{"applied": 1, "rejected": 1, "pending": 1},
		}
		for i, e := range events {
			data, _ := e.Data.(map[string]any)
			for name, n := range want[i] {
				if data[name] != n {
					s.t.Errorf("%s: %s should be %d: %v", e.Match, name, n, data)
				}
			}
			if data["id"] == nil || data["path"] != s.path("a.txt") || data["total"] != int64(3) {
				s.t.Errorf("%s should have id, path and total: %v", e.Match, data)
			}
		}
		if data := events[len(events)-1].Data.(map[string]any); data["decision"] != "accepted" {
			s.t.Errorf("AgentDiffDone should have the decision: %v", data)
		}
	})
}

// AgentDiffDone and the answer to the agent say the same, also where the states do not show it.
func TestDoneAsAnswered(t *testing.T) {
	forEachNvim(t, func(s *story) {
		var all []string
		decision := func(want string) {
			s.t.Helper()
			all = append(all, want)
			s.met(s.nvim.Wait(patience, fmt.Sprint("AgentDiffDone with the decisions ", all), func(*screen.Snapshot) bool {
				var told []string
				for _, e := range s.nvim.Events() {
					if data, _ := e.Data.(map[string]any); e.Match == "AgentDiffDone" {
						told = append(told, fmt.Sprint(data["decision"]))
					}
				}
				return slices.Equal(told, all)
			}))
		}
		s.lua(nil, `vim.g.agent_diff = { arm_ms = 0, toggle_applied = 'mark' }`)
		call := s.asked()
		s.press("ap<Space>qy")
		call.result().accepted("a.txt", true).hunks(0, 0, 3, 0)
		decision("accepted")
		s.over()
		s.file("b.txt", three())
		call = s.propose("b.txt", three(), three(1, 2), "")
		s.shown()
		s.press("a")
		s.states(applied, pending)
		s.lua(nil, `vim.api.nvim_buf_delete(vim.b.agent_diff.source_bufnr, { force = true })`)
		call.result().rejected("b.txt")
		decision("rejected")
		s.over()

		// By what was written, not by what was applied when the buffer went.
		for _, test := range []struct{ name, before, write, after, want string }{
			{"c.txt", "n", "write", "a", "rejected"},
			{"d.txt", "a", "write", "pr", "accepted"},
			{"e.txt", "a", "write other.txt", "n", "rejected"},
		} {
			s.file(test.name, three())
			call = s.propose(test.name, three(), three(1, 2), "")
			s.shown()
			s.press(test.before)
			s.lua(nil, `
				local command = ...
				vim.api.nvim_buf_call(vim.b.agent_diff.source_bufnr, function() vim.cmd('silent ' .. command) end)`, test.write)
			s.press(test.after)
			s.lua(nil, `vim.api.nvim_buf_delete(vim.b.agent_diff.source_bufnr, { force = true })`)
			if result := call.result(); test.want == "accepted" {
				result.accepted(test.name, true).hunks(1, 0, 1, 0)
			} else {
				result.rejected(test.name)
			}
			decision(test.want)
			s.over()
		}
	})
}

// Buffers that have the names of others: those that a session brings back that was saved during a review, and one that is
// called like the file, but is something else.
func TestNamesOfOthers(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.lua(nil, `vim.cmd.badd('agent-diff://1/a.txt')`)
		call := s.asked()
		s.press("R")
		call.result().rejected("a.txt")
		s.file("b.txt", three())
		s.lua(nil, `
			local bufnr = vim.api.nvim_create_buf(true, true)
			vim.api.nvim_buf_set_name(bufnr, ...)
			vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, { 'notes' })`, s.path("b.txt"))
		s.propose("b.txt", three(), three(1), "").result().failed("tool_failed").says("is not the file", "Nothing was changed.")
	})
}

// The commands do what the keys do.
func TestCommands(t *testing.T) {
	forEachNvim(t, func(s *story) {
		first := s.asked()
		s.file("b.txt", three())
		second := s.propose("b.txt", three(), three(1), "")
		s.reviews(2)
		s.until("both are ready", `return require('agent_diff').reviews()[2].total == 1`)
		s.press(":AgentDiff help<CR>")
		s.see("accept all undecided hunks")
		s.press("q")
		s.notSee("accept all undecided hunks")
		s.press("ar")
		s.states(applied, rejected, pending)
		s.pressed(":AgentDiff next<CR>")
		s.states(pending)
		s.pressed(":AgentDiff prev<CR>")
		s.states(applied, rejected, pending)
		s.pressed(":tabfirst<CR>")
		s.inSource("a.txt", 1)
		s.pressed(":AgentDiff<CR>")
		s.cursorOn(3)
		s.pressed(":AgentDiff list<CR>")
		s.until("the undecided hunks are in the quickfix list", `return vim.bo.buftype == 'quickfix' and #vim.fn.getqflist() == 2`)
		s.pressed(":cclose<CR>:AgentDiff<CR>")
		s.press(":AgentDiff finish<CR>")
		s.see("1 undecided")
		s.press("y")
		first.result().accepted("a.txt", true).hunks(1, 1, 1, 0)
		s.states(pending)
		s.press(":AgentDiff reject<CR>")
		second.result().rejected("b.txt")
		s.over()
		s.file("c.txt", three())
		third := s.propose("c.txt", three(), three(1, 3), "")
		s.states(pending, pending)
		s.press(":AgentDiff accept<CR>")
		third.result().accepted("c.txt", true).hunks(2, 0, 0, 0)
		s.over()
		s.press(":AgentDiff<CR>")
		s.see("nothing to review")
		s.press(":AgentDiff nonsense<CR>")
		s.see("nonsense")
	})
}

// Wrong configuration is named in a warning, and the rest still works; keys can be changed.
func TestConfiguration(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		s.open("a.txt")
		s.lua(nil, `
			_G.warnings = {}
			vim.notify = function(text) table.insert(_G.warnings, text) end
			vim.g.agent_diff = {
				arm_ms = 0, colour = 'red', save = 'sometimes', keys = { accept = 'X', reject = { 'Y', 'Z' }, explode = 'b', next = 7 },
			}`)
		call := s.proposeThree()
		s.press("aXYZq")
		call.result().accepted("a.txt", true).hunks(1, 2, 0, 0)
		var warnings []string
		s.lua(&warnings, `return _G.warnings`)
		all := strings.Join(warnings, "\n")
		for _, name := range []string{"colour", "save", "keys.explode", "keys.next"} {
			if !strings.Contains(all, name) {
				s.t.Errorf("a warning should name %s: %q", name, warnings)
			}
		}
	})
}

// <Plug> mappings: a user's own keys for them win.
func TestPlugMappings(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.lua(nil, `vim.api.nvim_create_autocmd('FileType', { pattern = 'agentdiff', callback = function(args)
			vim.keymap.set('n', 'gA', '<Plug>(AgentDiffAccept)', { buffer = args.buf, remap = true })
		end })`)
		call := s.asked()
		s.until("the mapping is there", `return vim.fn.maparg('gA', 'n') ~= ''`)
		s.press("gA")
		s.states(applied, pending, pending)
		s.press("R")
		call.result().rejected("a.txt")
	})
}

// A user's own mappings and a long 'timeoutlen' do not delay a key.
func TestKeysDoNotWait(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.lua(nil, `
			vim.o.timeoutlen = 1000000
			vim.g.mapleader = ' '
			vim.keymap.set('n', '<leader>x', 'ix<Esc>')
			vim.keymap.set('n', 'ab', 'ix<Esc>')
			vim.keymap.set('n', 'rr', 'ix<Esc>')
			vim.keymap.set('n', 'qq', 'ix<Esc>')`)
		call := s.asked()
		s.press("<Space>")
		s.states(applied, pending, pending)
		s.press("a")
		s.states(applied, pending, pending)
		s.press("r")
		s.states(applied, rejected, pending)
		s.press("q")
		s.see("1 undecided")
		s.press("y")
		call.result().accepted("a.txt", true)
	})
}

// The program finds the Neovim of the project by itself, with hardly an environment.
func TestFindsNeovim(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		s.open("a.txt")
		var env []string
		for _, v := range s.nvim.Env() {
			for _, name := range []string{"HOME=", "PATH=", "LANG=", "TERM=", "XDG_RUNTIME_DIR="} {
				if strings.HasPrefix(v, name) {
					env = append(env, v)
				}
			}
		}
		// Where Neovim listens by itself; what screen listens on is nowhere where anybody would look.
		s.lua(nil, `vim.fn.serverstart(vim.env.XDG_RUNTIME_DIR .. '/nvim.' .. vim.fn.getpid() .. '.0')`)
		s.agent = startAgent(s.t, s.dir, env)
		call := s.agent.propose(filepath.Join(s.dir, "a.txt"), three(), three(1, 2, 3), "")
		s.shown()
		s.press("A")
		call.result().accepted(filepath.Join(s.dir, "a.txt"), true)
	})
}
