package prompt

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestUnsure: only where a file may hold something else than before is it said so.
func TestUnsure(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.txt", "old\n")
	f, err := os.Open(filepath.Join(root, "a.txt")) // to be read only: nothing can be written, nor put back
	must(t, err)
	defer f.Close()
	for raw, want := range map[string]bool{"old\n": false, "older\n": true} {
		err := disk{raw: []byte(raw)}.overwrite(f, "new\n")
		if _, unsure := errors.AsType[unsureError](err); err == nil || unsure != want {
			t.Errorf("%q: %v", raw, err)
		}
	}
	for want, unsure := range map[string][]string{
		"Nothing was changed.": nil,
		"It is not certain what is now in: c, d. Nothing else was changed. Read the files before you go on.": {"c", "d"},
	} {
		if got := whatChanged(unsure); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
