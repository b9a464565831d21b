package agents

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nvim-agent-diff/hunks"
)

// tool is how a test calls an agent's tool, and what the agent makes of a call: written anew here, from what was measured
// and read in the programs.
type tool struct {
	agent, name string
	args        func(base, modified string) map[string]any
	play        func(t *testing.T, base string, args fields) string
}

func str(t *testing.T, f fields, name string) (s string) {
	t.Helper()
	if err := json.Unmarshal(f[name], &s); err != nil {
		t.Fatalf("%s in %s: %v", name, toJSON(f), err)
	}
	return s
}

// once is a text in the place of another that occurs once, as JavaScript's replace does it.
func once(t *testing.T, base, old, added string) string {
	t.Helper()
	if strings.Count(base, old) != 1 && (old != "" || base != "") {
		t.Fatalf("%q is %d times in %q", old, strings.Count(base, old), base)
	}
	return strings.Replace(base, old, added, 1)
}

func replaces(path, old, added string) func(base, modified string) map[string]any {
	return func(base, modified string) map[string]any {
		return map[string]any{path: "f", old: base, added: modified, "extra": []int{1}}
	}
}

func tools() []tool {
	write := func(path string) func(_, modified string) map[string]any {
		return func(_, modified string) map[string]any { return map[string]any{path: "f", "content": modified} }
	}
	playWrite := func(t *testing.T, _ string, args fields) string { return str(t, args, "content") }
	return []tool{
		{"claude-code", "Edit", replaces("file_path", "old_string", "new_string"), func(t *testing.T, base string, args fields) string {
			old, added := str(t, args, "old_string"), str(t, args, "new_string")
			if added == "" && !strings.HasSuffix(old, "\n") && strings.Contains(base, old+"\n") {
				old += "\n"
			}
			return once(t, base, old, added)
		}},
		{"claude-code", "Write", write("file_path"), playWrite},
		{"gemini", "replace", replaces("file_path", "old_string", "new_string"), func(t *testing.T, base string, args fields) string {
			return once(t, base, str(t, args, "old_string"), str(t, args, "new_string"))
		}},
		{"gemini", "write_file", write("file_path"), playWrite},
		{"opencode", "edit", replaces("filePath", "oldString", "newString"), func(t *testing.T, base string, args fields) string {
			return once(t, base, str(t, args, "oldString"), str(t, args, "newString"))
		}},
		{"opencode", "write", write("filePath"), playWrite},
		{"codex", "apply_patch", codexArgs("command"), playCodex("command")},
		{"opencode", "apply_patch", codexArgs("patchText"), playCodex("patchText")},
	}
}

// codexArgs is a patch as a model writes it: hunks of three lines of context, without numbers.
func codexArgs(name string) func(base, modified string) map[string]any {
	return func(base, modified string) map[string]any {
		var b strings.Builder
		b.WriteString("*** Begin Patch\n*** Update File: f\n")
		for _, line := range strings.SplitAfter(hunks.Unified("f", "f", hunks.Text{Body: base}, hunks.Text{Body: modified}), "\n") {
			switch {
			case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
			case strings.HasPrefix(line, "@@"):
				b.WriteString("@@\n")
			default:
				b.WriteString(line)
			}
		}
		return map[string]any{name: b.String() + "*** End Patch\n"}
	}
}

// playCodex takes the first place where a hunk's lines are, behind the one before.
func playCodex(name string) func(t *testing.T, base string, args fields) string {
	return func(t *testing.T, base string, args fields) string {
		t.Helper()
		lines := strings.Split(strings.TrimSuffix(base, "\n"), "\n")
		at := 0
		body := strings.TrimPrefix(str(t, args, name), "*** Begin Patch\n*** Update File: f\n")
		for _, hunk := range strings.Split(strings.TrimSuffix(strings.TrimSuffix(body, "\n"), "*** End Patch"), "@@\n")[1:] {
			var old, added []string
			for line := range strings.Lines(hunk) {
				line = strings.TrimSuffix(line, "\n")
				if line[0] != '+' {
					old = append(old, line[1:])
				}
				if line[0] != '-' {
					added = append(added, line[1:])
				}
			}
			for ; strings.Join(lines[at:at+len(old)], "\n") != strings.Join(old, "\n"); at++ {
				if at+len(old) >= len(lines) {
					t.Fatalf("Codex does not find\n%s", hunk)
				}
			}
			lines = append(append(append([]string(nil), lines[:at]...), added...), lines[at+len(old):]...)
			at += len(added)
		}
		return strings.Join(lines, "\n") + "\n"
	}
}

