package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nvim-agent-diff/agents"
	"nvim-agent-diff/screen/screentest"
)

// claudeEdit is a hook's input for an edit of a.txt that changes line 4.
func claudeEdit() map[string]any {
	return hookEvent("PreToolUse", "Edit", map[string]any{"file_path": "a.txt", "old_string": "line 4", "new_string": "FOUR"})
}

// denied: Claude Code is told no, with these words in the reason.
func (h *hooked) denied(words ...string) {
	h.s.t.Helper()
	code, stdout, stderr := h.end()
	if code != 0 || stderr != "" || !strings.Contains(stdout, `"permissionDecision":"deny"`) {
		h.s.t.Errorf("no denial: %d %s %s", code, stdout, stderr)
	}
	for _, word := range words {
		if !strings.Contains(stdout, word) {
			h.s.t.Errorf("the reason lacks %q: %s", word, stdout)
		}
	}
}

// However the review of a gate ends without a decision, the agent is told no, the file and the user's text are as they were,
// and nothing is left behind.
func TestHookEnds(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		s.open("a.txt")
		begin := func(flags ...string) *hooked {
			s.t.Helper()
			h := s.hook("claude-code", claudeEdit(), flags...)
			s.see("Progress: 0/1 applied")
			return h
		}
		unchanged := func() {
			s.t.Helper()
			s.fileIs("a.txt", three())
			s.bufferIs("a.txt", three())
		}

		h := begin()
		asked := time.Now()
		must(s.t, h.cmd.Process.Signal(syscall.SIGTERM))
		h.denied("cancelled: ", "Nothing was changed.")
		within(s.t, 2*time.Second, asked, time.Now())
		s.over()
		unchanged()

		h = begin()
		must(s.t, h.cmd.Process.Kill())
		s.see("The agent is gone: no more decisions; nothing is")
		s.press("aq")
		s.over()
		unchanged()

		// The agent is killed, and the hook, its child, is told nothing.
		args := []string{"-c", `"$@"; exit`, "sh", program(s.t), "--nvim", s.nvim.Addr(), "--root", s.dir, "hook", "claude-code"}
		sh := exec.Command("sh", args...)
		sh.Dir, sh.Env, sh.Stdin = s.dir, s.nvim.Env(), strings.NewReader(s.told(claudeEdit()))
		must(s.t, sh.Start())
		s.see("Progress: 0/1 applied")
		must(s.t, sh.Process.Kill())
		_ = sh.Wait()
		s.see("The agent is gone")
		s.press("q")
		s.over()

		// What the user has not saved is not lost.
		s.pressed("GAmine<Esc>")
		h = begin()
		s.see("You have unsaved changes in this file")
		s.press("A")
		h.denied("stale_original: The user accepted, but a.txt must not be written now.", "not saved")
		s.over()
		s.fileIs("a.txt", three())
		s.bufferIs("a.txt", strings.TrimSuffix(three(), "\n")+"mine\n")
		s.pressed(":edit!<CR>")

		// A new file in a new folder is there when the agent has written it.
		h = s.hook("claude-code", hookEvent("PreToolUse", "Write", map[string]any{"file_path": "new/b.txt", "content": "text\n"}))
		s.see("+++ b/new/b.txt")
		s.press("A")
		if code, stdout, stderr := h.end(); code != 0 || !strings.Contains(stdout, `"permissionDecision":"allow"`) || strings.Contains(stdout, "updated") {
			s.t.Errorf("%d %s %s", code, stdout, stderr)
		}
		s.over()
		if _, err := os.Stat(s.path("new")); err == nil {
			s.t.Error("the gate has made a folder")
		}

		h = begin()
		s.press("a")
		s.states(applied)
		s.nvim.Kill()
		h.denied("editor_lost: ", "Nothing was changed.")
		s.fileIs("a.txt", three())
	})
}

