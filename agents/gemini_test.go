package agents

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nvim-agent-diff/hunks"
)

// A person is shown how Gemini will leave the file's end: as it is, whatever the new text says.
func TestGeminiKeepsTheEnd(t *testing.T) {
	for base, want := range map[string]string{"a\nz": "a\nZ", "a\nz\n": "a\nZ\n", "z": "Z"} {
		for _, added := range []string{"Z", "Z\n"} {
			shown := ""
			d := newDesk(t, "gemini", &person{keys: "a", edit: func(text hunks.Text) hunks.Text {
				shown = text.Raw()
				return text
			}})
			d.file("f", base)
			old := base[strings.Index(base, "z"):]
			d.run(hookInput("gemini", "replace", map[string]any{"file_path": "f", "old_string": old, "new_string": added}))
			if shown != want {
				t.Errorf("%q in the place of %q in %q: shown as %q", added, old, base, shown)
			}
		}
	}
}

// What an agent was to be told after an edit that it never made is not kept for ever.
func TestOldNotesAreForgotten(t *testing.T) {
	d := newDesk(t, "gemini", &person{keys: "a", comment: "well"})
	d.file("f", "one\n")
	old, young := filepath.Join(d.gate.Notes, "old"), filepath.Join(d.gate.Notes, "young")
	if err := os.MkdirAll(d.gate.Notes, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, age := range map[string]time.Duration{old: noteTime + time.Minute, young: noteTime - time.Minute} {
		when := time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, when, when)); err != nil {
			t.Fatal(err)
		}
	}
	d.run(editOf("gemini"))
	left, err := filepath.Glob(d.gate.Notes + "/*")
	if err != nil || len(left) != 2 || !slices.Contains(left, young) {
		t.Errorf("%v %v", left, err)
	}
}
