package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// world is a user with a configuration, and a project.
type world struct {
	t       *testing.T
	places  Places
	project string
	memory  *Memory
}

func newWorld(t *testing.T) *world {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	w := &world{
		t: t, project: filepath.Join(home, "project"),
		places: Places{
			Home: home, Config: filepath.Join(home, ".config", "nvim-agent-diff", "config.toml"),
			State: filepath.Join(home, ".local", "state", "nvim-agent-diff"),
		},
	}
	w.memory = NewMemory(w.places.State, NewSession())
	must(t, os.MkdirAll(w.project, 0o755))
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) write(path, text string) string {
	w.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.project, path)
	}
	must(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(w.t, os.WriteFile(path, []byte(strings.ReplaceAll(text, "HOME", w.places.Home)), 0o644))
	return path
}

func (w *world) load(user, project string) *Policy {
	w.t.Helper()
	for path, text := range map[string]string{w.places.Config: user, ProjectFile: project} {
		if text != "" {
			w.write(path, text)
		}
	}
	return Load(w.places, w.memory, w.project)
}

func (w *world) edit(path string) Request { return w.request(Edit, path) }

func (w *world) request(action Action, path string) Request {
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.project, path)
	}
	return Request{Action: action, Tool: "edit_file", Path: path, Root: w.project}
}

var verdicts = map[Verdict]string{Accept: "accept", Ask: "ask", Deny: "deny"}

func (w *world) decides(p *Policy, r Request, want Verdict, why string) {
	w.t.Helper()
	got, rule := p.Decide(r)
	if got != want || !strings.Contains(rule.String(), why) {
		w.t.Errorf("%s: %s because of %q, should be %s because of %q", r.Path, verdicts[got], rule, verdicts[want], why)
	}
}

func TestDecide(t *testing.T) {
	tests := []struct {
		name, user, project string
		action              Action
		path                string
		want                Verdict
		why                 string
	}{
		{"no files", "", "", Edit, "a", Ask, "interactive"},
		{"reading is free", "", "", Read, "a", Accept, ""},
		{"approve", `mode = "auto_approve"`, "", Edit, "a", Accept, `mode = "auto_approve" (`},
		{"deny", `mode = "auto_deny"`, "", Edit, "a", Deny, `config.toml:1`},
		{"deny does not keep from reading", `mode = "auto_deny"`, "", Read, "a", Accept, ""},
		{"a project is stricter", `mode = "auto_approve"`, `mode = "interactive"`, Edit, "a", Ask, ".nvim-agent-diff.toml:1"},
		{"a project is not looser", `mode = "auto_deny"`, `mode = "interactive"`, Edit, "a", Deny, "config.toml:1"},
		{"a project does not approve", "", `mode = "auto_approve"`, Edit, "a", Ask, "default"},
		{"allowed", "\nallow = [\n'x', 'docs/**']", "", Edit, "docs/a/b", Accept, `allow = "docs/**" (`},
		{"allowed in auto_deny", "mode = 'auto_deny'\nallow = ['docs/**']", "", Edit, "docs/a", Accept, "config.toml:2"},
		{"allow means what it says", "allow = ['docs/**']", "", Edit, "DOCS/a", Ask, ""},
		{"allow is no prefix", "allow = ['docs/**']", "", Edit, "docs-secret/a", Ask, ""},
		{"allow takes in no folder", "allow = ['docs']", "", Edit, "docs/a", Ask, ""},
		{"allow a folder", "allow = ['docs/']", "", Edit, "docs/a", Accept, "docs/"},
		{"a project allows nothing", "", "allow = ['**']", Edit, "a", Ask, ""},
		{"denied", "deny = ['secrets/**']", "", Edit, "secrets/a", Deny, `deny = "secrets/**"`},
		{"denied to read", "deny = ['secrets/**']", "", Read, "secrets/a", Deny, `deny = "secrets/**"`},
		{"denied in any case", "deny = ['Secrets/*.PEM']", "", Read, "sEcrets/a.pem", Deny, "Secrets"},
		{"denied however it is composed", "deny = ['\u00e9\u017f\u1e9e']", "", Read, "E\u0301Sss", Deny, "deny"},
		{"denied at any depth", "deny = ['.env']", "", Read, "a/b/.env", Deny, ".env"},
		{"denied with all that is in it", "deny = ['secrets']", "", Read, "a/secrets/b/c", Deny, "secrets"},
		{"denied is stronger than allowed", "deny = ['a']\nallow = ['**']", "", Edit, "a", Deny, ""},
		{"a project denies", "allow = ['**']", "deny = ['a']", Edit, "a", Deny, ".nvim-agent-diff.toml:1"},
		{"ask is stronger than allow and mode", "mode = 'auto_approve'\nask = ['m/']\nallow = ['**']", "", Edit, "m/a", Ask, "m/"},
		{"ask in auto_deny", "mode = 'auto_deny'\nask = ['m/']", "", Edit, "m/a", Deny, "auto_deny"},
		{"a project asks", "allow = ['**']", "ask = ['m/**']", Edit, "m/a", Ask, "m/**"},
		{"an absolute glob", "deny = ['~/project/x/**']", "", Edit, "x/y", Deny, "~/project"},
		{"a glob of Lua's", "allow = ['%a+', '.*', 'x.-']", "", Edit, "abc", Ask, ""},
		{"edits without approval", "edit_approval = false", "", Edit, "a", Accept, "edit_approval = false"},
		{"but not new files", "edit_approval = false", "", Write, "a", Ask, ""},
		{"approval in auto_approve", "mode = 'auto_approve'\nwrite_approval = true", "", Write, "a", Ask, "write_approval = true"},
		{"approval in auto_deny", "mode = 'auto_deny'\nedit_approval = true", "", Edit, "a", Deny, "auto_deny"},
		{"a project wants approval", "edit_approval = false", "edit_approval = true", Edit, "a", Ask, ".nvim-agent-diff.toml"},
		{"a project drops none", "", "edit_approval = false", Edit, "a", Ask, "default"},
		{"reading asks", "read_approval = true", "", Read, "a", Ask, "read_approval = true"},
		{"a root's", "[roots.p]\npath = 'HOME/project/sub'\nedit_approval = false", "", Edit, "sub/a", Accept, "roots.p.edit_approval"},
		{"a root's only in it", "[roots.p]\npath = 'HOME/project/sub'\nedit_approval = false", "", Edit, "subway/a", Ask, ""},
		{
			"the inner root's", "[roots.o]\npath = 'HOME/project'\nedit_approval = true\n[roots.i]\npath = '~/project/sub'\nedit_approval = false",
			"", Edit, "sub/a", Accept, "roots.i",
		},
		{"a project's root", "edit_approval = false", "[roots.gen]\npath = 'gen'\nedit_approval = true", Edit, "gen/a", Ask, "roots.gen"},
		{"in line", "roots = {p = {path = '~/project', edit_approval = false}}", "", Edit, "a", Accept, "config.toml:1"},
		{"a tool that is granted", "tools = ['edit_file']\nmode = 'auto_approve'", "", Edit, "a", Accept, ""},
		{"a tool that is not", "tools = ['read_file']\nmode = 'auto_approve'", "", Edit, "a", Deny, `tools = ["read_file"]`},
		{"the project's own grants", "mode = 'auto_approve'", "tools = []", Edit, "a", Deny, "tools = []"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			p := w.load(test.user, test.project)
			if rule, broken := p.Broken(); broken {
				t.Fatal(rule)
			}
			w.decides(p, w.request(test.action, test.path), test.want, test.why)
		})
	}
}

