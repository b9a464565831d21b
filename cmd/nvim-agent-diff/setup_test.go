package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// runSetup is what setup prints for a person whose home folder is home.
func runSetup(t *testing.T, home string, args ...string) (out string, err error) {
	t.Helper()
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "OPENCODE_CONFIG_DIR", "XDG_CONFIG_HOME"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", home)
	t.Setenv("PATH", home)
	t.Chdir(home)
	var b bytes.Buffer
	app := newApp()
	app.Commands = []*cli.Command{setupCommand()}
	app.Writer = &b
	err = app.Run(append([]string{"nvim-agent-diff", "setup"}, args...))
	return b.String(), err
}

func TestSetup(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, ".gemini", "settings.json")
	steps := []struct {
		args    []string
		want    []string
		wantErr string
		written bool
	}{
		{args: nil, want: []string{"No agent was found. There are: claude-code, codex, gemini, opencode."}},
		{args: []string{"geminy"}, wantErr: `there is no agent "geminy"; there are: claude-code`},
		{args: []string{"gemini", "--dry"}, wantErr: "see nvim-agent-diff setup gemini --help"},
		{args: []string{"gemini", "--dry-run"}, want: []string{"--- /dev/null\n", "+  \"mcpServers\": {\n"}},
		{args: []string{"gemini"}, wantErr: "Nothing was changed"}, // nobody to ask
		{args: []string{"gemini", "--mcp", "--yes"}, want: []string{"The MCP server of Gemini CLI is set up."}, written: true},
		{args: nil, want: []string{"gemini       mcp: yes       gate: no        not in the PATH\n"}, written: true},
		{args: []string{"gemini", "--yes"}, want: []string{"+  \"hooks\": {\n", "kept a copy: " + file}, written: true},
		{args: []string{"gemini", "--yes"}, want: []string{"Gemini CLI is already set up.\n"}, written: true},
		{args: []string{"gemini", "--undo", "--gate", "--yes"}, want: []string{"-  \"hooks\": {\n", "The gate of Gemini CLI is not set up any more.\n"}, written: true},
		{args: []string{"gemini", "--undo", "--yes"}, want: []string{"+++ /dev/null\n"}},
		{args: []string{"gemini", "--undo", "--yes"}, want: []string{"there is nothing to undo"}},
	}
	for _, step := range steps {
		out, err := runSetup(t, home, step.args...)
		if (err != nil) != (step.wantErr != "") || err != nil && !strings.Contains(err.Error(), step.wantErr) {
			t.Errorf("setup %v: error %v, want %q", step.args, err, step.wantErr)
		}
		for _, want := range step.want {
			if !strings.Contains(out, want) {
				t.Errorf("setup %v: %q is not in\n%s", step.args, want, out)
			}
		}
		if _, err := os.Stat(file); (err == nil) != step.written {
			t.Errorf("after setup %v the file is there: %v", step.args, err == nil)
		}
	}
}

// The help of a switch does not say that it is off by default.
func TestHelpOfSwitches(t *testing.T) {
	for _, agent := range []string{"", "codex"} {
		var b bytes.Buffer
		app := newApp()
		app.Writer = &b
		must(t, app.Run(slices.DeleteFunc([]string{"nvim-agent-diff", "setup", agent, "--help"}, func(s string) bool { return s == "" })))
		if help := b.String(); strings.Contains(help, "default: false") || !strings.Contains(help, "nvim-agent-diff setup") {
			t.Error(help)
		}
	}
}
