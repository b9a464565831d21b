package setup

import (
	"os/exec"
	"strings"
	"testing"
)

// What a user has given the hook stays; the program and the guard become ours.
func TestWantedCommand(t *testing.T) {
	m := &Machine{Program: "/new place/nvim-agent-diff"}
	hook := jsonHook{program: m.Program, agent: "codex", handler: commandHook{Command: m.beforeCommand("codex")}}
	guarded := "sh -c '" + guard + "' '/new place/nvim-agent-diff' "
	cases := []struct {
		have string
		ours bool
		want string
	}{
		{"/old/nvim-agent-diff hook codex", true, guarded + "hook codex"},
		{"nvim-agent-diff-linux --log-level debug hook --fallback ask codex", true, guarded + "--log-level debug hook --fallback ask codex"},
		{"sh -c '" + guard + "' /old/nvim-agent-diff hook codex", true, guarded + "hook codex"},
		{"sh -c 'older guard' /old/nvim-agent-diff hook codex", true, guarded + "hook codex"},
		{guarded + "  hook   codex", true, guarded + "  hook   codex"},
		{"env A=b nvim-agent-diff hook codex", true, "env A=b '/new place/nvim-agent-diff' hook codex"},
		{"'/new place/nvim-agent-diff' hook gemini", false, ""},
		{"/usr/bin/true hook codex", false, ""},
		{"hook codex nvim-agent-diff", false, ""},
		{"", false, ""},
	}
	for _, c := range cases {
		if got := hook.ours(c.have); got != c.ours {
			t.Errorf("%s is ours: %v", c.have, got)
		} else if got && hook.wanted(c.have).Command != c.want {
			t.Errorf("%s becomes\n%s, want\n%s", c.have, hook.wanted(c.have).Command, c.want)
		}
	}
}

// Whatever becomes of the program, an edit that nobody has reviewed is blocked: the exit code is 0 or 2, and 2 has words.
func TestGuard(t *testing.T) {
	cases := []struct{ script, out, stderr string }{
		{"cat; exit 0", "input", ""},
		{"echo no >&2; exit 2", "", "no\n"},
		{"exit 1", "", "nvim-agent-diff: the review was cut off. Nothing was changed.\n"},
		{"kill -9 $$", "", "nvim-agent-diff: the review was cut off. Nothing was changed.\n"},
	}
	for _, c := range cases {
		cmd := exec.Command("sh", "-c", commandLine("sh", "-c", guard, "sh", "-c", c.script))
		cmd.Stdin = strings.NewReader("input")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, _ := cmd.Output()
		want := 2
		if c.stderr == "" {
			want = 0
		}
		if got := cmd.ProcessState.ExitCode(); got != want || string(out) != c.out || !strings.HasSuffix(stderr.String(), c.stderr) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", c.script, got, out, stderr.String())
		}
	}
}

// What a user has given the program that OpenCode's plugin runs stays.
func TestWantedPlugin(t *testing.T) {
	e := plugin{"// nvim-agent-diff\nconst command = [\"/new/nvim-agent-diff\"]\nrest\n"}
	cases := []struct{ have, differs, want string }{
		{"", "", e.source},
		{e.source, "", e.source},
		{"// nvim-agent-diff\nconst command = [\"/new/nvim-agent-diff\",\"--root\",\"/a b\"]\nrest\n", "", "// nvim-agent-diff\nconst command = [\"/new/nvim-agent-diff\",\"--root\",\"/a b\"]\nrest\n"},
		{"// nvim-agent-diff\nconst command = [\"/old/nvim-agent-diff\", \"--root\", \"$1\"]\nolder\n", "the plugin is another version's, or runs another program", "// nvim-agent-diff\nconst command = [\"/new/nvim-agent-diff\",\"--root\",\"$1\"]\nrest\n"},
	}
	for _, c := range cases {
		d := &sourceDoc{"plugin.js", c.have}
		if _, differs := e.find(d); differs != c.differs {
			t.Errorf("%q: %q", c.have, differs)
		}
		must(t, e.put(d))
		if d.content != c.want {
			t.Errorf("%q becomes\n%s, want\n%s", c.have, d.content, c.want)
		}
	}
	if err := e.put(&sourceDoc{"plugin.js", "mine"}); err == nil {
		t.Error("a plugin of the user's is overwritten")
	}
}
