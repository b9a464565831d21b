package approve

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"nvim-agent-diff/hunks"
)

// TestRandomOverrides runs tools with the arguments that random decisions leave: they write just what was accepted.
func TestRandomOverrides(t *testing.T) {
	w := newWorld(t, map[string]string{"f": ""})
	approved, overridden := 0, 0
	for seed := range uint64(120) {
		random := rand.New(rand.NewPCG(seed, 1))
		base := randomText(random, 12+random.IntN(30))
		if random.IntN(4) == 0 {
			base = strings.ReplaceAll(base, "\n", "\r\n")
		}
		must(t, os.WriteFile(filepath.Join(w.dir, "f"), []byte(base), 0o644))
		tool, args := randomCall(random, base)
		w.person.accepts = func(string, int) bool { return random.IntN(2) == 0 }
		var decided hunks.Text
		w.person.rewrites = func(_ string, text hunks.Text) hunks.Text { decided = text; return text }
		if random.IntN(5) == 0 {
			w.person.rewrites = func(_ string, text hunks.Text) hunks.Text {
				decided = text.With(strings.Replace(text.Body, "a\n", "mine é\n", 1))
				return decided
			}
		}
		raw, err := json.Marshal(args)
		must(t, err)
		d := w.run(`{"tool_call_id": "c", "tool_name": "` + tool + `", "args": ` + string(raw) + `}`)["c"]
		if !d.Approved || strings.HasPrefix(d.Note, "nothing_to_change") {
			if strings.Contains(d.Note, "cannot be said") {
				t.Errorf("seed %d: %s", seed, d.Note)
			}
			continue
		}
		approved++
		if d.OverrideArgs != nil {
			overridden++
			clear(args)
			raw, err := json.Marshal(d.OverrideArgs)
			must(t, err)
			must(t, json.Unmarshal(raw, &args))
		}
		if got := runTool(t, tool, base, args); got != decided.Raw() {
			t.Errorf("seed %d: %s %v\nof %q\nwrites   %q\naccepted %q", seed, tool, args, base, got, decided.Raw())
		}
	}
	if approved < 40 || overridden < 20 {
		t.Errorf("only %d approved, %d overridden: this tests little", approved, overridden)
	}
}

func randomText(random *rand.Rand, lines int) string {
	var out strings.Builder
	for range lines {
		out.WriteString([]string{"a", "b", "c", "d", "{", ""}[random.IntN(6)] + "\n")
	}
	return out.String()
}

// randomCall writes the whole file or replaces a part of it, or what occurs in several places.
func randomCall(random *rand.Rand, base string) (tool string, args map[string]any) {
	switch random.IntN(3) {
	case 0:
		lines := strings.SplitAfter(base, "\n")
		for i := range lines {
			if random.IntN(6) == 0 {
				lines[i] = fmt.Sprintf("new %d\n", i)
			}
		}
		return "write_file", map[string]any{"path": "f", "content": strings.Join(lines, "")}
	case 1:
		return "edit_file", map[string]any{"path": "f", "old_string": "a", "new_string": "x", "replace_all": true}
	}
	from := random.IntN(len(base) - 1)
	to := from + 1 + random.IntN(len(base)-from-1)
	old := base[from:to]
	return "edit_file", map[string]any{"path": "f", "old_string": old, "new_string": strings.ReplaceAll(strings.ReplaceAll(old, "b", "B"), "{", "}")}
}

// runTool is what a framework's tool makes of a file.
func runTool(t *testing.T, tool, base string, args map[string]any) string {
	t.Helper()
	text := func(name string) string {
		s, ok := args[name].(string)
		if !ok {
			t.Errorf("no %s in %v", name, args)
		}
		return s
	}
	if tool == "write_file" {
		return text("content")
	}
	old, added := text("old_string"), text("new_string")
	if all, _ := args["replace_all"].(bool); all {
		return strings.ReplaceAll(base, old, added)
	}
	if n := strings.Count(base, old); n != 1 {
		t.Errorf("%q occurs %d times in %q", old, n, base)
	}
	return strings.Replace(base, old, added, 1)
}

// FuzzInput reads any input: a place and a problem, or requests.
func FuzzInput(f *testing.F) {
	for _, input := range []string{
		`{}`, `{"requests": [{"tool_call_id": "a", "tool_name": "write_file", "args": "{\"path\": \"f\", \"content\": \"\\ud800\"}"}]}`,
		`{"requests": [{"tool_call_id": "a", "tool_name": "x", "args": {"a": [1, {}]}, "metadata": {"payload": {"type": "edit", "path": "f", "old_string": "a", "new_string": null}}}]}`,
	} {
		f.Add([]byte(input))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		requests, err := parseRequests(input)
		if bad, ok := errors.AsType[*InputError](err); err != nil && (!ok || bad.Path == "" || bad.Problem == "") {
			t.Errorf("%v", err)
		}
		for _, r := range requests {
			if (r.typ == typeWrite || r.typ == typeEdit) && !utf8.ValidString(r.content+r.old+r.new+r.path) {
				t.Errorf("%+v", r)
			}
		}
	})
}
