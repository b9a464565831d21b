package agents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// anEdit is, for each agent, a call that changes the first line of the file f.
var anEdit = map[string]struct {
	tool string
	args map[string]any
}{
	"claude-code": {"Edit", map[string]any{"file_path": "f", "old_string": "one", "new_string": "1"}},
	"codex":       {"apply_patch", map[string]any{"command": "*** Begin Patch\n*** Update File: f\n@@\n-one\n+1\n*** End Patch"}},
	"gemini":      {"replace", map[string]any{"file_path": "f", "old_string": "one", "new_string": "1", "instruction": "count"}},
	"opencode":    {"edit", map[string]any{"filePath": "f", "oldString": "one", "newString": "1"}},
	"generic":     {"", map[string]any{"edits": []map[string]any{{"path": "f", "old_string": "one", "new_string": "1"}}}},
}

func editOf(agent string) string { return hookInput(agent, anEdit[agent].tool, anEdit[agent].args) }

// Whatever goes wrong, no agent goes on with its edit: by what it honours, an exit code or an answer. Only a choice of the
// user's lets it.
func TestFailsClosed(t *testing.T) {
	gone := review.Errorf(review.EditorUnavailable, "No Neovim. Nothing was changed.")
	cases := []struct {
		name string
		p    person
		do   func(d *desk)
		// byChoice: the user's choices are about this.
		byChoice bool
	}{
		{"a panic", person{panics: true}, nil, true},
		{"a panic before the review", person{}, func(d *desk) { d.gate.Locate = nil }, true},
		{"an answer that is no decision", person{err: errors.New("what?")}, nil, true},
		{"the editor is lost", person{err: review.Errorf(review.EditorLost, "Neovim ended.")}, nil, true},
		{"no editor", person{err: gone}, nil, true},
		{"cancelled", person{err: review.Errorf(review.Cancelled, "The call was cancelled.")}, nil, false},
		{"denied by policy", person{err: review.Errorf(review.FSDenied, "denied by policy x")}, nil, false},
		{"outside of the roots", person{keys: "a"}, func(d *desk) {
			d.gate.Locate = func(context.Context, string, string) (review.File, string, error) {
				return review.File{}, "", review.Errorf(review.PathNotInSandbox, "It is outside.")
			}
		}, false},
		{"the text is not there", person{keys: "a"}, func(d *desk) { d.file("f", "two\n") }, false},
		{"it is there twice", person{keys: "a"}, func(d *desk) { d.file("f", "one\none\n") }, false},
		{"rejected", person{keys: "r"}, nil, false},
		{"left undecided", person{}, nil, false},
		{"another file than was asked about", person{keys: "a"}, func(d *desk) {
			calls, locate := 0, d.gate.Locate
			d.gate.Locate = func(ctx context.Context, dir, path string) (review.File, string, error) {
				calls++
				f, root, err := locate(ctx, dir, path)
				f.Abs += strings.Repeat("x", calls-1)
				return f, root, err
			}
		}, false},
		{"must not be written", person{keys: "a", edit: func(x hunks.Text) hunks.Text { return x.With("\xff") }}, nil, false},
	}
	for _, agent := range Names() {
		for _, c := range cases {
			if agent == "codex" && c.name == "it is there twice" {
				continue // Codex takes the first
			}
			for _, choice := range []Choice{Deny, Ask, Allow} {
				d := newDesk(t, agent, &c.p)
				d.gate.Fallback, d.gate.NoEditor = choice, choice
				d.file("f", "one\n")
				if c.do != nil {
					c.do(d)
				}
				code, stdout, stderr := d.run(editOf(agent))
				r := parseReply(t, stdout)
				name := fmt.Sprintf("%s, %s, %s: %d %q %q", agent, c.name, choice, code, stdout, stderr)
				if want := !c.byChoice || choice != Allow; blocks(agent, code, stdout, r) != want {
					t.Errorf("%s: blocks: %v", name, !want)
				}
				if code != 0 && code != 2 || code == 2 && (strings.TrimSpace(stderr) == "" || stdout != "") || code == 0 && stderr != "" {
					t.Errorf("%s: no valid end", name)
				}
				if choice == Ask && c.byChoice && (agent == "claude-code" || agent == "gemini") &&
					!strings.Contains(stdout, `ecision":"ask"`) {
					t.Errorf("%s: does not ask", name)
				}
				if strings.Contains(stdout, `"ask"`) && (agent == "codex" || agent == "opencode") {
					t.Errorf("%s: asks", name)
				}
			}
		}
	}
}