// Whatever is accepted of whatever edit: the agent, as it goes on with the answer, writes exactly that.
func TestExactlyWhatWasAccepted(t *testing.T) {
	for _, tool := range tools() {
		t.Run(tool.agent+" "+tool.name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 2))
			p := &person{}
			d := newDesk(t, tool.agent, p)
			for range 120 {
				base, modified := randomEdit(rnd)
				d.file("f", base)
				all := hunks.Diff(hunks.NewText(base), modified).Hunks
				p.keys = ""
				keep := map[int]bool{}
				for _, h := range all {
					keep[h.ID] = rnd.IntN(2) == 0
					p.keys += map[bool]string{true: "a", false: "r"}[keep[h.ID]]
				}
				want := hunks.Diff(hunks.NewText(base), modified).Compose(func(id int) bool { return keep[id] })
				args := tool.args(base, modified)
				code, stdout, stderr := d.run(hookInput(tool.agent, tool.name, args))
				r := parseReply(t, stdout)
				if code != 0 || blocks(tool.agent, code, stdout, r) != !strings.Contains(p.keys, "a") {
					t.Fatalf("%s: %d %s %s", p.keys, code, stdout, stderr)
				}
				if !strings.Contains(p.keys, "a") {
					continue
				}
				input := r.input()
				if rewritten := input != nil; rewritten == !strings.Contains(p.keys, "r") && tool.name != "apply_patch" {
					t.Fatalf("%s: rewritten is %v", p.keys, rewritten)
				}
				if input == nil {
					input, _ = parseFields(toJSON(args))
				}
				if got := tool.play(t, base, input); got != want {
					t.Fatalf("%s: written is\n%q, should be\n%q\nbase\n%q\n%s", p.keys, got, want, base, stdout)
				}
			}
		})
	}
}

// randomEdit is a text with many lines that are the same, and another that was made from it.
func randomEdit(rnd *rand.Rand) (base, modified string) {
	var a, b []string
	for range 5 + rnd.IntN(60) {
		line := fmt.Sprintf("line %d\n", rnd.IntN(5))
		a = append(a, line)
		switch rnd.IntN(14) {
		case 0:
		case 1:
			b = append(b, "new "+line)
		case 2:
			b = append(b, line, "added\n")
		default:
			b = append(b, line)
		}
	}
	base, modified = strings.Join(a, ""), strings.Join(b, "")
	if base == modified || modified == "" {
		modified = "first\n" + modified
	}
	return base, modified
}

