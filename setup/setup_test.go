package setup

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nvim-agent-diff/test/golden"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// machine is a home folder and a project, with the files of a folder in them.
func machine(t testing.TB, files string) *Machine {
	t.Helper()
	base := t.TempDir()
	for _, dir := range []string{"home", "project"} {
		must(t, os.MkdirAll(filepath.Join(base, dir), 0o755))
	}
	if _, err := os.Stat(files); err == nil {
		must(t, os.CopyFS(base, os.DirFS(files)))
	}
	now := time.Date(2026, 11, 21, 18, 0, 0, 0, time.UTC)
	return &Machine{
		Program: "/usr/local/bin/nvim-agent-diff", Plugin: "// nvim-agent-diff\nconst command = [\"/usr/local/bin/nvim-agent-diff\"]\n",
		Home: base + "/home", Project: base + "/project",
		Getenv: func(string) string { return "" },
		Now:    func() time.Time { now = now.Add(time.Second); return now },
	}
}

// tree is every file below a folder but our copies, with the folder's own name taken out of the texts.
func tree(t testing.TB, base string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(base, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.Contains(path, backupMark) {
			return err
		}
		raw, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, base+"/")] = strings.ReplaceAll(string(raw), base, "/base")
		return err
	})
	if !os.IsNotExist(err) {
		must(t, err)
	}
	return files
}

func sameTree(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: %s is\n%s\nwant\n%s", what, name, got[name], text)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s is there:\n%s", what, name, got[name])
		}
	}
}

func apply(t testing.TB, m *Machine, plan *Plan, err error) (copies []string) {
	t.Helper()
	must(t, err)
	copies, err = plan.Apply(m)
	must(t, err)
	return copies
}

// optionsOf are those that a case's name says.
func optionsOf(name string) Options {
	o := Options{Project: strings.Contains(name, "project")}
	for _, p := range []Part{MCP, Gate} {
		if strings.Contains(name, string(p)+"-only") {
			o.Parts = []Part{p}
		}
	}
	return o
}

// Each case is a folder of the files before, and one of the files as they are with us in them. Set up twice is as once, and
// undone is as before, byte for byte, with our copies and without.
func TestGolden(t *testing.T) {
	cases, err := filepath.Glob("testdata/*/*")
	must(t, err)
	if len(cases) < 20 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, dir := range cases {
		agent, name := filepath.Base(filepath.Dir(dir)), filepath.Base(dir)
		t.Run(agent+"/"+name, func(t *testing.T) {
			m, o := machine(t, dir+"/before"), optionsOf(name)
			base := filepath.Dir(m.Home)
			before := tree(t, base)
			plan, err := m.Plan(agent, o)
			apply(t, m, plan, err)
			got := tree(t, base)
			if golden.Updating() {
				must(t, os.RemoveAll(dir+"/after"))
				for name, text := range got {
					golden.Write(t, filepath.Join(dir, "after", name), text)
				}
			}
			sameTree(t, "set up", got, tree(t, dir+"/after"))

			plan, err = m.Plan(agent, o)
			must(t, err)
			if len(plan.Changes) > 0 {
				t.Errorf("set up again, it changes\n%s", plan.Changes[0].Diff())
			}
			plan, err = m.Undo(agent, o)
			apply(t, m, plan, err)
			if name == "outdated" { // what is undone was not all of our doing
				return
			}
			sameTree(t, "undone", tree(t, base), before)
			if left, _ := filepath.Glob(base + "/*/.*/*" + backupMark + "*"); len(left) > 0 {
				t.Errorf("copies are left: %v", left)
			}

			plan, err = m.Plan(agent, o)
			for _, copied := range apply(t, m, plan, err) {
				must(t, os.Remove(copied))
			}
			plan, err = m.Undo(agent, o)
			apply(t, m, plan, err)
			if !strings.HasPrefix(name, "lossy") {
				sameTree(t, "undone without copies", tree(t, base), before)
			}
		})
	}
}

