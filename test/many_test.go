package test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"nvim-agent-diff/screen"
	"nvim-agent-diff/screen/screentest"
)

// desk is a person with several projects, and a Neovim in each; the plugin is installed.
type desk struct {
	t    *testing.T
	nvim string
	home string
}

func newDesk(t *testing.T, nvim string) *desk {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return &desk{t: t, nvim: nvim, home: home}
}

// repository is this project's own folder, which is the plugin.
func repository(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	must(t, err)
	return dir
}

// work opens a Neovim in a new project.
func (d *desk) work() *story {
	d.t.Helper()
	return d.workIn(project(d.t))
}

// workIn opens a Neovim in a folder.
func (d *desk) workIn(dir string) *story {
	d.t.Helper()
	s := &story{t: d.t, dir: dir}
	s.nvim = screentest.Start(d.t, screen.Options{
		Nvim: d.nvim, Dir: s.dir, Home: d.home, Args: append([]string{"--cmd", "set rtp+=" + repository(d.t)}, armed...),
	})
	must(d.t, s.nvim.Listen("User", "AgentDiff*"))
	s.until("it is in the registry", `return vim.fn.filereadable(
		vim.env.HOME .. '/.local/state/nvim-agent-diff/instances/' .. vim.fn.getpid() .. '.json') == 1`)
	return s
}

// headless starts a Neovim without a screen in a project, as test suites do.
func (d *desk) headless(s *story) {
	d.t.Helper()
	// Scheduled twice: behind the plugin, which writes its entry in the registry in a scheduled function.
	up := `autocmd VimEnter * lua vim.schedule(function() vim.schedule(function() io.stdout:write('up\n') end) end)`
	cmd := exec.Command(d.nvim, "--headless", "--clean", "--listen", s.path("nvim.1.0"),
		"--cmd", "set rtp+="+repository(d.t), "--cmd", up)
	cmd.Dir, cmd.Env = s.dir, d.poor()
	out, err := cmd.StdoutPipe()
	must(d.t, err)
	must(d.t, cmd.Start())
	d.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	giveUp := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil || !giveUp.Stop() {
		d.t.Fatalf("the Neovim without a screen did not start: %v", err)
	}
}

// poor is what every agent passes on of the environment, and some pass on nothing else.
func (d *desk) poor() []string {
	return []string{"HOME=" + d.home, "LANG=C.UTF-8", "PATH=" + os.Getenv("PATH"), "TERM=xterm"}
}

// agent is a new agent for these projects, which must find the right Neovim by itself.
func (d *desk) agent(projects ...*story) *agent {
	d.t.Helper()
	var roots []string
	for _, s := range projects {
		roots = append(roots, "--root", s.dir)
	}
	return startAgent(d.t, projects[0].dir, d.poor(), roots...)
}

// queue lists what the reviews in this Neovim say, in their order.
func (s *story) queue() []string {
	s.t.Helper()
	var descriptions []string
	s.lua(&descriptions, `
		local reviews = require('agent_diff').reviews()
		return vim.tbl_map(function(review) return review.description end, reviews)`)
	return descriptions
}

// queued waits until so many reviews are open or wait here.
func (s *story) queued(count int) {
	s.t.Helper()
	s.until(fmt.Sprintf("%d reviews", count), `
		local agent_diff = package.loaded['agent_diff']
		return (agent_diff and #agent_diff.reviews() or 0) == ...`, count)
}

// Three agents propose twenty edits at once, in two projects: each comes to the Neovim of its project, in order of
// arrival, several on one file too, and each gets its own answer.
func TestManyAtOnce(t *testing.T) {
	t.Parallel() // progress is told every five seconds
	screentest.Each(t, func(t *testing.T, nvim string) {
		d := newDesk(t, nvim)
		projects := []*story{d.work(), d.work()}
		agents := []*agent{d.agent(projects...), d.agent(projects...), d.agent(projects...)}
		calls := map[string]*call{}
		const each = 10
		for i, s := range projects {
			var shared strings.Builder
			for n := range each {
				fmt.Fprintf(&shared, "shared %d\n\n\n\n\n\n\n\n", n)
				s.file(fmt.Sprintf("%d.txt", n), fmt.Sprintf("old %d\n", n))
			}
			s.file("shared.txt", shared.String())
			for n := range each {
				name, old := fmt.Sprintf("%d.txt", n), fmt.Sprintf("old %d\n", n)
				if n%2 == 1 {
					name, old = "shared.txt", fmt.Sprintf("shared %d\n", n)
				}
				what := fmt.Sprintf("edit %d of project %d", n, i)
				calls[what] = agents[(n+i)%len(agents)].propose(s.path(name), old, "new "+old, what)
			}
		}
		for _, s := range projects {
			s.queued(each)
		}
		for i, s := range projects {
			order := s.queue()
			for _, what := range order {
				if !strings.HasSuffix(what, fmt.Sprintf("of project %d", i)) {
					t.Errorf("%q came to the Neovim of project %d", what, i)
				}
			}
			calls[order[each-1]].progress(fmt.Sprintf("place %d of %d", each, each))
			for n, what := range order {
				s.see("Description: " + what)
				if left := each - n; left > 1 {
					s.see(fmt.Sprintf("1/%d  story", left))
				} else {
					s.notSee("1/1  story") // no place: there is one only
				}
				for _, later := range order[n:] {
					s.waiting(calls[later])
				}
				if n%3 == 0 {
					s.press("R")
				} else {
					s.press("A")
				}
				r := calls[what].result()
				if want := map[bool]string{true: "rejected", false: "accepted"}[n%3 == 0]; r.Structured == nil || r.Structured.Decision != want {
					t.Errorf("%s should be %s: %s", what, want, r.Text)
				}
				s.queued(each - n - 1)
			}
			rejected := func(n int) bool { return slices.Index(order, fmt.Sprintf("edit %d of project %d", n, i))%3 == 0 }
			var shared strings.Builder
			for n := range each {
				if n%2 == 1 && !rejected(n) {
					shared.WriteString("new ")
				}
				fmt.Fprintf(&shared, "shared %d\n\n\n\n\n\n\n\n", n)
				if n%2 == 0 {
					s.fileIs(fmt.Sprintf("%d.txt", n), map[bool]string{true: "", false: "new "}[rejected(n)]+fmt.Sprintf("old %d\n", n))
				}
			}
			s.fileIs("shared.txt", shared.String())
		}
	})
}