// Without an editor, and with a command line that is wrong, no edit gets through; the user's choice is another matter.
func TestHookWithoutEditor(t *testing.T) {
	dir := project(t)
	must(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte(three()), 0o600))
	run := func(args ...string) (int, string, string) {
		var stdout, stderr strings.Builder
		cmd := exec.Command(program(t), args...)
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
		cmd.Stdin = strings.NewReader(`{"hook_event_name": "PreToolUse", "cwd": "` + dir + `", "tool_name": "Edit",
			"tool_input": {"file_path": "a.txt", "old_string": "line 4", "new_string": "FOUR"}}`)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		_ = cmd.Run()
		return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
	}
	nowhere := []string{"--nvim", filepath.Join(dir, "no socket"), "hook", "claude-code"}
	for want, flags := range map[string][]string{
		`"permissionDecision":"deny"`:       nil,
		`"permissionDecision":"ask"`:        {"--on-no-editor", "ask"},
		`"permissionDecision":"allow"`:      {"--fallback", "allow"},
		`Reason":"editor_unavailable: No N`: {"--fallback", "allow", "--on-no-editor", "deny"},
	} {
		args := append(append([]string{}, nowhere[:3]...), append(flags, nowhere[3])...)
		if code, stdout, stderr := run(args...); code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%v: %d %s %s", flags, code, stdout, stderr)
		}
	}
	for _, args := range [][]string{
		{"hook"},
		{"hook", "nobody"},
		{"hook", "codex", "gemini"},
		{"hook", "--fallback", "what", "codex"},
		{"hook", "--on-no-editor", "", "codex"},
		{"hook", "--nothing", "codex"},
		{"--log-level", "loud", "hook", "codex"},
		{"--root", filepath.Join(dir, "nowhere"), "hook", "codex"},
	} {
		if code, stdout, stderr := run(args...); code != 2 || stdout != "" || stderr == "" {
			t.Errorf("%v: %d %s %s", args, code, stdout, stderr)
		}
	}
}

// OpenCode's plugin, run as OpenCode runs it: it throws to deny, also when it has no program or no answer, changes the
// arguments in place, and adds what the model must be told to the tool's output.
func TestOpenCodePlugin(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node.js to run the plugin")
	}
	harness := `
const { NvimAgentDiff } = await import(process.argv[2])
const hooks = await NvimAgentDiff({ directory: process.argv[3] })
const output = { args: { filePath: "a.txt", oldString: process.argv[4], newString: process.argv[5] } }
const input = { tool: "edit", sessionID: "s", callID: "c" }
const { args } = output
try {
  await hooks["tool.execute.before"]({ ...input, tool: "bash" }, { args: {} }) // is none of its business
  await hooks["tool.execute.before"](input, output)
  const done = { output: "Edit applied successfully." }
  await hooks["tool.execute.after"](input, done)
  console.log(JSON.stringify({ same: args === output.args, args, output: done.output }))
} catch (error) {
  console.log(JSON.stringify({ denied: error.message }))
}
`
	screentest.Each(t, func(t *testing.T, nvim string) {
		s := newStory(t, nvim)
		s.file("a.txt", three())
		s.open("a.txt")
		s.file("../harness.mjs", harness)
		lines := strings.SplitAfter(three(), "\n")
		old := strings.Join(lines[3:27], "")
		added := strings.Join(strings.SplitAfter(three(1), "\n")[3:26], "")
		play := func(keys string, command ...string) string {
			s.t.Helper()
			s.file("../plugin.mjs", agents.OpenCodePlugin(command...))
			cmd := exec.Command(node, s.path("../harness.mjs"), s.path("../plugin.mjs"), s.dir, old, added)
			cmd.Env = s.nvim.Env()
			var out strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &out
			must(t, cmd.Start())
			if keys != "" {
				s.see("Progress: 0/2 applied")
				s.press(keys)
			}
			must(t, cmd.Wait())
			return out.String()
		}
		self := []string{program(t), "--nvim", s.nvim.Addr(), "--root", s.dir}
		for want, run := range map[string]func() string{
			`"same":true,"args":{"filePath":"a.txt","oldString":"line 4\n`:                                                                  func() string { return play("A", self...) },
			`"oldString":"line 4\n","newString":"FOUR\n","replaceAll":false},"output":"Edit applied successfully.\n\nThe user has reviewed`: func() string { return play("arq", self...) },
			`{"denied":"✗ REJECTED: User explicitly declined changes to a.txt\n\nSTOP: Do NOT`:                                              func() string { return play("R", self...) },
			`{"denied":"nvim-agent-diff cannot be run: `:                                                                                    func() string { return play("", "/nowhere/nvim-agent-diff") },
			`{"denied":"nvim-agent-diff gave no answer.`:                                                                                    func() string { return play("", "true") },
			`{"denied":"nvim-agent-diff ended with 1.`:                                                                                      func() string { return play("", "false") },
			`{"denied":"editor_unavailable: `:                                                                                               func() string { return play("", program(t), "--nvim", "/nowhere") },
		} {
			if got := run(); !strings.Contains(got, want) {
				t.Errorf("should say\n%s\nsays\n%s", want, got)
			}
		}
		s.fileIs("a.txt", three())
	})
}
