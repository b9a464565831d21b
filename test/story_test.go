package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nvim-agent-diff/screen"
	"nvim-agent-diff/screen/screentest"
)

// story is a user in a project, with a Neovim, and an agent that wants to change something.
type story struct {
	t     *testing.T
	dir   string         // the project
	nvim  *screen.Screen // the user's
	agent *agent         // started by its first proposal
	calls []*call
}

// forEachNvim tells a story in every Neovim that we support.
func forEachNvim(t *testing.T, tell func(s *story)) {
	t.Helper()
	screentest.Each(t, func(t *testing.T, nvim string) { tell(newStory(t, nvim)) })
}

// armed is the configuration of most stories: a review that took the focus acts on keys at once, because a test's keys
// are always meant for it. The stories of manners set it otherwise.
var armed = []string{"--cmd", "let g:agent_diff = {'arm_ms': 0}"}

// newStory starts a Neovim in an empty project.
func newStory(t *testing.T, nvim string, args ...string) *story {
	t.Helper()
	s := &story{t: t, dir: project(t)}
	if args == nil {
		args = armed
	}
	s.nvim = screentest.Start(t, screen.Options{Nvim: nvim, Dir: s.dir, Args: args})
	must(t, s.nvim.Listen("User", "AgentDiff*"))
	return s
}

// another is a new agent in the project, with the user's Neovim.
func (s *story) another() *agent {
	s.t.Helper()
	return startAgent(s.t, s.dir, s.nvim.Env(), "--nvim", s.nvim.Addr(), "--root", s.dir)
}

// project is an empty Git work tree.
func project(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, os.Mkdir(filepath.Join(dir, ".git"), 0o755))
	return dir
}

func (s *story) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.dir, name)
}

// file puts a file into the project.
func (s *story) file(name, text string) {
	s.t.Helper()
	must(s.t, os.MkdirAll(filepath.Dir(s.path(name)), 0o755))
	must(s.t, os.WriteFile(s.path(name), []byte(text), 0o644))
}

// open is the user opening a file.
func (s *story) open(name string) {
	s.t.Helper()
	s.lua(nil, `vim.cmd.edit(vim.fn.fnameescape(...))`, name)
}

// propose is the agent proposing an edit.
func (s *story) propose(path, original, modified, description string) *call {
	s.t.Helper()
	if s.agent == nil {
		s.agent = s.another()
	}
	c := s.agent.propose(path, original, modified, description)
	s.calls = append(s.calls, c)
	return c
}

func (a *agent) propose(path, original, modified, description string) *call {
	a.t.Helper()
	return a.call("propose_file_edit", map[string]any{
		"path": path, "original": original, "modified": modified, "description": description,
	})
}

// press is the user pressing keys.
func (s *story) press(keys string) {
	s.t.Helper()
	must(s.t, s.nvim.Input(keys))
}

// pressed is press, and waits until Neovim has done with the keys.
func (s *story) pressed(keys string) {
	s.t.Helper()
	s.press(keys + "<Cmd>let g:story_pressed = get(g:, 'story_pressed') + 1<CR>")
	s.until("the keys are done", `
		local done = vim.g.story_pressed == 1
		if done then vim.g.story_pressed = nil end
		return done`)
}

// see waits until the user sees a text in a line of the screen.
func (s *story) see(text string) {
	s.t.Helper()
	s.met(s.nvim.WaitText(patience, text))
}

// notSee waits until the user does not see a text.
func (s *story) notSee(text string) {
	s.t.Helper()
	what := fmt.Sprintf("no %q on the screen", text)
	s.met(s.nvim.CatchUp(patience, what))
	s.met(s.nvim.Wait(patience, what, func(shot *screen.Snapshot) bool { return !shot.Contains(text) }))
}

// until waits until a Lua chunk returns true in the user's Neovim.
func (s *story) until(what, chunk string, args ...any) {
	s.t.Helper()
	s.met(s.nvim.Until(patience, what, chunk, args...))
}

// met fails the test with what Neovim has to say.
func (s *story) met(err error) {
	s.t.Helper()
	if err == nil {
		return
	}
	var messages string
	_ = s.nvim.Lua(&messages, `
		return ('mode %s, state "%s", tab %d, window %d, buffer %s\nmessages:%s'):format(vim.fn.mode(1), vim.fn.state(),
			vim.fn.tabpagenr(), vim.fn.win_getid(), vim.fn.bufname(), vim.fn.execute('messages'))`)
	for _, c := range s.calls {
		if !c.open() {
			messages += fmt.Sprintf("\ncall %s was answered: %s", c.id, c.result().Text)
		}
	}
	s.t.Fatalf("%v\nin Neovim: %s", err, messages)
}

// lua runs a chunk in the user's Neovim.
func (s *story) lua(result any, chunk string, args ...any) {
	s.t.Helper()
	must(s.t, s.nvim.Lua(result, chunk, args...))
}

// fileIs: the disk holds this.
func (s *story) fileIs(name, want string) {
	s.t.Helper()
	got, err := os.ReadFile(s.path(name))
	must(s.t, err)
	if string(got) != want {
		s.t.Errorf("%s holds\n%q\nshould hold\n%q", name, got, want)
	}
}

// bufferIs waits until the file's buffer holds the text; of its last line, whether it is ended counts too.
func (s *story) bufferIs(name, want string) {
	s.t.Helper()
	lines := strings.Split(strings.TrimSuffix(want, "\n"), "\n")
	if err := s.nvim.Until(patience, "the buffer of "+name, `
		local path, lines, eol = ...
		local buf = vim.fn.bufnr('^' .. path .. '$')
		return buf > 0 and vim.deep_equal(vim.api.nvim_buf_get_lines(buf, 0, -1, true), lines) and vim.bo[buf].eol == eol`,
		s.path(name), lines, strings.HasSuffix(want, "\n") || want == ""); err != nil {
		var got any
		s.lua(&got, `return vim.api.nvim_buf_get_lines(vim.fn.bufnr('^' .. ... .. '$'), 0, -1, true)`, s.path(name))
		s.t.Fatalf("%v\nthe buffer of %s holds\n%q\nshould hold\n%q", err, name, got, lines)
	}
}

// waiting: the agent still waits for its answer.
func (s *story) waiting(c *call) {
	s.t.Helper()
	if !c.open() {
		s.t.Fatalf("the call should be open, but was answered: %s", c.result().Text)
	}
}
