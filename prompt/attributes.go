//go:build !openbsd && !dragonfly

package prompt

import (
	"bytes"
	"os"

	"golang.org/x/sys/unix"
)

// hasAttributes says whether a file has attributes, an access list for instance, that a copy would not have. The label of
// SELinux every file has, and a new one gets its own.
func hasAttributes(f *os.File) bool {
	list := make([]byte, 4096)
	n, err := unix.Flistxattr(int(f.Fd()), list)
	if err != nil {
		return err != unix.ENOTSUP && err != unix.ENOSYS
	}
	for name := range bytes.SplitSeq(list[:n], []byte{0}) {
		if len(name) > 0 && string(name) != "security.selinux" {
			return true
		}
	}
	return false
}
