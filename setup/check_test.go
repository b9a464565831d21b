package setup

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is written is run as it is written, and what is wrong is said in words that help.
func TestCheck(t *testing.T) {
	const command = `/usr/local/bin/nvim-agent-diff hook gemini`
	written, err := json.Marshal((&Machine{Program: "/usr/local/bin/nvim-agent-diff"}).beforeCommand("gemini"))
	must(t, err)
	whole := strings.NewReplacer(`\u0026`, "&", `\u003e`, ">").Replace(strings.Trim(string(written), `"`))
	cases := []struct{ name, old, new, want string }{
		{"no such program", "", "", "gemini mcp false: /usr/local/bin/nvim-agent-diff does not start: "},
		{
			"a server that says nothing", `"command": "/usr/local/bin/nvim-agent-diff",` + "\n      \"args\": [\"mcp\"]",
			`"command": "true", "args": []`, "gemini mcp false: true does not serve: it ended without an answer",
		},
		{
			"a server that says why", `"command": "/usr/local/bin/nvim-agent-diff",` + "\n      \"args\": [\"mcp\"]",
			`"command": "sh", "args": ["-c", "echo one >&2; echo \"not $A $HIDDEN today\" >&2"], "env": {"A": "before"}`,
			"gemini mcp false: sh -c echo one >&2; echo \"not $A $HIDDEN today\" >&2 does not serve: not before  today",
		},
		{"a hook that says nothing", whole, "true # " + command, "gemini gate true: true # " + command + " answers at BeforeTool, after "},
		{"a hook that is told of the call", whole, "grep -q read_file # " + command, "gemini gate true: "},
		{"a hook that fails", whole, "echo no >&2; exit 3 # " + command, "gemini gate false: echo no >&2; exit 3 # " + command + " ends with exit status 3: no"},
		{"a hook that denies", whole, `echo '{\"decision\": \"deny\"}' # ` + command, "denies a call that changes nothing"},
		{"a hook that babbles", whole, `echo hello # ` + command, "denies a call that changes nothing: hello"},
		{"a program that is gone", "", "", "gemini gate false: " + command + " ends with exit status 2: /usr/local/bin/nvim-agent-diff: "}, // then a shell's own words,
		{"hooks switched off", "{\n", "{\n  \"hooksConfig\": {\"enabled\": false},\n", "gemini gate false: /base/home/.gemini/settings.json: hooksConfig.enabled switches it off"},
		{"the hook switched off", "{\n", "{\n  \"hooksConfig\": {\"disabled\": [\"nvim-agent-diff\"]},\n", "hooksConfig.disabled switches it off"},
		{"a time limit of its own", "86400000\n          }", "60000\n          }", "gemini gate false: outdated: /base/home/.gemini/settings.json: the hook in hooks.BeforeTool is not as it should be; run: nvim-agent-diff setup gemini"},
		{"a broken file", "{\n", "{{\n", "gemini config false: /base/home/.gemini/settings.json:1: invalid character '{' at start of object name; mend the file"},
	}
	t.Setenv("HIDDEN", "hidden")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := machine(t, "")
			plan, err := m.Plan("gemini", Options{})
			apply(t, m, plan, err)
			file := filepath.Join(m.Home, ".gemini/settings.json")
			raw, err := os.ReadFile(file)
			must(t, err)
			if !strings.Contains(string(raw), c.old) {
				t.Fatalf("%q is not in\n%s", c.old, raw)
			}
			must(t, os.WriteFile(file, []byte(strings.Replace(string(raw), c.old, c.new, 1)), 0o600))
			var said strings.Builder
			for _, f := range m.Check(context.Background(), m.Project) {
				said.WriteString(f.Agent + " " + f.What + map[bool]string{true: " true: ", false: " false: "}[f.OK] + f.Text + "\n")
			}
			if got := strings.ReplaceAll(said.String(), filepath.Dir(m.Home), "/base"); !strings.Contains(got, c.want) {
				t.Errorf("%q is not in\n%s", c.want, got)
			}
		})
	}
}

// Which agents are here, and how they are set up, for the user and in the project.
func TestStates(t *testing.T) {
	m := machine(t, "")
	t.Setenv("PATH", m.Project)
	must(t, os.WriteFile(filepath.Join(m.Project, "codex"), []byte("#!/bin/sh\n"), 0o755))
	must(t, os.MkdirAll(filepath.Join(m.Home, ".claude"), 0o755))
	plan, err := m.Plan("gemini", Options{Project: true, Parts: []Part{Gate}})
	apply(t, m, plan, err)
	plan, err = m.Plan("codex", Options{})
	apply(t, m, plan, err)
	m.Program = "/elsewhere/nvim-agent-diff"
	var got strings.Builder
	for _, s := range m.States() {
		got.WriteString(s.Agent)
		if s.Project {
			got.WriteString(" in the project")
		}
		if s.Program != "" {
			got.WriteString(" " + filepath.Base(s.Program))
		}
		for _, p := range s.Parts {
			got.WriteString(", " + string(p.Part) + " " + p.Has)
		}
		got.WriteString("\n")
	}
	want := "claude-code, mcp no, gate no\ncodex codex, mcp outdated, gate outdated\ngemini in the project, mcp no, gate outdated\n"
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}

