package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nvim-agent-diff/test/golden"
)

// hooked is a hook under way, as an agent has started it.
type hooked struct {
	s              *story
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	ended          chan struct{}
}

// hook is an agent that runs its hook.
func (s *story) hook(agent string, input map[string]any, flags ...string) *hooked {
	s.t.Helper()
	raw, err := json.Marshal(input)
	must(s.t, err)
	h := &hooked{s: s, ended: make(chan struct{})}
	args := append([]string{"--nvim", s.nvim.Addr(), "--root", s.dir, "hook"}, append(flags, agent)...)
	h.cmd = exec.Command(program(s.t), args...)
	h.cmd.Dir, h.cmd.Env = s.dir, append(s.nvim.Env(), "GORACE=atexit_sleep_ms=0")
	h.cmd.Stdin, h.cmd.Stdout, h.cmd.Stderr = bytes.NewReader(raw), &h.stdout, &h.stderr
	must(s.t, h.cmd.Start())
	go func() {
		_ = h.cmd.Wait()
		close(h.ended)
	}()
	s.t.Cleanup(func() {
		_ = h.cmd.Process.Kill()
		h.end() // it writes into the folders that are removed next
	})
	return h
}

// end waits until the hook has ended.
func (h *hooked) end() (code int, stdout, stderr string) {
	h.s.t.Helper()
	select {
	case <-h.ended:
	case <-time.After(patience):
		h.s.t.Fatalf("the hook does not end: %s%s", &h.stdout, &h.stderr)
	}
	return h.cmd.ProcessState.ExitCode(), h.stdout.String(), h.stderr.String()
}

// gated is an agent whose edits a gate stands before: how its hook is called, and what its tools do.
type gated struct {
	name string
	// edit is a call that changes lines 4 and 27 of a.txt, as a hook's input, by the event.
	edit func(event string, tool string, args map[string]any) map[string]any
	// events before and after
	before, after string
	tool          string
	args          map[string]any
	// write is what the tool makes of a text with these arguments.
	write func(t *testing.T, text string, args map[string]any) string
	// input finds the rewritten arguments in an answer; nil for none.
	input func(answer map[string]any) map[string]any
}

func hookEvent(event, tool string, args map[string]any) map[string]any {
	return map[string]any{
		"session_id": "s-1", "cwd": "DIR", "hook_event_name": event, "tool_name": tool, "tool_input": args, "tool_use_id": "t-1",
	}
}

func member(names ...string) func(map[string]any) map[string]any {
	return func(v map[string]any) map[string]any {
		for _, name := range names {
			v, _ = v[name].(map[string]any)
		}
		return v
	}
}

// playReplace is a text in the place of another, by the names of the arguments.
func playReplace(old, added string) func(*testing.T, string, map[string]any) string {
	return func(t *testing.T, text string, args map[string]any) string {
		t.Helper()
		if n := strings.Count(text, args[old].(string)); n != 1 {
			t.Errorf("%q occurs %d times", args[old], n)
		}
		return strings.Replace(text, args[old].(string), args[added].(string), 1)
	}
}

// playPatch is a patch of one hunk, or several, in Codex's syntax: the first place counts.
func playPatch(t *testing.T, text string, args map[string]any) string {
	t.Helper()
	body, found := strings.CutPrefix(args["command"].(string), "*** Begin Patch\n*** Update File: a.txt\n@@\n")
	body, ends := strings.CutSuffix(body, "*** End Patch")
	if !found || !ends {
		t.Errorf("a patch of Codex's looks otherwise than %q", args["command"])
	}
	for hunk := range strings.SplitSeq(body, "@@\n") {
		var old, added strings.Builder
		for line := range strings.Lines(hunk) {
			if line[0] != '+' {
				old.WriteString(line[1:])
			}
			if line[0] != '-' {
				added.WriteString(line[1:])
			}
		}
		text = strings.Replace(text, old.String(), added.String(), 1)
	}
	return text
}

