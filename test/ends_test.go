package test

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"nvim-agent-diff/screen"
	"nvim-agent-diff/screen/screentest"
)

// within fails when something took longer than the contract allows, or several times as long on a machine of which nobody
// knows what else it does: only TEST_TIMES=exact takes the contract at its word.
func within(t testing.TB, limit time.Duration, since, at time.Time) {
	t.Helper()
	allowed := limit
	if os.Getenv("TEST_TIMES") != "exact" {
		allowed *= 10
	}
	if took := at.Sub(since); took > allowed {
		t.Errorf("took %v, %v are promised", took, limit)
	}
}

// next: the next call works.
func (s *story) next(original string) {
	s.t.Helper()
	call := s.propose("a.txt", original, three(1, 2, 3), "the next one")
	s.see("Description: the next one")
	s.press("A")
	call.result()
	s.bufferIs("a.txt", three(1, 2, 3))
	s.over()
}

// A cancel ends the review wherever it is, nothing is decided by it, and the next call works.
func TestCancelledAnywhere(t *testing.T) {
	cases := []struct {
		name string
		do   func(s *story) (c *call, buffer string)
	}{
		{"before its turn", func(s *story) (*call, string) {
			s.asked()
			c := s.propose("a.txt", three(), three(3), "the second")
			s.reviews(2)
			c.cancel()
			s.reviews(1)
			s.states(pending, pending, pending)
			s.press("R")
			return c, three()
		}},
		{"in the background", func(s *story) (*call, string) {
			s.file("a.txt", three())
			s.open("a.txt")
			s.press("A!")
			c := s.propose("a.txt", three(), three(1, 2, 3), "")
			s.see("waits: :AgentDiff")
			c.cancel()
			s.notSee("waits: :AgentDiff")
			s.reviews(0)
			s.press("?<Esc>u")
			return c, three()
		}},
		{"shown, from another tab", func(s *story) (*call, string) {
			c := s.asked()
			s.pressed("aa")
			s.pressed("gtGl")
			c.cancel()
			s.over()
			s.see("cancelled its proposal for a.txt; applied hunks stay: 1, 2")
			s.until("the user is where they were", `return vim.fn.bufname() == 'a.txt' and #vim.api.nvim_list_tabpages() == 1`)
			return c, three(1, 2)
		}},
		{"during the question", func(s *story) (*call, string) {
			c := s.asked()
			s.press("aq")
			s.see("Finish anyway?")
			c.cancel()
			s.over()
			s.notSee("Finish anyway?")
			s.until("no float is left", `return #vim.api.nvim_list_wins() == 1`)
			return c, three(1)
		}},
		{"while the user types in its source window", func(s *story) (*call, string) {
			c := s.asked()
			s.press("a<CR>GA!")
			s.see("30!")
			c.cancel()
			s.reviews(0)
			s.press("?")
			s.see("30!?")
			s.press("<Esc>")
			s.over()
			s.until("where they were", `return #vim.api.nvim_list_wins() == 1 and vim.fn.mode() == 'n'`)
			s.pressed("G$xx")
			return c, three(1)
		}},
		{"while the user types a command", func(s *story) (*call, string) {
			c := s.asked()
			s.press("a:let g:typed = 'on")
			s.see(":let g:typed = 'on")
			c.cancel()
			s.reviews(0)
			s.press("e'<CR>")
			s.over()
			s.until("the command was run", `return vim.g.typed == 'one'`)
			return c, three(1)
		}},
		{"in the command-line window", func(s *story) (*call, string) {
			c := s.asked()
			s.press("a:<C-f>")
			s.until("the command-line window", `return vim.fn.getcmdwintype() ~= ''`)
			c.cancel()
			s.reviews(0)
			s.until("the command-line window", `return vim.fn.getcmdwintype() ~= ''`)
			s.press("ilet g:typed = 1<Esc><CR>")
			s.over()
			s.until("the command was run", `return vim.g.typed == 1 and #vim.api.nvim_list_wins() == 1`)
			return c, three(1)
		}},
		{"in a command-line window elsewhere", func(s *story) (*call, string) {
			c := s.asked()
			s.press("agtq:")
			s.until("the command-line window", `return vim.fn.getcmdwintype() ~= ''`)
			c.cancel()
			s.reviews(0)
			s.press(":q<CR>")
			s.over()
			s.until("one window is left", `return #vim.api.nvim_list_wins() == 1`)
			return c, three(1)
		}},
		{"at a prompt", func(s *story) (*call, string) {
			c := s.asked()
			s.press("a")
			s.states(applied, pending, pending)
			s.press(`:echo "one\ntwo"<CR>`)
			s.see("Press ENTER")
			c.cancel()
			s.press("<CR>")
			s.over()
			return c, three(1)
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				call, buffer := c.do(s)
				s.over()
				s.bufferIs("a.txt", buffer)
				s.next(buffer)
				s.waiting(call) // a cancelled call is not answered
			})
		})
	}
}

