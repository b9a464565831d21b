package prompt

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestRenameRefused leaves no second name of a file that may not be taken away from where it is.
func TestRenameRefused(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, os.Chmod(filepath.Dir(root), 0o755))
	write(t, root, "from/a.txt", "a\n")
	must(t, os.Mkdir(filepath.Join(root, "to"), 0o755))
	must(t, os.Chmod(filepath.Join(root, "to"), 0o777))
	must(t, os.Chmod(filepath.Join(root, "from/a.txt"), 0o666))
	must(t, os.Chmod(filepath.Join(root, "from"), 0o555))
	defer os.Chmod(filepath.Join(root, "from"), 0o755) //nolint:errcheck // for t.TempDir
	if os.Getuid() == 0 {
		// Root may do everything: let this thread be nobody's, for files only.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		must(t, unix.Setfsuid(65534))
		defer unix.Setfsuid(0) //nolint:errcheck // it never fails for root
	}
	d, err := readDisk(root, "from/a.txt")
	must(t, err)
	if err := d.rename(root, "to/b.txt"); err == nil {
		t.Fatal("it was renamed")
	}
	if _, err := os.Lstat(filepath.Join(root, "to/b.txt")); err == nil {
		t.Error("the file has a second name now")
	}
}
