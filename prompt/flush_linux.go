package prompt

import "golang.org/x/sys/unix"

// flush drops what a terminal has received and nobody has read.
func flush(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