// What the user has changed meanwhile stays, and only ours goes.
func TestUndoAfterChanges(t *testing.T) {
	cases := []struct{ name, agent, file, before, old, new, after string }{
		{
			"a server behind ours", "gemini", ".gemini/settings.json", "{}\n",
			"\"trust\": true\n    }\n  }", "\"trust\": true\n    }, // ours\n    \"mine\": {\"command\": \"x\"}\n  }",
			"{\n  \"mcpServers\": { // ours\n    \"mine\": {\"command\": \"x\"}\n  }\n}\n",
		},
		{
			"a hook in our group", "claude-code", ".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n",
			`"statusMessage": "` + waiting + `"
          }`, `"statusMessage": "` + waiting + `"
          },
          {"type": "command", "command": "mine"}`,
			`{
  "model": "opus",
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Edit|Write|MultiEdit|NotebookEdit",
        "hooks": [
          {"type": "command", "command": "mine"}
        ]
      }
    ]
  }
}
`,
		},
		{
			"keys of our own server", "codex", ".codex/config.toml", "model = \"o\" # mine\n",
			"[mcp_servers.nvim-diff]\n", "[mcp_servers.other]\ncommand = \"x\"\n\n[mcp_servers.nvim-diff]\nenabled = true\n",
			"model = \"o\" # mine\n\n[mcp_servers.other]\ncommand = \"x\"\n",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := machine(t, "")
			path := filepath.Join(m.Home, c.file)
			must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			must(t, os.WriteFile(path, []byte(c.before), 0o644))
			plan, err := m.Plan(c.agent, Options{})
			apply(t, m, plan, err)
			raw, err := os.ReadFile(path)
			must(t, err)
			changed := strings.Replace(string(raw), c.old, c.new, 1)
			if changed == string(raw) {
				t.Fatalf("%q is not in\n%s", c.old, raw)
			}
			must(t, os.WriteFile(path, []byte(changed), 0o644))
			plan, err = m.Undo(c.agent, Options{})
			apply(t, m, plan, err)
			raw, err = os.ReadFile(path)
			must(t, err)
			if string(raw) != c.after {
				t.Errorf("undone:\n%s\nwant\n%s", raw, c.after)
			}
		})
	}
}

