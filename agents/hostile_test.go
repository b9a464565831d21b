package agents

import (
	"strings"
	"testing"
	"time"
)

// An agent carries its edits out one after the other, and each was reviewed as a change of what is on the disk: two of one
// file would write what nobody has seen.
func TestOneFileTwice(t *testing.T) {
	edit := func(path string) map[string]any {
		return map[string]any{"path": path, "old_string": "one", "new_string": "1"}
	}
	d := newDesk(t, "generic", &person{keys: "aa"})
	d.gate.Fallback = Allow
	d.file("f", "one\n")
	code, stdout, stderr := d.run(hookInput("generic", "", map[string]any{"edits": []map[string]any{edit("f"), edit("./f")}}))
	if !blocks("generic", code, stdout, parseReply(t, stdout)) || !strings.Contains(stdout, "f and ./f are the same file") {
		t.Errorf("%d %s%s", code, stdout, stderr)
	}
	// A patch's two are reviewed as one, and made one.
	const patch = "*** Begin Patch\n*** Update File: f\n@@\n-one\n+two\n*** Update File: f\n@@\n-two\n+three\n*** End Patch"
	d = newDesk(t, "codex", &person{keys: "a"})
	d.file("f", "one\ntwo\n")
	_, stdout, _ = d.run(hookInput("codex", "apply_patch", map[string]any{"command": patch}))
	const want = "*** Begin Patch\n*** Update File: f\n@@\n-one\n two\n+three\n*** End Patch"
	if input := parseReply(t, stdout).input(); input == nil || str(t, input, "command") != want {
		t.Errorf("%s", stdout)
	}
}

// A hook that has no memory left is killed, and then the agent goes on with its edit.
func TestReplacedTextIsBounded(t *testing.T) {
	d := newDesk(t, "claude-code", &person{keys: "a"})
	d.file("f", strings.Repeat("a\n", 1<<15))
	code, stdout, stderr := d.run(hookInput("claude-code", "Edit", map[string]any{
		"file_path": "f", "old_string": "a", "new_string": strings.Repeat("b", 1<<12), "replace_all": true,
	}))
	if said := stdout + stderr; !blocks("claude-code", code, stdout, parseReply(t, stdout)) || !strings.Contains(said, "larger than 64 MiB") {
		t.Errorf("%d %.200s", code, said)
	}
}

// What is replaced is found in little time, however often its lines repeat.
func TestSpanOfEqualLines(t *testing.T) {
	base := strings.Repeat("x\n", 100_000)
	text := base[:len(base)/2] + "y\n" + base[len(base)/2:]
	start := time.Now()
	old, added := Span(base, text)
	if strings.Count(base, old) != 1 || strings.Replace(base, old, added, 1) != text {
		t.Errorf("%d bytes in the place of %d", len(added), len(old))
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
}

// Codex would write over a file that a patch moves another one onto: the review shows nothing of it.
func TestMoveOntoAnother(t *testing.T) {
	d := newDesk(t, "codex", &person{keys: "aa"})
	d.file("f", "one\n")
	d.file("there", "another\n")
	const patch = "*** Begin Patch\n*** Update File: f\n*** Move to: there\n@@\n-one\n+two\n*** End Patch"
	code, stdout, stderr := d.run(hookInput("codex", "apply_patch", map[string]any{"command": patch}))
	if !blocks("codex", code, stdout, parseReply(t, stdout)) || !strings.Contains(stdout+stderr, "there exists already") {
		t.Errorf("%d %s%s", code, stdout, stderr)
	}
}
