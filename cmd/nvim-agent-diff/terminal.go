package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"nvim-agent-diff/tools"
)

// onTerminal tells whether a file is a terminal.
func onTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// onScreen is a text as it can be written to w: there is a file's or an agent's in it, which must not drive a terminal.
func onScreen(w io.Writer, text string) string {
	if w == os.Stdout && onTerminal(os.Stdout) {
		return tools.Visible(text)
	}
	return text
}

// openTerminal opens the terminal of the person who runs this program; nil when there is none. Stdin and stdout may both be
// pipes, as they are for `approve`. But then stderr must be the terminal: an agent that catches everything has one too,
// its own, which is not to be written into. A program in the background would be stopped when it reads.
func openTerminal() *os.File {
	if !onTerminal(os.Stderr) && (!onTerminal(os.Stdin) || !onTerminal(os.Stdout)) {
		return nil
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		_ = tty.Close()
		return nil
	}
	return tty
}
