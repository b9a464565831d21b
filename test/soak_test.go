package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// soakRounds is how many proposals the soak makes: enough to see what grows. $SOAK_ROUNDS sets another number (`make soak`).
const soakRounds = 150

// slack is by how much that may differ which is not always as full, memory in kB.
var slack = map[string]int{"server's memory": 12_000, "Neovim's memory": 6_000, "Lua's memory": 300, "server's threads": 4}

// Proposals one after the other, in one process and one Neovim, decided in all ways: after the first hundred nothing grows.
func TestSoak(t *testing.T) {
	rounds := soakRounds
	if given := os.Getenv("SOAK_ROUNDS"); given != "" {
		n, err := strconv.Atoi(given)
		must(t, err)
		rounds = n
	}
	forEachNvim(t, func(s *story) {
		var first map[string]int
		for i := range rounds {
			if i == 100 {
				first = s.holdings()
			}
			s.soak(i)
		}
		if first == nil {
			s.t.Fatal("there must be more than 100 rounds")
		}
		last := s.holdings()
		s.t.Logf("after 100 rounds %v, after %d %v", first, rounds, last)
		for what, n := range last {
			if n > first[what]+slack[what] {
				s.t.Errorf("%s: %d after 100 rounds, %d after %d", what, first[what], n, rounds)
			}
		}
	})
}

// soak is one proposal.
func (s *story) soak(round int) {
	s.t.Helper()
	name := fmt.Sprintf("%d.txt", round%7)
	s.file(name, three())
	if round%10 == 0 {
		s.open(name)
	}
	call := s.propose(name, three(), three(1, 2, 3), fmt.Sprint("round ", round))
	s.calls = s.calls[:0]
	s.shown()
	switch round % 5 {
	case 0:
		s.press("R")
		call.result().rejected(name)
	case 1:
		s.press("A")
		call.result().accepted(name, true)
	case 2:
		s.press("aruu<Space>sarqy")
		call.result()
	case 3:
		s.press("aq")
		s.see("Finish anyway?")
		call.cancel()
		s.over()
		s.lua(nil, `vim.api.nvim_buf_delete(vim.fn.bufnr('^' .. ... .. '$'), { force = true })`, s.path(name)) // what was applied stays
	default:
		s.press("a:q!<CR>")
		call.result().accepted(name, true)
	}
	s.over()
}

// holdings counts what the two programs hold.
func (s *story) holdings() map[string]int {
	s.t.Helper()
	var held map[string]int
	s.lua(&held, `
		local api, extmarks, loaded = vim.api, 0, 0
		for _, buf in ipairs(api.nvim_list_bufs()) do
			if api.nvim_buf_is_loaded(buf) then
				loaded = loaded + 1
				extmarks = extmarks + #api.nvim_buf_get_extmarks(buf, -1, 0, -1, {})
			end
		end
		jit.flush() -- it keeps the chunks of the tests' own that it has compiled
		collectgarbage()
		collectgarbage()
		return {
			buffers = #api.nvim_list_bufs(), ['loaded buffers'] = loaded, extmarks = extmarks,
			autocommands = #api.nvim_get_autocmds({}), windows = #api.nvim_list_wins(), timers = #vim.fn.timer_info(),
			namespaces = vim.tbl_count(api.nvim_get_namespaces()), channels = #api.nvim_list_chans(),
			['listeners to keys'] = vim.on_key(), ["Lua's memory"] = math.floor(collectgarbage('count')),
		}`)
	for name, pid := range map[string]int{"server's": s.agent.cmd.Process.Pid, "Neovim's": s.nvim.Pid()} {
		proc := filepath.Join("/proc", strconv.Itoa(pid))
		for what, folder := range map[string]string{" open files": "fd", " threads": "task"} {
			entries, err := os.ReadDir(filepath.Join(proc, folder))
			must(s.t, err)
			held[name+what] = len(entries)
		}
		held[name+" memory"] = memoryOf(s.t, pid, "VmRSS") >> 10
	}
	return held
}