// A file that is broken is named with its line, and nothing is written.
func TestBroken(t *testing.T) {
	cases := []struct{ agent, file, text, want string }{
		{"claude-code", ".claude/settings.json", "{\n  \"a\": 1\n  \"b\": 2\n}\n", "settings.json:3: "},
		{"claude-code", ".claude.json", "[]\n", ".claude.json:1: this is no JSON object"},
		{"claude-code", ".claude.json", `{"mcpServers": [1]}`, "mcpServers is no object"},
		{"gemini", ".gemini/settings.json", `{"hooks": {"BeforeTool": {}}}`, "hooks.BeforeTool is no list"},
		{"codex", ".codex/config.toml", "a = 1\nb = \n", "config.toml:2: "},
		{"codex", ".codex/config.toml", "mcp_servers = {}\n", "write it yourself:\n\n[mcp_servers.nvim-diff]\n"},
		{"codex", ".codex/config.toml", "mcp_servers.nvim-diff = 1\n", "write it yourself:\n\n[mcp_servers.nvim-diff]\n"},
	}
	for _, c := range cases {
		t.Run(c.agent+" "+c.text, func(t *testing.T) {
			m := machine(t, "")
			path := filepath.Join(m.Home, c.file)
			must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			must(t, os.WriteFile(path, []byte(c.text), 0o644))
			_, err := m.Plan(c.agent, Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "Nothing was changed") {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// Where a link leads nowhere, a file is made there, and undone: the link stays.
func TestLinkToNothing(t *testing.T) {
	m := machine(t, "")
	file, link := filepath.Join(m.Project, "gemini.json"), m.Home+"/.gemini/settings.json"
	must(t, os.MkdirAll(m.Home+"/.gemini", 0o755))
	must(t, os.Symlink(file, link))
	plan, err := m.Plan("gemini", Options{})
	apply(t, m, plan, err)
	if raw, err := os.ReadFile(file); err != nil || len(raw) == 0 {
		t.Errorf("%s, %v", raw, err)
	}
	plan, err = m.Undo("gemini", Options{})
	apply(t, m, plan, err)
	if _, err := os.Lstat(file); !os.IsNotExist(err) {
		t.Errorf("the file is there: %v", err)
	}
	if to, err := os.Readlink(link); to != file {
		t.Errorf("the link leads to %q: %v", to, err)
	}
}

// A link stays a link, a mode stays, and what changed since the plan was made is not written over.
func TestFiles(t *testing.T) {
	m := machine(t, "")
	file := filepath.Join(m.Project, "gemini.json")
	must(t, os.WriteFile(file, []byte("{}\n"), 0o640))
	must(t, os.Chmod(file, 0o640))
	must(t, os.MkdirAll(m.Home+"/.gemini", 0o755))
	link := m.Home + "/.gemini/settings.json"
	must(t, os.Symlink(file, link))
	plan, err := m.Plan("gemini", Options{})
	copies := apply(t, m, plan, err)
	if to, err := os.Readlink(link); err != nil || to != file {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	for _, path := range append(copies, file) {
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode().Perm() != 0o640 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
	}
	if len(copies) != 1 || filepath.Dir(copies[0]) != m.Home+"/.gemini" {
		t.Errorf("copies %v", copies)
	}
	raw, err := os.ReadFile(file)
	must(t, err)
	if !bytes.Contains(raw, []byte(serverName)) {
		t.Errorf("the file is\n%s", raw)
	}

	plan, err = m.Undo("gemini", Options{})
	must(t, err)
	must(t, os.WriteFile(file, []byte("{\"mine\": 1}\n"), 0o640))
	if _, err := plan.Apply(m); err == nil || !strings.Contains(err.Error(), "has been changed meanwhile") || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("error %v", err)
	}
}

// What is written for the user is for the user only.
func TestNewFilesArePrivate(t *testing.T) {
	m := machine(t, "")
	plan, err := m.Plan("codex", Options{})
	apply(t, m, plan, err)
	info, err := os.Stat(m.Home + "/.codex/config.toml")
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

// A gate for the user and one for the project are two reviews of one edit.
func TestTwoGates(t *testing.T) {
	m := machine(t, "")
	for _, project := range []bool{false, true} {
		plan, err := m.Plan("opencode", Options{Project: project})
		must(t, err)
		if warned := strings.Contains(strings.Join(plan.Notes, " "), "may be reviewed twice"); warned != project {
			t.Errorf("for the project: %v, notes %q", project, plan.Notes)
		}
		apply(t, m, plan, nil)
	}
}

// A project that somebody else has made does not get us to write, or to show, what is outside of it.
func TestLinksOutOfTheProject(t *testing.T) {
	cases := map[string]func(m *Machine) error{
		"a file": func(m *Machine) error {
			must(t, os.MkdirAll(m.Project+"/.gemini", 0o755))
			return os.Symlink(m.Home+"/.profile", m.Project+"/.gemini/settings.json")
		},
		"a folder": func(m *Machine) error { return os.Symlink(m.Home, m.Project+"/.gemini") },
		"a folder that is not there": func(m *Machine) error {
			must(t, os.MkdirAll(m.Project+"/.gemini", 0o755))
			return os.Symlink("../../home/new/settings.json", m.Project+"/.gemini/settings.json")
		},
	}
	for name, link := range cases {
		t.Run(name, func(t *testing.T) {
			m := machine(t, "")
			must(t, link(m))
			for _, plan := range []func(string, Options) (*Plan, error){m.Plan, m.Undo} {
				if _, err := plan("gemini", Options{Project: true}); err == nil || !strings.Contains(err.Error(), "leads out of the project") {
					t.Errorf("error %v", err)
				}
			}
			if files := tree(t, m.Home); len(files) > 0 {
				t.Errorf("written: %v", files)
			}
		})
	}
	m := machine(t, "")
	must(t, os.MkdirAll(m.Project+"/.gemini", 0o755))
	must(t, os.Symlink("../shared.json", m.Project+"/.gemini/settings.json"))
	plan, err := m.Plan("gemini", Options{Project: true})
	apply(t, m, plan, err)
	if _, err := os.Stat(m.Project + "/shared.json"); err != nil {
		t.Error("a link within the project is not followed:", err)
	}
}
