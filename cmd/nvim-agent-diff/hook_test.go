package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A hook whose output nobody reads any more has lost its agent; a file is always read.
func TestHungUp(t *testing.T) {
	read, write, err := os.Pipe()
	must(t, err)
	defer write.Close()
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	must(t, err)
	defer file.Close()
	if hungUp(write) || hungUp(file) {
		t.Error("somebody reads it")
	}
	must(t, read.Close())
	if !hungUp(write) {
		t.Error("nobody reads it")
	}
}

// The policy's words mean the agents' own tools too: who may edit may edit with theirs, and to write a whole file is no edit.
func TestHookByPolicy(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Chdir(dir)
	config := filepath.Join(home, ".config", "nvim-agent-diff", "config.toml")
	must(t, os.MkdirAll(filepath.Dir(config), 0o700))
	must(t, os.WriteFile("a.txt", []byte("one\n"), 0o600))
	const edit, write = `"Edit", "tool_input": {"file_path": "a.txt", "old_string": "one", "new_string": "1"}`,
		`"Write", "tool_input": {"file_path": "a.txt", "content": "1\n"}`
	for _, c := range []struct{ tools, call, want string }{
		{"edit_file", edit, `"permissionDecision":"allow"`},
		{"read_file", edit, `"permissionDecisionReason":"fs_denied: denied by policy tools`},
		{"edit_file", write, `"permissionDecisionReason":"editor_unavailable: `}, // somebody would have to be asked
	} {
		must(t, os.WriteFile(config, []byte("edit_approval = false\ntools = ['"+c.tools+"']\n"), 0o600))
		var b bytes.Buffer
		app := newApp()
		app.Writer, app.Reader = &b, strings.NewReader(`{"hook_event_name": "PreToolUse", "cwd": "`+dir+`", "tool_name": `+c.call+`}`)
		if err := app.Run([]string{"nvim-agent-diff", "--nvim", home + "/none", "hook", "claude-code"}); err != nil && err.Error() != "" {
			t.Error(err)
		}
		if got := b.String(); !strings.Contains(got, c.want) {
			t.Errorf("%s, %s: %s", c.tools, c.call, got)
		}
	}
}
