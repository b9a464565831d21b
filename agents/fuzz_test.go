package agents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever a hook is given: it ends in one of its two ways, nothing panics, and the gate writes no file.
func FuzzInput(f *testing.F) {
	for i, agent := range Names() {
		f.Add(uint8(i), editOf(agent), "one\n", "a")
		f.Add(uint8(i), hookInput(agent, "Write", map[string]any{"file_path": "f", "content": "x\r\n"}), "one\r\n", "ra")
	}
	for _, patch := range []string{
		"*** Begin Patch\n*** Add File: f\n+x\n*** Delete File: g\n*** Update File: h\n*** Move to: i\n@@ a\n-b\n+c\n*** End of File\n*** End Patch",
		"*** Begin Patch\n*** Update File: f\n+x\n@@\n@@\n \n*** End Patch", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+1\n",
	} {
		f.Add(uint8(1), hookInput("codex", "apply_patch", map[string]any{"command": patch}), "one\n\none", "aar")
	}
	f.Fuzz(func(t *testing.T, agent uint8, input, file, keys string) {
		keys = strings.Map(func(r rune) rune {
			if r == 'a' || r == 'r' {
				return r
			}
			return -1
		}, keys)
		d := newDesk(t, Names()[int(agent)%len(Names())], &person{keys: keys})
		d.file("f", file)
		code, stdout, stderr := d.run(input)
		if code != 0 && code != 2 || code == 2 && stderr == "" || strings.Contains(d.log.String(), "panic") {
			t.Errorf("%d %q %q\n%s", code, stdout, stderr, &d.log)
		}
		if raw, _ := os.ReadFile(filepath.Join(d.dir, "f")); string(raw) != file {
			t.Errorf("the file holds %q", raw)
		}
		if entries, _ := os.ReadDir(d.dir); len(entries) > 1 {
			t.Errorf("there are %d files", len(entries))
		}
	})
}
