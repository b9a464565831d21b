package tools

import "io"

// lineReader reads a stream line by line without ever holding a line: what a line may be is the parser's to bound. A
// line's end is shown to the parser as the byte '\n', again and again, until next is called; so is the end of the input.
type lineReader struct {
	src        io.Reader
	buf        []byte
	start, end int   // what is read and not yet taken
	err        error // the source's; it counts when the buffer is empty
}

// lineBuffer is as large as a pipe.
const lineBuffer = 64 << 10

func newLineReader(src io.Reader) *lineReader {
	return &lineReader{src: src, buf: make([]byte, lineBuffer)}
}

// window is what can be taken now: at least one byte, or nothing at the end of the input.
func (r *lineReader) window() []byte {
	for r.start == r.end && r.err == nil {
		var n int
		n, r.err = r.src.Read(r.buf)
		r.start, r.end = 0, n
	}
	return r.buf[r.start:r.end]
}

// peek is the next byte of the line, '\n' at its end.
func (r *lineReader) peek() byte {
	if r.start < r.end {
		return r.buf[r.start]
	}
	if w := r.window(); len(w) > 0 {
		return w[0]
	}
	return '\n'
}

// skip takes n bytes, which the caller has seen and which hold no line end.
func (r *lineReader) skip(n int) { r.start += n }

// next goes to the beginning of the next line. The error is io.EOF after the last one.
func (r *lineReader) next() error {
	for {
		w := r.window()
		if len(w) == 0 {
			return r.err
		}
		if i := indexNewline(w); i >= 0 {
			r.start += i + 1
			return nil
		}
		r.start = r.end
	}
}

// more waits until there is a byte to parse. The error is io.EOF when there is none, or the source's.
func (r *lineReader) more() error {
	if len(r.window()) == 0 {
		return r.err
	}
	return nil
}