// A review that is over before the cancel arrives has its own answer.
func TestCancelCrossesDecision(t *testing.T) {
	forEachNvim(t, func(s *story) {
		for range 10 {
			s.file("a.txt", three())
			s.open("a.txt")
			s.lua(nil, `vim.cmd.edit({ bang = true })`)
			call := s.proposeThree()
			s.press("A")
			call.cancel()
			s.over()
			s.until("the file is the buffer's", `return not vim.bo[vim.fn.bufnr('a.txt')].modified or
				vim.fn.getbufline('a.txt', 4)[1] == 'FOUR'`)
		}
	})
}

// The agent ends in any way: within a second the review says so, decides nothing more, keeps what is applied, and q closes
// it. The next agent need not wait for that.
func TestAgentEnds(t *testing.T) {
	ways := []struct {
		name string
		end  func(a *agent)
	}{
		{"stdin closed", func(a *agent) { a.hangUp() }},
		{"SIGTERM", func(a *agent) { a.signal(syscall.SIGTERM) }},
		{"SIGINT", func(a *agent) { a.signal(syscall.SIGINT) }},
		{"SIGHUP", func(a *agent) { a.signal(syscall.SIGHUP) }},
		{"SIGKILL", func(a *agent) { a.signal(syscall.SIGKILL) }},
	}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				s.file("a.txt", three())
				s.open("a.txt")
				before := s.state()
				s.proposeThree()
				s.pressed("a")
				ended := time.Now()
				way.end(s.agent)
				s.see("The agent is gone")
				within(s.t, time.Second, ended, time.Now())
				s.cursorOn(2) // though the head has grown
				s.pressed("aArR ")
				s.states(applied, pending, pending)
				s.agent.gone(patience)
				s.press("q") // closes, and asks nothing
				s.over()
				s.bufferIs("a.txt", three(1))
				s.fileIs("a.txt", three())
				s.pressed("u")
				s.asBefore(before, "changedtick", "undo", "view of", "jumps of", "option buf 1 \"modified\"")

				s.agent = s.another()
				s.press(":edit!<CR>")
				s.proposeThree()
				s.pressed("a")
				way.end(s.agent)
				s.see("The agent is gone")
				s.agent = s.another()
				s.next(three(1))
			})
		})
	}
}

// An agent that ends leaves none of its waiting reviews behind.
func TestAgentEndsWithQueue(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.asked()
		s.propose("a.txt", three(), three(3), "")
		s.file("b.txt", three())
		s.propose("b.txt", three(), three(3), "")
		s.reviews(3)
		s.agent.signal(syscall.SIGKILL)
		s.see("The agent is gone")
		s.reviews(1)
		s.press("q")
		s.over()
	})
}

// gate is a socket between the server and Neovim, that a test can cut.
type gate struct {
	addr string
	mu   sync.Mutex
	open []net.Conn
}

func newGate(t testing.TB, to string) *gate {
	t.Helper()
	g := &gate{addr: filepath.Join(t.TempDir(), "gate")}
	l, err := net.Listen("unix", g.addr)
	must(t, err)
	t.Cleanup(func() { _ = l.Close(); g.cut() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("unix", to)
			if err != nil {
				_ = in.Close()
				continue
			}
			g.mu.Lock()
			g.open = append(g.open, in, out)
			g.mu.Unlock()
			go func() { _, _ = io.Copy(in, out); _ = in.Close() }()
			go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
		}
	}()
	return g
}

func (g *gate) cut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.open {
		_ = c.Close()
	}
	g.open = nil
}