// Proposals for one file, by whatever name, are compared with what the ones before have left, each when its turn comes.
func TestQueueOnOneFile(t *testing.T) {
	t.Parallel() // progress is told every five seconds
	forEachNvim(t, func(s *story) {
		base, edited := "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "ONE\n2\n3\n4\n5\n6\n7\n8\n9\n"
		s.file("a.txt", base)
		must(s.t, os.Symlink("a.txt", s.path("link.txt")))
		must(s.t, os.Symlink(".", s.path("folder")))
		first := s.propose("a.txt", base, edited, "the first")
		s.queued(1)
		others := s.another()
		second := others.propose("link.txt", base, base+"10\n", "the second")
		s.queued(2)
		same := others.propose("folder/a.txt", base, edited, "the same")
		s.queued(3)
		gone := s.another().propose("a.txt", "1\n2\n", "eins\n2\n", "gone")
		s.queued(4)
		s.see("1/4  story")
		s.until("the later ones have not been compared", `
			for i, review in ipairs(require('agent_diff').reviews()) do
				if (review.total > 0) ~= (i == 1) then return false end
			end
			return true`)
		second.progress("place 2 of 4")
		s.press("A")
		first.result().accepted("a.txt", true)
		s.see("Description: the second")
		s.see("1/3  story")
		s.press("A")
		second.result().accepted("link.txt", true)
		same.result().failed("nothing_to_change").says("folder/a.txt already holds this text. Nothing was changed.")
		gone.result().failed("stale_original").says("Read the file again")
		s.fileIs("a.txt", edited+"10\n")
		s.queued(0)
	})
}

// An agent that passes on next to nothing finds the Neovim that a file belongs to, and never another.
func TestWhichNeovim(t *testing.T) {
	screentest.Each(t, func(t *testing.T, nvim string) {
		d := newDesk(t, nvim)
		one, two := d.work(), d.work()
		third := &story{t: t, dir: project(t)}
		d.headless(third)

		a := d.agent(one, two, third)
		for _, s := range []*story{two, one} {
			s.file("a.txt", "old\n")
			call := a.propose(s.path("a.txt"), "old\n", "new\n", "")
			s.see("Agent proposes changes to: ")
			s.press("A")
			call.result().accepted(s.path("a.txt"), true)
		}
		third.file("a.txt", "old\n")
		a.propose(third.path("a.txt"), "old\n", "new\n", "").result().failed("editor_unavailable").
			says(third.path("nvim.1.0"), "it has no screen attached", "Start Neovim in "+third.dir, "Nothing was changed.")

		two.open(third.path("a.txt"))
		call := a.propose(third.path("a.txt"), "old\n", "new\n", "")
		two.see("Agent proposes changes to")
		two.press("A")
		call.result().accepted(third.path("a.txt"), true)
		one.queued(0)
	})
}

// A Neovim that does something that takes long is the right one all the same: the review waits for it, and says so.
func TestBusyNeovim(t *testing.T) {
	t.Parallel() // progress is told every five seconds
	screentest.Each(t, func(t *testing.T, nvim string) {
		d := newDesk(t, nvim)
		outer := d.work()
		outer.file("inner/a.txt", "old\n")
		inner := d.workIn(outer.path("inner"))
		must(t, syscall.Mkfifo(inner.path("fifo"), 0o600))
		inner.press(":call system('cat fifo')<CR>")
		writer, err := os.OpenFile(inner.path("fifo"), os.O_WRONLY, 0) // when the command runs
		must(t, err)
		t.Cleanup(func() { _ = writer.Close() })

		call := d.agent(outer).propose("inner/a.txt", "old\n", "new\n", "")
		call.progress("Neovim is busy")
		must(t, writer.Close())
		inner.see("Agent proposes changes to")
		outer.queued(0)
		inner.press("A")
		call.result().accepted("inner/a.txt", true)
	})
}
