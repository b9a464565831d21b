package prompt

import (
	"bufio"
	"context"
	"os"
	"strings"

	"golang.org/x/term"
)

// lines reads a terminal line by line. A read cannot be taken back, so one that nobody waits for any more is the next one's.
type lines struct {
	tty     *os.File
	reader  *bufio.Reader
	read    chan line
	reading bool
}

type line struct {
	text string
	err  error
}

func newLines(tty *os.File) *lines {
	return &lines{tty: tty, reader: bufio.NewReader(tty), read: make(chan line, 1)}
}

// next waits for a line, and gives it without the blanks around it. At the end of the terminal the error is io.EOF, also
// when a line was begun.
func (l *lines) next(ctx context.Context) (string, error) {
	if !l.reading {
		l.reading = true
		go func() {
			text, err := l.reader.ReadString('\n')
			l.read <- line{text, err}
		}()
	}
	select {
	case read := <-l.read:
		l.reading = false
		return strings.TrimSpace(read.text), read.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// discard drops what was typed before a question was there to be answered.
func (l *lines) discard() error {
	l.reader.Discard(l.reader.Buffered()) //nolint:errcheck // what is buffered can be dropped
	if !term.IsTerminal(int(l.tty.Fd())) {
		return nil
	}
	return flush(int(l.tty.Fd()))
}
