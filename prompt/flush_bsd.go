//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package prompt

import "golang.org/x/sys/unix"

// flush drops what a terminal has received and nobody has read.
func flush(fd int) error {
	const read = 1 // FREAD
	return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, read)
}