// Bytes: what is no LF text in UTF-8 is written as it was reviewed, or not at all.
func TestExactBytes(t *testing.T) {
	long := strings.Repeat("between\n", 8)
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	bom := "\uFEFF"
	cases := []struct {
		name, agent, tool string
		base              string
		args              map[string]any
		keys              string
		blocked           bool
		input             map[string]string // what is rewritten
	}{
		{
			"CRLF, all", "claude-code", "Edit", crlf("a\n" + long + "z\n"),
			map[string]any{"file_path": "f", "old_string": "a\nbetween", "new_string": "A\nbetween"},
			"a", false, nil,
		},
		{
			"CRLF, in part", "claude-code", "MultiEdit", crlf("a\n" + long + "z\n"),
			map[string]any{"file_path": "f", "edits": []map[string]any{
				{"old_string": "a\n", "new_string": "A\n"}, {"old_string": "z", "new_string": "Z"},
			}},
			"ra", false,
			map[string]string{"edits": `[{"new_string":"Z\n","old_string":"z\n","replace_all":false}]`},
		},
		{
			"a whole file gets its CRLF and its mark", "claude-code", "Write", bom + crlf("a\nb\n"),
			map[string]any{"file_path": "f", "content": "A\nb\n"},
			"a", false,
			map[string]string{"content": `"` + bom + `A\r\nb\r\n"`},
		},
		{
			"which Gemini does by itself", "gemini", "write_file", crlf("a\nb\n"),
			map[string]any{"file_path": "f", "content": "A\nb\n"},
			"a", false, nil,
		},
		{
			"no final newline", "opencode", "edit", "a\n" + long + "z",
			map[string]any{"filePath": "f", "oldString": "z", "newString": "Z\n"},
			"a", false, nil,
		},
		{
			"Gemini keeps it so", "gemini", "replace", "a\n" + long + "z",
			map[string]any{"file_path": "f", "old_string": "z", "new_string": "Z\n"},
			"a", false, nil,
		},
		{
			"Claude Code takes the line end too", "claude-code", "Edit", "a\nb\nc\n",
			map[string]any{"file_path": "f", "old_string": "b", "new_string": ""},
			"a", false,
			map[string]string{"old_string": `"b\n"`, "new_string": `""`, "replace_all": "false"},
		},
		{
			"not UTF-8, elsewhere", "claude-code", "Edit", "a\xe9\n" + long + "z\n",
			map[string]any{"file_path": "f", "old_string": "z", "new_string": "Z"},
			"a", false, nil,
		},
		{
			"not UTF-8, in what would have to be said", "claude-code", "Write", "a\n" + long + "z\xe9\n",
			map[string]any{"file_path": "f", "content": "A\n" + long + "z\n"},
			"ar", true, nil,
		},
		{
			"every occurrence, in part", "claude-code", "Edit", "x\n" + long + "x\n",
			map[string]any{"file_path": "f", "old_string": "x", "new_string": "y", "replace_all": true},
			"ra", false,
			map[string]string{"old_string": `"between\nx\n"`, "new_string": `"between\ny\n"`, "replace_all": "false"},
		},
		{
			"empty, new", "claude-code", "Write", "",
			map[string]any{"file_path": "new", "content": ""},
			"a", false, nil,
		},
		{
			"Codex ends every file", "codex", "apply_patch", "a\nb",
			map[string]any{"command": "*** Begin Patch\n*** Update File: f\n@@\n-a\n+A\n b\n*** End Patch"},
			"a", false, nil,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, c.agent, &person{keys: c.keys})
			d.file("f", c.base)
			code, stdout, stderr := d.run(hookInput(c.agent, c.tool, c.args))
			r := parseReply(t, stdout)
			if blocks(c.agent, code, stdout, r) != c.blocked || stderr != "" {
				t.Fatalf("%d %s %s", code, stdout, stderr)
			}
			got := r.input()
			args, _ := parseFields(toJSON(c.args))
			for name, want := range c.input {
				if string(got[name]) != want {
					t.Errorf("%s is %s, should be %s", name, got[name], want)
				}
				delete(got, name)
				delete(args, name)
			}
			if c.input == nil && got != nil || c.input != nil && string(toJSON(got)) != string(toJSON(args)) {
				t.Errorf("the rest of the input is %s, should be %s", toJSON(got), toJSON(args))
			}
		})
	}
}