// What cannot be understood lets nothing through, and is named by file and line.
func TestBroken(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a key", "mode = 'auto_approve'\n\ndney = ['a']", ":3): there is no such key"},
		{"a root's key", "[roots.a]\npath = '/'\nmod = 'ro'", ":3): there is no such key"},
		{"a value", "\nmode = 'auto-approve'", `:2): "auto-approve" is none of`},
		{"a type", "deny = 'a'", `:1): must be a list of texts, as ["a", "b"]`},
		{"an element's type", "tools = [1]", ":1): must be a list of texts"},
		{"no yes", "memory = 'yes'", ":1): must be true or false"},
		{"a root's type", "[roots.a]\npath = 1", ":2): must be a text in quotes"},
		{"no table", "[roots]\nmode = 1", ":2): must be a table"},
		{"no tables", "[[roots]]\na = 1", ":1): must be a table"},
		{"the syntax", "deny = ['a']\nmode = ", ":2): "},
		{"a glob", "deny = [\n'a',\n'[']", `:3): "[" is no valid pattern`},
		{"a glob out of the roots", "deny = ['../x']", ":1): \"../x\" is no pattern"},
		{"a glob of too many", "deny = ['{a,\\{}{b,c,d}', '" + strings.Repeat("{a,aa}", 30) + "']", ":1): \"{a,aa}{a,aa}"},
		{"a root's mode", "[roots.a]\npath = '/'\nmode = 'r'", ":3): "},
		{"a root without a path", "\n[roots.a]\nmode = 'ro'", ":2): "},
		{"a root that is relative", "[roots.a]\npath = 'x'", ":2): "},
		{"a root's name", "[roots.'a/b']\npath = '/'", ":1): "},
		{"twice", "mode = 'interactive'\nmode = 'interactive'", ":2): key mode is already defined"},
		{"bytes", "mode = '\xff'", ":1): "},
		{"too large", strings.Repeat("#\n", maxFile), ":1): "},
	}
	for _, test := range tests {
		for _, where := range []string{"user", "project"} {
			t.Run(test.name+" "+where, func(t *testing.T) {
				w := newWorld(t)
				p := w.load("mode = 'auto_approve'\nallow = ['**']", test.text)
				if where == "user" {
					must(t, os.Remove(filepath.Join(w.project, ProjectFile)))
					p = w.load(test.text, "")
				}
				if where == "project" && (test.name == "a root that is relative" || test.name == "a root's mode") {
					return // such a root is ignored, or right
				}
				problems := p.Problems()
				if len(problems) != 1 || !strings.Contains(problems[0].String(), test.want) {
					t.Fatalf("%v, should say %q", problems, test.want)
				}
				for _, action := range []Action{Read, Write, Edit} {
					w.decides(p, w.request(action, "a"), Deny, ":"+strings.TrimLeft(test.want[:2], ":"))
				}
			})
		}
	}
	t.Run("no file", func(t *testing.T) {
		w := newWorld(t)
		must(t, os.MkdirAll(filepath.Join(w.project, ProjectFile), 0o755))
		w.decides(w.load("", ""), w.edit("a"), Deny, "is not a regular file")
	})
}