// What is no input of a hook is blocked by the exit code, which needs nothing to be understood.
func TestBadInput(t *testing.T) {
	deep := strings.Repeat(`{"tool_input":`, 20_000) + "1" + strings.Repeat("}", 20_000)
	for _, agent := range Names() {
		edit := editOf(agent)
		cases := map[string]string{
			"nothing":                   "",
			"white space":               " \n",
			"no JSON":                   "edit f",
			"half of it":                edit[:len(edit)/2],
			"two":                       edit + edit,
			"a list":                    "[" + edit + "]",
			"null":                      "null",
			"no event":                  strings.NewReplacer("hook_event_name", "x", `"event"`, `"x"`).Replace(edit),
			"another event":             strings.NewReplacer("PreToolUse", "Other", "BeforeTool", "Other", `"before"`, `"other"`).Replace(edit),
			"not UTF-8":                 strings.Replace(edit, "one", "\xff", 1),
			"half a character":          strings.Replace(edit, "one", `\ud800`, 1),
			"the other half":            strings.Replace(edit, "one", `\udc00`, 1),
			"both, the wrong way round": strings.Replace(edit, "one", `\udc00\ud800`, 1),
			"deep":                      deep,
		}
		for _, name := range []string{"file_path", "filePath", `"path"`} {
			cases["no "+name] = strings.ReplaceAll(edit, name, `"x"`)
		}
		cases["no text"] = strings.NewReplacer(`"one"`, "1", `"*** Begin Patch\n`, `7, "x":"`).Replace(edit)
		if agent != "codex" {
			cases["no patch"] = strings.ReplaceAll(edit, "new", "x")
		}
		if agent == "generic" {
			cases["a part and the whole"] = strings.Replace(edit, `"new_string"`, `"content":"2","new_string"`, 1)
		}
		for name, input := range cases {
			if input == edit {
				continue // the agent has no such part
			}
			p := &person{keys: "a"}
			d := newDesk(t, agent, p)
			d.file("f", "one\n")
			code, stdout, stderr := d.run(input)
			if code != 2 || stdout != "" || !strings.HasPrefix(stderr, "invalid_args: ") || !strings.Contains(stderr, "Nothing was changed.") ||
				strings.Contains(stderr, "Go ") || strings.Contains(stderr, "..") {
				t.Errorf("%s, %s: %d %q %q", agent, name, code, stdout, stderr)
			}
			if p.asked > 0 {
				t.Errorf("%s, %s: a person was asked", agent, name)
			}
		}
	}
}

// An emoji is two halves, and a backslash before a u is none of them.
func TestSurrogates(t *testing.T) {
	for text, lone := range map[string]bool{
		`"\ud83d\ude00"`: false, `"\\ud800"`: false, `"\\\ud800"`: true, `"\ud83d \ude00"`: true, `"a\ud83d"`: true, `"\ud83d\n"`: true, `"é"`: false,
	} {
		if HasLoneSurrogate([]byte(text)) != lone {
			t.Errorf("%s: %v", text, !lone)
		}
	}
}

// A signal ends the review, and the agent is told no, also when the reviewer does not hear it.
func TestInterrupted(t *testing.T) {
	for _, deaf := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d := newDesk(t, "claude-code", &person{waits: true})
			over := make(chan struct{})
			defer close(over)
			if deaf {
				d.gate.Locate = func(context.Context, string, string) (review.File, string, error) {
					<-over
					return review.File{}, "", errors.New("too late")
				}
			}
			d.file("f", "one\n")
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Hour, cancel)
			begun := time.Now()
			var stdout, stderr bytes.Buffer
			code := d.gate.Run(ctx, strings.NewReader(editOf("claude-code")), &stdout, &stderr)
			if !blocks("claude-code", code, stdout.String(), parseReply(t, stdout.String())) || code == 2 && stderr.Len() == 0 {
				t.Errorf("%d %s %s", code, &stdout, &stderr)
			}
			if took := time.Since(begun); took < time.Hour || took > time.Hour+stopTime {
				t.Errorf("took %v", took)
			}
		})
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// An answer that nobody can read blocks by the exit code.
func TestAnswerCannotBeWritten(t *testing.T) {
	d := newDesk(t, "claude-code", &person{keys: "a"})
	d.file("f", "one\n")
	var stderr bytes.Buffer
	if code := d.gate.Run(t.Context(), strings.NewReader(editOf("claude-code")), brokenPipe{}, &stderr); code != 2 || stderr.Len() == 0 {
		t.Errorf("%d %s", code, &stderr)
	}
}

