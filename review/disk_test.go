package review

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestReadDisk: what was put in the way of a path that was allowed is not read: neither a link at its end nor one on the way, nor
// a pipe.
func TestReadDisk(t *testing.T) {
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
	must(os.WriteFile(at("large"), nil, 0o644))
	must(os.Truncate(at("large"), MaxFile+1))
	if text, err := ReadDisk(at("real/f")); err != nil || text.Body != "f" || text.Missing {
		t.Errorf("%q %v", text.Body, err)
	}
	for _, name := range []string{"folder/f", "link", "pipe", "real", "large"} {
		if text, err := ReadDisk(at(name)); err == nil {
			t.Errorf("%s: read %d bytes", name, len(text.Body))
		}
	}
	if text, err := ReadDisk(at("nothing")); err != nil || !text.Missing {
		t.Errorf("%v %v", text, err)
	}
}
