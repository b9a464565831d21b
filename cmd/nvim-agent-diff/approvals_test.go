package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nvim-agent-diff/policy"
)

// A person lists and revokes what they have let through, and doctor says which rule comes from where.
func TestApprovalsAndPolicy(t *testing.T) {
	home := t.TempDir()
	dir := project(t, map[string]string{"f": "a\n", policy.ProjectFile: "deny = ['x']\nmode = 'auto_approve'\n"})
	config := filepath.Join(home, ".config", "nvim-agent-diff", "config.toml")
	must(t, os.MkdirAll(filepath.Dir(config), 0o755))
	write := func(text string) { must(t, os.WriteFile(config, []byte(text), 0o644)) }
	write("mode = 'auto_approve'\ntools = ['read_fiel']\n")
	elsewhere := ""
	run := func(args ...string) (out string, code int) {
		cmd := program(t, dir, "applied", args...)
		cmd.Env = append(cmd.Env, "HOME="+home, "XDG_CONFIG_HOME="+elsewhere, "XDG_RUNTIME_DIR="+home, "TMPDIR="+home, "NVIM=", "NVIM_AGENT_DIFF_ADDR=")
		text, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(text), cmd.ProcessState.ExitCode()
	}
	has := func(want string, wantCode int, args ...string) {
		t.Helper()
		if out, code := run(args...); !strings.Contains(out, want) || code != wantCode {
			t.Errorf("%v: exit code %d\n%s\nshould say %q, %d", args, code, out, want, wantCode)
		}
	}

	has(`policy    mode = "auto_approve" (`+config+":1)\n", exitNoEditor, "doctor")
	has(`policy    deny = "x" (`+filepath.Join(dir, policy.ProjectFile)+":1)\n", exitNoEditor, "doctor")
	has(`there is no tool "read_fiel" to be granted`, exitNoEditor, "doctor")
	write("mode = 'interactive'\n")
	has(policy.ProjectFile+":2): a project's file may only tighten", exitNoEditor, "doctor")
	write("\nmdoe = 'interactive'\n")
	has("wrong     mdoe ("+config+":2): there is no such key\n", exitError, "doctor")
	has("fs_denied: denied by policy mdoe: there is no such key (", exitError, "propose", "--file", "f", "--modified", config)
	write("")
	elsewhere = home + "/other"
	has("an agent that does not pass $XDG_CONFIG_HOME on reads "+config, exitNoEditor, "doctor")
	elsewhere = ""

	memory := policy.NewMemory(filepath.Join(home, ".local", "state", "nvim-agent-diff"), "s")
	a, err := memory.Remember(policy.Request{Action: policy.Edit, Path: "/p/\x1b[2Jf"}, policy.ThisFile, true)
	must(t, err)
	has(a.ID, exitAccepted, "approvals")
	if out, _ := run("approvals", "list"); strings.Contains(out, "\x1b") {
		t.Errorf("it drives the terminal: %q", out)
	}
	has("there is no approval abcd", exitError, "approvals", "revoke", "abcd")
	has("", exitAccepted, "approvals", "revoke", a.ID)
	has("there is no approval "+a.ID, exitError, "approvals", "revoke", a.ID)
	has("0 approvals are forgotten", exitAccepted, "approvals", "clear")
	has("approvals takes list, revoke ID... or clear", exitError, "approvals", "list", "x")
}
