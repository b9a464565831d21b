package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What setup writes works: doctor starts the server and the hooks as the agent would, with nothing but HOME, LANG, PATH and TERM.
func TestSetupAndDoctor(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	run := func(args ...string) string {
		cmd := exec.Command(program(t), args...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "XDG_RUNTIME_DIR=" + home, "TMPDIR=" + home}
		out, _ := cmd.CombinedOutput() // doctor finds no Neovim here
		return string(out)
	}
	for _, agent := range []string{"claude-code", "codex", "gemini", "opencode"} {
		run("setup", agent, "--yes")
		got := run("doctor")
		for _, want := range []string{agent + ", mcp ok: " + program(t) + " serves ", agent + ", gate ok: "} {
			if !strings.Contains(got, want) || strings.Contains(got, "WRONG") {
				t.Errorf("after setup %s: %q is not in\n%s", agent, want, got)
			}
		}
	}
	must(t, os.WriteFile(filepath.Join(home, ".gemini/settings.json"),
		[]byte(`{"mcpServers": {"nvim-diff": {"command": "/none/nvim-agent-diff", "args": ["mcp"]}}}`), 0o600))
	got := run("doctor")
	for _, want := range []string{"gemini, mcp WRONG: outdated: ", "gemini, mcp WRONG: /none/nvim-agent-diff does not start: "} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}