// What edits nothing is none of our business: nobody is asked, and nothing is said that could allow it.
func TestNoEdit(t *testing.T) {
	for _, agent := range Names() {
		p := &person{keys: "a"}
		d := newDesk(t, agent, p)
		input := hookInput(agent, "Bash", map[string]any{"command": "rm -rf /", "edits": []any{}})
		code, stdout, stderr := d.run(input)
		if own := agent == "opencode" || agent == "generic"; code != 0 || stderr != "" || !own && stdout != "" || own && stdout != `{"decision":"allow"}`+"\n" {
			t.Errorf("%s: %d %q %q", agent, code, stdout, stderr)
		}
		if p.asked > 0 {
			t.Errorf("%s: a person was asked", agent)
		}
	}
	d := newDesk(t, "claude-code", &person{})
	if code, stdout, _ := d.run(`{"hook_event_name": "SessionStart"}`); code != 0 || stdout != "" {
		t.Errorf("an event without a tool: %d %s", code, stdout)
	}
	// An edit that changes nothing, to the byte.
	p := &person{}
	d = newDesk(t, "claude-code", p)
	d.file("f", "one\r\n")
	for content, want := range map[string]bool{"one\r\n": false, "one\n": true} {
		code, stdout, _ := d.run(hookInput("claude-code", "Write", map[string]any{"file_path": "f", "content": content}))
		if blocks("claude-code", code, stdout, parseReply(t, stdout)) != want {
			t.Errorf("%q over the same: %d %s", content, code, stdout)
		}
	}
}

// After the agent has written, the editor reads the file again; Gemini's model is told then what was not written, once.
func TestAfter(t *testing.T) {
	for _, agent := range Names() {
		p := &person{keys: "a", comment: "well done"}
		d := newDesk(t, agent, p)
		d.file("f", "one\n")
		before := editOf(agent)
		if code, stdout, stderr := d.run(before); code != 0 || !strings.Contains(stdout, "well done") != (agent == "gemini") {
			t.Errorf("%s: %d %s %s", agent, code, stdout, stderr)
		}
		d.file("f", "1\n")
		after := strings.NewReplacer("PreToolUse", "PostToolUse", "BeforeTool", "AfterTool", `"before"`, `"after"`).Replace(before)
		for _, first := range []bool{true, false} {
			d.reloaded = nil
			code, stdout, stderr := d.run(after)
			if code != 0 || stderr != "" || strings.Join(d.reloaded, " ") != "f" {
				t.Errorf("%s: %d %s %s, reloaded %v", agent, code, stdout, stderr, d.reloaded)
			}
			if told := strings.Contains(stdout, "well done"); told != (agent == "gemini" && first) {
				t.Errorf("%s: after the edit it is told %q", agent, stdout)
			}
		}
		if left, _ := os.ReadDir(d.gate.Notes); len(left) > 0 {
			t.Errorf("%s: a note is left", agent)
		}
	}
}

// Gemini's model is told after the edit too that nobody has reviewed it.
func TestUnreviewedIsTold(t *testing.T) {
	d := newDesk(t, "gemini", &person{err: review.Errorf(review.EditorUnavailable, "No Neovim. Nothing was changed.")})
	d.gate.NoEditor = Allow
	d.file("f", "one\n")
	d.run(editOf("gemini"))
	_, stdout, _ := d.run(strings.ReplaceAll(editOf("gemini"), "BeforeTool", "AfterTool"))
	if !strings.Contains(stdout, `"Nobody has reviewed this edit: editor_unavailable: No Neovim."`) { // and something is changed
		t.Error(stdout)
	}
}