// A project's files may be anybody's: trying them runs nothing but this program, and that only as what it is there for.
func TestCheckRunsNothingOfTheProject(t *testing.T) {
	us := []string{"/usr/local/bin/nvim-agent-diff", "sh -c '" + guard + "' /usr/local/bin/nvim-agent-diff"}
	cases := map[string]string{
		".mcp.json one":                           `{"mcpServers": {"nvim-diff": {"command": "touch", "args": ["ran", "mcp"]}}}`,
		".mcp.json two":                           `{"mcpServers": {"nvim-diff": {"command": "` + us[0] + `", "args": ["mcp"], "env": {"LD_PRELOAD": "x"}}}}`,
		".mcp.json three":                         `{"mcpServers": {"nvim-diff": {"command": "./nvim-agent-diff", "args": ["mcp"]}}}`,
		".mcp.json four":                          `{"mcpServers": {"nvim-diff": {"command": "` + us[0] + `", "args": ["setup", "gemini", "--undo", "--yes"]}}}`,
		".mcp.json five":                          `{"mcpServers": {"nvim-diff": {"command": "` + us[0] + `", "args": ["approvals", "revoke", "x", "mcp"]}}}`,
		".mcp.json six":                           `{"mcpServers": {"nvim-diff": {"command": "` + us[0] + `", "args": ["root", "x", "mcp"]}}}`,
		".codex/hooks.json another command":       us[1] + ` approvals revoke x hook codex`,
		".codex/hooks.json another agent's":       us[1] + ` hook gemini codex`,
		".codex/hooks.json another flag":          us[1] + ` hook --hold x codex`,
		".codex/hooks.json before":                `touch ran; ` + us[0] + ` hook codex`,
		".codex/hooks.json behind":                us[0] + ` hook codex ; touch ran`,
		".codex/hooks.json pipe":                  us[1] + ` hook codex | touch ran`,
		".codex/hooks.json environment":           `env A=b ` + us[0] + ` hook codex`,
		".codex/hooks.json guard":                 `sh -c 'touch ran' ` + us[0] + ` hook codex`,
		".codex/hooks.json elsewhere":             `./nvim-agent-diff hook codex`,
		".codex/hooks.json expanded":              us[0] + ` hook codex $(touch ran)`,
		".opencode/plugin/nvim-agent-diff.js two": "// nvim-agent-diff\nconst command = [\"" + us[0] + "\", \"approvals\", \"revoke\"]\n",
		".opencode/plugin/nvim-agent-diff.js one": "// nvim-agent-diff\nconst command = [\"touch\", \"ran\"]\n",
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			m := machine(t, "")
			file, _, _ := strings.Cut(name, " ")
			if strings.HasSuffix(file, "hooks.json") {
				raw, err := json.Marshal(map[string]any{"hooks": map[string]any{"PreToolUse": []any{
					hookGroup{"apply_patch", []any{commandHook{Type: "command", Command: text}}},
				}}})
				must(t, err)
				text = string(raw)
			}
			path := filepath.Join(m.Project, file)
			must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			must(t, os.WriteFile(path, []byte(text), 0o600))
			t.Setenv("PATH", "/usr/bin:/bin")
			told := false
			for _, f := range m.Check(context.Background(), m.Project) {
				told = told || !f.OK && f.Project && strings.Contains(f.Text, " runs something else, which was not tried: ")
			}
			if _, err := os.Stat(filepath.Join(m.Project, "ran")); err == nil || !told {
				t.Errorf("ran: %v, told: %v", err == nil, told)
			}
		})
	}
}

// What a user gives the server or a hook besides is no reason not to try it.
func TestCheckTriesFlags(t *testing.T) {
	m := machine(t, "")
	for line, does := range map[string][]string{
		m.Program + " --root /x --nvim=y mcp":                                    {"mcp"},
		m.Program + " hook codex":                                                {"hook", "codex"},
		commandLine("sh", "-c", guard, m.Program) + " hook --fallback ask codex": {"hook", "codex"},
	} {
		if !m.runsOnly(command{line: line}, does) {
			t.Errorf("%s is not tried", line)
		}
	}
}
