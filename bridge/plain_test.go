package bridge

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What was put in the way of a path that was allowed is not read: neither a link at its end nor one on the way, nor a pipe.
func TestReadPlain(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(err)
	at := func(name string) string { return filepath.Join(dir, name) }
	must(os.Mkdir(at("real"), 0o755))
	must(os.WriteFile(at("real/f"), []byte("f"), 0o644))
	must(os.Symlink("real", at("folder")))
	must(os.Symlink("real/f", at("link")))
	must(syscall.Mkfifo(at("pipe"), 0o600))
	if text, err := readPlain(at("real/f")); err != nil || string(text) != "f" {
		t.Errorf("%q %v", text, err)
	}
	for _, name := range []string{"folder/f", "link", "pipe", "real"} {
		if text, err := readPlain(at(name)); err == nil {
			t.Errorf("%s: read %q", name, text)
		}
	}
	if text, err := diskText(at("nothing")); err != nil || !text.Missing {
		t.Errorf("%v %v", text, err)
	}
}