// Nothing that fails after the edit says that there was none, or keeps the agent waiting.
func TestAfterFails(t *testing.T) {
	for _, agent := range Names() {
		after := strings.NewReplacer("PreToolUse", "PostToolUse", "BeforeTool", "AfterTool", `"before"`, `"after"`).Replace(editOf(agent))
		for name, do := range map[string]func(d *desk) string{
			"no reload": func(d *desk) string {
				d.gate.Reload = func(context.Context, string) error { return errors.New("no") }
				return after
			},
			"a panic": func(d *desk) string {
				d.gate.Reload = nil
				return after
			},
			"no such file": func(d *desk) string {
				d.gate.Locate = func(context.Context, string, string) (review.File, string, error) {
					return review.File{}, "", review.Errorf(review.PathNotInSandbox, "It is outside. Nothing was changed.")
				}
				return after
			},
			"not understood": func(*desk) string {
				return strings.NewReplacer("tool_input", "x", "args", "x", "edits", "x").Replace(after)
			},
		} {
			d := newDesk(t, agent, &person{})
			code, stdout, stderr := d.run(do(d))
			if code != 0 || stderr != "" || strings.Contains(stdout, "Nothing was changed") {
				t.Errorf("%s, %s: %d %q %q", agent, name, code, stdout, stderr)
			}
		}
	}
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, "gemini", &person{})
		d.gate.Reload = func(ctx context.Context, _ string) error {
			<-ctx.Done()
			return ctx.Err()
		}
		begun := time.Now()
		d.run(strings.ReplaceAll(editOf("gemini"), "BeforeTool", "AfterTool"))
		if took := time.Since(begun); took > reloadTime {
			t.Errorf("the agent waits %v for an editor that does not answer", took)
		}
	})
}

// The texts of a no, with and without comments, and of a part.
func TestTold(t *testing.T) {
	d := newDesk(t, "claude-code", &person{keys: "r"})
	d.file("f", "one\n")
	_, stdout, _ := d.run(editOf("claude-code"))
	if got, want := parseReply(t, stdout).Output.Reason, strings.TrimSuffix(fmt.Sprintf(review.RejectedText, "f")+review.StopText, "\n"); got != want {
		t.Errorf("a no is told as\n%s\nshould be\n%s", got, want)
	}
	d.gate.Reviewer = &person{keys: "r", comment: "use a word\nplease"}
	_, stdout, _ = d.run(editOf("claude-code"))
	want := fmt.Sprintf(review.RejectedText, "f") + review.StopOtherwiseText + "- use a word\n  please"
	if got := parseReply(t, stdout).Output.Reason; got != want {
		t.Errorf("a no with a comment is told as\n%s\nshould be\n%s", got, want)
	}
	d.file("f", "a\n1\n2\n3\n4\n5\n6\n7\nz\n")
	d.gate.Reviewer = &person{keys: "ar", comment: "only a", edit: func(x hunks.Text) hunks.Text { return x.With(x.Body + "mine\n") }}
	_, stdout, _ = d.run(hookInput("claude-code", "Write", map[string]any{"file_path": "f", "content": "A\n1\n2\n3\n4\n5\n6\n7\nZ\n"}))
	want = "The user has reviewed the edit of f: 1 of 2 hunks applied, 1 rejected, 0 undecided, 0 in conflict. Only what was applied " +
		"is written, not the edit as it was proposed. Do not propose the rest again unless the user asks for it.\n- hunk 2 (@@ -6,4 +6,4 @@): rejected\n" +
		"What is written, as a change of the file:\n```diff\n--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n```\n" +
		"What the user has changed besides, which is written too:\n```diff\n--- a/f\n+++ b/f\n@@ -7,3 +7,4 @@\n 6\n 7\n z\n+mine\n```\n" +
		"The user says:\n- only a"
	if got := parseReply(t, stdout).Output.Context; got != want {
		t.Errorf("a part is told as\n%s\nshould be\n%s", got, want)
	}
}

// How a hunk is named that is not simply written.
func TestStates(t *testing.T) {
	for _, c := range []struct {
		hunk review.HunkOutcome
		want string
	}{
		{review.HunkOutcome{State: hunks.Pending}, "undecided, not applied"},
		{review.HunkOutcome{State: hunks.Pending, StillInBuffer: true}, "undecided, but its text is written"},
		{review.HunkOutcome{State: hunks.Rejected, Partial: true}, "rejected, a part of a proposed hunk"},
		{review.HunkOutcome{State: hunks.Applied, Edited: true}, "applied, edited by the user"},
		{review.HunkOutcome{State: hunks.Conflict, Reason: "it is \x1b[2J gone."}, "in conflict, not applied: it is ^[[2J gone"},
	} {
		if got := state(c.hunk); got != c.want {
			t.Errorf("%q, should be %q", got, c.want)
		}
	}
}

// The plugin's only line that is ours to write says what it runs.
func TestOpenCodePlugin(t *testing.T) {
	got := OpenCodePlugin("/a b/nvim-agent-diff", "--nvim", `"x"`)
	if !strings.Contains(got, `const command = ["/a b/nvim-agent-diff","--nvim","\"x\""]`+"\n") || strings.Contains(got, pluginCommand) {
		t.Error(got)
	}
}