func gatedAgents() []gated {
	long := strings.Join(strings.SplitAfter(three(), "\n")[3:27], "")
	changed := strings.Join(strings.SplitAfter(three(1), "\n")[3:26], "")
	patch := "*** Begin Patch\n*** Update File: a.txt\n@@\n line 3\n-line 4\n+FOUR\n line 5\n@@\n line 26\n-line 27\n line 28\n*** End Patch"
	plain := func(dir, args string) func(string, string, map[string]any) map[string]any {
		return func(event, tool string, a map[string]any) map[string]any {
			return map[string]any{"event": event, "tool": tool, "sessionID": "s-1", "callID": "c-1", dir: "DIR", args: a}
		}
	}
	return []gated{
		{
			"claude-code", hookEvent, "PreToolUse", "PostToolUse", "Edit",
			map[string]any{"file_path": "DIR/a.txt", "old_string": long, "new_string": changed},
			playReplace("old_string", "new_string"), member("hookSpecificOutput", "updatedInput"),
		},
		{
			"codex", hookEvent, "PreToolUse", "PostToolUse", "apply_patch",
			map[string]any{"command": patch},
			playPatch, member("hookSpecificOutput", "updatedInput"),
		},
		{
			"gemini", hookEvent, "BeforeTool", "AfterTool", "replace",
			map[string]any{"file_path": "a.txt", "instruction": "Count better.", "old_string": long, "new_string": changed},
			playReplace("old_string", "new_string"), member("hookSpecificOutput", "tool_input"),
		},
		{
			"opencode", plain("directory", "args"), "before", "after", "write",
			map[string]any{"filePath": "DIR/a.txt", "content": three(1, 3)},
			func(_ *testing.T, _ string, args map[string]any) string { return args["content"].(string) }, member("args"),
		},
		{
			"generic", func(event, _ string, args map[string]any) map[string]any {
				return map[string]any{
					"event": event, "agent": "Some agent", "cwd": "DIR", "description": "Count better.", "edits": []any{args},
				}
			}, "before", "after", "",
			map[string]any{"path": "a.txt", "old_string": long, "new_string": changed},
			playReplace("old_string", "new_string"), func(answer map[string]any) map[string]any {
				edits, _ := answer["edits"].([]any)
				if len(edits) == 0 {
					return nil
				}
				return edits[0].(map[string]any)
			},
		},
	}
}

// told is a hook's input or an answer as it is in a golden file, without what differs from run to run.
func (s *story) told(v any) string {
	s.t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	must(s.t, e.Encode(v))
	return strings.ReplaceAll(out.String(), s.dir, "DIR")
}

// inPlace is the value with the project's folder in the place of DIR.
func (s *story) inPlace(v map[string]any) map[string]any {
	s.t.Helper()
	raw, err := json.Marshal(v)
	must(s.t, err)
	var out map[string]any
	must(s.t, json.Unmarshal(bytes.ReplaceAll(raw, []byte("DIR"), []byte(s.dir)), &out))
	return out
}

// A whole conversation with each agent's hook: what is accepted is what the agent writes when it goes on with the answer;
// until then file and buffer are as they were, then the buffer holds it too. What is not accepted is not written, and the
// agent is told which it was, and what the user says.
func TestHooks(t *testing.T) {
	for _, agent := range gatedAgents() {
		t.Run(agent.name, func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				s.file("a.txt", three())
				s.open("a.txt")
				before := s.state()
				var talk strings.Builder
				for _, turn := range []struct {
					name, keys string
					applied    []int
				}{
					{"all", "A", []int{1, 3}},
					{"none", "R", nil},
					{"some, with a comment", "ncKeep line 27.<Esc><CR>paq" + "y", []int{1}},
					{"none, with comments", "CAsk me first.<Esc><CR>R", nil},
				} {
					s.file("a.txt", three())
					s.lua(nil, `vim.cmd('silent checktime')`)
					h := s.hook(agent.name, s.inPlace(agent.edit(agent.before, agent.tool, agent.args)))
					s.see("Progress: 0/2 applied")
					s.press(turn.keys)
					code, stdout, stderr := h.end()
					if code != 0 || stderr != "" {
						s.t.Fatalf("%s: %d %s %s", turn.name, code, stdout, stderr)
					}
					s.over()
					s.fileIs("a.txt", three())
					s.bufferIs("a.txt", three())
					s.asBefore(before, untouched...)
					answer := map[string]any{}
					if stdout != "" {
						must(s.t, json.Unmarshal([]byte(stdout), &answer))
					}
					if talk.Len() == 0 {
						talk.WriteString(s.told(agent.edit(agent.before, agent.tool, agent.args)))
					}
					fmt.Fprintf(&talk, "\n== %s: %s\n%s", turn.name, turn.keys, s.told(answer))
					if turn.applied == nil {
						continue
					}
					args := agent.input(answer)
					if args == nil {
						args = s.inPlace(agent.args)
					}
					s.file("a.txt", agent.write(s.t, three(), args))
					s.fileIs("a.txt", three(turn.applied...))
					after := s.hook(agent.name, s.inPlace(agent.edit(agent.after, agent.tool, args)))
					code, stdout, stderr = after.end()
					if code != 0 || stderr != "" {
						s.t.Errorf("%s, after: %d %s %s", turn.name, code, stdout, stderr)
					}
					if stdout != "" {
						talk.WriteString("== after the edit\n" + stdout)
					}
					s.bufferIs("a.txt", three(turn.applied...))
				}
				golden.Check(s.t, filepath.Join("hooks", agent.name+".txt"), talk.String())
			})
		})
	}
}