// A patch of several files: each as decided, what is not accepted is not in it.
func TestPatchOfFiles(t *testing.T) {
	patch := `*** Begin Patch
*** Add File: new
+one
+two
*** Update File: f
@@
-a
+A
 b
@@
 y
-z
+Z
*** Delete File: old
*** Update File: from
*** Move to: to
@@
-x
+X
*** End Patch`
	const f = "a\nb\n1\n2\n3\n4\n5\n6\n7\ny\nz\n"
	cases := map[string]string{ // by the keys for new, f, f, old, the move, its line
		"aaaaaa": "",
		"rrrrrr": "blocked",
		"arrrrr": "*** Begin Patch\n*** Add File: new\n+one\n+two\n*** End Patch",
		"rraarr": "*** Begin Patch\n*** Update File: f\n@@\n 6\n 7\n y\n-z\n+Z\n*** Delete File: old\n*** End Patch",
		"rrrrar": "*** Begin Patch\n*** Update File: from\n*** Move to: to\n@@\n x\n*** End Patch",
		"rrrrra": "*** Begin Patch\n*** Update File: from\n@@\n-x\n+X\n*** End Patch",
		"rrrraa": "*** Begin Patch\n*** Update File: from\n*** Move to: to\n@@\n-x\n+X\n*** End Patch",
	}
	for keys, want := range cases {
		d := newDesk(t, "codex", &person{keys: keys})
		d.file("f", f)
		d.file("old", "gone\n")
		d.file("from", "x\n")
		code, stdout, _ := d.run(hookInput("codex", "apply_patch", map[string]any{"command": patch}))
		r := parseReply(t, stdout)
		got := ""
		switch input := r.input(); {
		case blocks("codex", code, stdout, r):
			got = "blocked"
		case input != nil:
			got = str(t, input, "command")
		}
		if got != want {
			t.Errorf("%s:\n%s\nshould be\n%s\n%s", keys, got, want, stdout)
		}
		if _, err := os.Lstat(filepath.Join(d.dir, "new")); err == nil {
			t.Errorf("%s: the gate has written", keys)
		}
	}
}

// A notebook's cell is reviewed as a text.
func TestNotebook(t *testing.T) {
	const notebook = `{"cells": [{"cell_type": "code", "id": "abc", "source": ["a\n", "1\n", "2\n", "3\n", "4\n", "5\n", "6\n", "7\n", "z"]},
		{"cell_type": "markdown", "source": "text"},
		{"cell_type": "code", "id": "twice", "source": "as it was", "Source": "another", "ID": "abc"}], "nbformat": 4}`
	const middle = "1\n2\n3\n4\n5\n6\n7\n"
	cases := []struct {
		args map[string]any
		keys string
		want string // the rewritten new_source and edit_mode, or what happens
	}{
		{map[string]any{"cell_id": "abc", "new_source": "A\n" + middle + "Z"}, "aa", "as it is"},
		{map[string]any{"cell_id": "abc", "new_source": "A\n" + middle + "Z"}, "ar", `"A\n1\n2\n3\n4\n5\n6\n7\nz" `},
		{map[string]any{"cell_id": "abc", "new_source": "A\n" + middle + "Z"}, "rr", "blocked"},
		{map[string]any{"cell_id": "cell-1", "new_source": "other"}, "a", "as it is"},
		{map[string]any{"cell_id": "cell-0", "new_source": "other"}, "a", "blocked"},
		{map[string]any{"cell_id": "none", "new_source": "other"}, "a", "blocked"},
		{map[string]any{"cell_id": "abc", "edit_mode": "delete"}, "a", "as it is"},
		{map[string]any{"cell_id": "abc", "edit_mode": "insert", "new_source": "new"}, "a", "as it is"},
		{map[string]any{"cell_id": "abc", "edit_mode": "insert", "new_source": "new"}, "r", "blocked"},
		{map[string]any{"cell_id": "twice", "new_source": "as it was"}, "r", "as it is"}, // there is nothing to decide on
		{map[string]any{"cell_id": "abc", "edit_mode": "what", "new_source": "new"}, "a", "blocked"},
	}
	for _, c := range cases {
		d := newDesk(t, "claude-code", &person{keys: c.keys})
		d.file("n.ipynb", notebook)
		c.args["notebook_path"] = "n.ipynb"
		code, stdout, stderr := d.run(hookInput("claude-code", "NotebookEdit", c.args))
		r := parseReply(t, stdout)
		got := "as it is"
		switch input := r.input(); {
		case blocks("claude-code", code, stdout, r):
			got = "blocked"
		case input != nil:
			got = fmt.Sprintf("%s %s", input["new_source"], input["edit_mode"])
		}
		if got != c.want {
			t.Errorf("%v %s: %s, should be %s\n%s%s", c.args, c.keys, got, c.want, stdout, stderr)
		}
	}
}