// A line of a project's that would loosen is named, and not followed.
func TestLoosening(t *testing.T) {
	w := newWorld(t)
	must(t, os.Mkdir(filepath.Join(w.project, "in"), 0o755))
	must(t, os.Symlink("/", filepath.Join(w.project, "link")))
	p := w.load("mode = 'auto_deny'\nmemory = false\n[roots.r]\npath = '~/project/ro'\nmode = 'ro'", `log = false
mode = "interactive"
allow = ["**"]
memory = true
read_approval = false
[roots.r]
path = "ro"
mode = "rw"
edit_approval = false
[roots.up]
path = ".."
[roots.abs]
path = "/"
[roots.linked]
path = "link/etc"
[roots.home]
path = "~"
[roots.in]
path = "in"
`)
	if rule, broken := p.Broken(); broken {
		t.Fatal(rule)
	}
	var lines []string
	for _, n := range p.Notes {
		if !strings.HasSuffix(n.File, ProjectFile) {
			continue // the folder of the user's root is not there
		}
		lines = append(lines, n.Text)
	}
	want := "allow log memory read_approval roots.abs.path roots.linked.path roots.r.mode roots.r.edit_approval roots.up.path mode"
	got := strings.ReplaceAll(strings.Join(lines, " "), "roots.home.path ", "")
	if sorted(got) != sorted(want) {
		t.Errorf("ignored\n%s\nshould be\n%s", got, want)
	}
	if readOnly, rule := p.ReadOnly(filepath.Join(w.project, "ro", "a")); !readOnly || rule.Line != 5 {
		t.Error(readOnly, rule)
	}
	roots := p.Roots()
	if len(roots) != 1 || roots[0] != (Root{"in", filepath.Join(w.project, "in")}) {
		t.Error(roots)
	}
	if p.MayRemember(w.edit("a")) {
		t.Error("a project has switched the memory on")
	}
	if !p.Logged() || w.load("log = false", "").Logged() {
		t.Error("only the user's file says what is logged")
	}
}

func sorted(words string) string {
	list := strings.Fields(words)
	for i := range list {
		for j := i; j > 0 && list[j] < list[j-1]; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	return strings.Join(list, " ")
}

// A project's file counts for all below it, however deep the root is.
func TestProjectAbove(t *testing.T) {
	w := newWorld(t)
	w.load("mode = 'auto_approve'", "deny = ['sub/secret']")
	w.write("sub/"+ProjectFile, "deny = ['deep']")
	p := Load(w.places, nil, filepath.Join(w.project, "sub", "dir"))
	w.decides(p, w.edit("sub/secret"), Deny, filepath.Join(w.project, ProjectFile)+":1")
	w.decides(p, w.edit("sub/x/deep"), Deny, filepath.Join(w.project, "sub", ProjectFile)+":1")
	w.decides(p, w.edit("sub/x/shallow"), Accept, "")
}

// An agent attacks what the policy is made of: each of these is shown to a person, whatever the rules say.
func TestOwnFiles(t *testing.T) {
	w := newWorld(t)
	p := w.load("mode = 'auto_approve'\nallow = ['**']\nedit_approval = false", "tools = ['edit_file']")
	alias := filepath.Join(w.project, "harmless.txt")
	must(t, os.Link(w.places.Config, alias))
	for _, path := range []string{
		ProjectFile, "new/" + ProjectFile, strings.ToUpper(ProjectFile), alias, w.places.Config,
		filepath.Join(filepath.Dir(w.places.Config), "other"), filepath.Join(w.places.State, "approvals", "x.json"),
		strings.Replace(w.places.State, "state", "STATE", 1),
	} {
		w.decides(p, w.edit(path), Ask, "own files")
		if p.MayRemember(w.edit(path)) {
			t.Errorf("%s: a yes would be remembered", path)
		}
	}
	for _, path := range []string{".git/hooks/pre-commit", "sub/.GIT/config", ".git"} {
		w.decides(p, w.edit(path), Ask, ".git")
	}
	for _, path := range []string{"a", ".gitignore", ".github/x"} {
		w.decides(p, w.edit(path), Accept, "")
	}
}