// The connection breaks: the agent is told within a second what had been applied and what the disk holds, the review says
// that the agent is gone, and the next call connects anew.
func TestConnectionCut(t *testing.T) {
	forEachNvim(t, func(s *story) {
		g := newGate(s.t, s.nvim.Addr())
		s.agent = startAgent(s.t, s.dir, s.nvim.Env(), "--nvim", g.addr, "--root", s.dir)
		call := s.asked()
		s.pressed("ara")
		s.states(applied, rejected, applied)
		cut := time.Now()
		g.cut()
		call.result().failed("editor_lost").says("hunks 1, 3 of 3 had been applied in the buffer", "disk holds no hunk", "ead the file")
		within(s.t, time.Second, cut, call.at)
		s.see("The agent is gone")
		within(s.t, time.Second, cut, time.Now())
		s.next(three(1, 3))
	})
}

// A Neovim that is killed is known to be dead within a second, and a new one is found, at the same address or at another,
// without restarting the server.
func TestNewNeovimAfterDeath(t *testing.T) {
	screentest.Each(t, func(t *testing.T, nvim string) {
		dir, home := project(t), t.TempDir()
		addr := filepath.Join(t.TempDir(), "s")
		start := func(addr string) *story {
			s := &story{t: t, dir: dir}
			repo, err := filepath.Abs("..")
			must(t, err)
			args := append([]string{"--cmd", "set rtp^=" + repo}, armed...) // the plugin is installed
			s.nvim = screentest.Start(t, screen.Options{Nvim: nvim, Dir: dir, Args: args, Addr: addr, Home: home})
			return s
		}
		s := start(addr)
		// By its folder, not by its address, as agents are set up.
		s.agent = startAgent(t, s.dir, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, "--root", s.dir)
		for _, next := range []string{addr, filepath.Join(t.TempDir(), "other")} {
			call := s.asked()
			s.pressed("a:w a.txt<CR>")
			s.inFile("a.txt", ":w<CR>")
			s.pressed("a")
			killed := time.Now()
			s.nvim.Kill()
			call.result().failed("editor_lost").says("hunks 1, 2 of 3 had been applied in the buffer", "disk holds hunk 1")
			within(t, time.Second, killed, call.at)
			s.fileIs("a.txt", three(1))
			s.propose("a.txt", three(1), three(1, 2), "").result().failed("editor_unavailable")
			_ = os.RemoveAll(filepath.Join(home, ".local/state/nvim/swap"))
			agent := s.agent
			s = start(next)
			s.agent = agent
		}
		s.asked()
	})
}

// A Neovim that is stopped answers nothing, but a cancel ends the call all the same, and so does the end of the agent.
func TestStoppedNeovim(t *testing.T) {
	forEachNvim(t, func(s *story) {
		stop := func() { must(s.t, syscall.Kill(s.nvim.Pid(), syscall.SIGSTOP)) }
		cont := func() { must(s.t, syscall.Kill(s.nvim.Pid(), syscall.SIGCONT)) }
		defer cont()
		s.file("a.txt", three())
		s.file("wanted.txt", three(1))
		s.open("a.txt")
		cmd := exec.Command(program(s.t), "--nvim", s.nvim.Addr(), "propose", "--file", "a.txt", "--modified", "wanted.txt")
		cmd.Dir, cmd.Env = s.dir, s.nvim.Env()
		must(s.t, cmd.Start())
		s.states(pending)
		stop()
		interrupted := time.Now()
		must(s.t, cmd.Process.Signal(os.Interrupt))
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
			s.t.Errorf("interrupted: %v", cmd.ProcessState)
		}
		within(s.t, 2*time.Second, interrupted, time.Now())
		cont()
		// Neovim may read the cancel, or only find that nobody is there any more.
		s.until("cancelled, or the agent is gone", `
			local review = require('agent_diff').reviews()[1]
			return not review or vim.fn.search('The agent is gone', 'nw') > 0`)
		s.lua(nil, `vim.cmd.AgentDiff('finish')`)
		s.over()

		call := s.proposeThree()
		s.states(pending, pending, pending)
		stop()
		call.cancel()
		cont()
		s.over()

		s.proposeThree()
		s.states(pending, pending, pending)
		stop()
		ended := time.Now()
		_ = s.agent.stdin.Close()
		s.agent.gone(patience)
		within(s.t, 2*time.Second, ended, time.Now())
		cont()
		s.see("The agent is gone")
	})
}
