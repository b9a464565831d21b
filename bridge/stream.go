package bridge

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// What a message from Neovim may be. go-client allocates whatever a header of five bytes asks for, and decodes
// recursively: without limits garbage on the socket takes all memory, or the whole stack.
const (
	maxDepth    = 128
	maxElements = 1 << 23 // announced and not yet there, in all the arrays and maps that are open
	maxBytes    = 1 << 28 // of one string
)

// endMethod is a notification that the reader adds behind the last message of the stream. go-client says when it has
// read the stream, but not when it has delivered the notifications that were in it.
const endMethod = "agent_diff_end_of_stream"

var errClosed = errors.New("closed by nvim-agent-diff")

// guardedReader passes a stream of MessagePack messages on, and fails on what is none. It is read by one goroutine.
type guardedReader struct {
	r    io.Reader
	open []uint64 // how many elements are still to come, of each array and map that is open, outermost first
	owed uint64   // their sum
	head []byte   // the bytes of an element's head that have arrived, when that is not all of them
	body uint64   // how many bytes of a string are still to come

	tail  []byte // what is still to be read of the added message
	err   error  // the end of the stream, once it was reached
	after atomic.Bool
	shut  atomic.Bool
	why   atomic.Pointer[error]
}

// close notes that the stream is closed from our side.
func (g *guardedReader) close() { g.shut.Store(true) }

// ended says whether the stream ended between two messages, so that the added message comes behind the last of them.
func (g *guardedReader) ended() bool { return g.after.Load() }

// cause is why the stream ended; nil when it has not, or when the other side closed it between two messages.
func (g *guardedReader) cause() error {
	if why := g.why.Load(); why != nil {
		return *why
	}
	return nil
}

// Read passes on what it reads. Between two messages every end is an io.EOF behind the added message.
func (g *guardedReader) Read(p []byte) (int, error) {
	if len(g.tail) > 0 {
		n := copy(p, g.tail)
		g.tail = g.tail[n:]
		return n, nil
	}
	if g.err != nil || len(p) == 0 {
		return 0, g.err
	}
	n, err := g.r.Read(p)
	if bad := g.scan(p[:n]); bad != nil {
		return 0, g.stop(bad)
	}
	if err == nil || n > 0 {
		return n, nil // an error comes again with the next Read
	}
	if !g.between() {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return 0, g.stop(err)
	}
	if !errors.Is(err, io.EOF) {
		_ = g.stop(err)
	}
	g.err = io.EOF
	g.after.Store(true)
	g.tail = append([]byte{0x93, 0x02, 0xa0 | byte(len(endMethod))}, endMethod...)
	g.tail = append(g.tail, 0x90)
	return g.Read(p)
}

func (g *guardedReader) stop(err error) error {
	g.err = err
	why := err
	if g.shut.Load() {
		why = errClosed
	}
	g.why.Store(&why)
	return err
}

// between says whether the last byte was the last of a message.
func (g *guardedReader) between() bool { return len(g.open) == 0 && len(g.head) == 0 && g.body == 0 }

// scan follows the structure of the stream.
func (g *guardedReader) scan(p []byte) error {
	for len(p) > 0 {
		if g.body > 0 {
			n := min(g.body, uint64(len(p)))
			g.body -= n
			p = p[n:]
			g.closeComplete()
			continue
		}
		code := p[0]
		if len(g.head) > 0 {
			code = g.head[0]
		}
		form := formOf(code)
		need := 1 + form.size - len(g.head)
		if len(p) < need {
			g.head = append(g.head, p...)
			return nil
		}
		var buf [9]byte
		head := append(append(buf[:0], g.head...), p[:need]...)
		p = p[need:]
		g.head = g.head[:0]
		if err := g.element(form, head); err != nil {
			return err
		}
	}
	return nil
}

// element takes one element, whose head is complete.
func (g *guardedReader) element(f form, head []byte) error {
	if depth := len(g.open); depth > 0 {
		g.open[depth-1]--
		g.owed--
	} else if f.kind != formArray {
		return fmt.Errorf("not a MessagePack-RPC message: it begins with 0x%02x", head[0])
	}
	count := f.fixed
	if f.size > 0 && f.kind != formScalar {
		count = number(head[1:])
	}
	switch f.kind {
	case formInvalid:
		return errors.New("not MessagePack: byte 0xc1")
	case formBytes:
		if count > maxBytes {
			return fmt.Errorf("a string of %d bytes is too long", count)
		}
		g.body = count + f.extra
	case formArray, formMap:
		if f.kind == formMap {
			count *= 2
		}
		if g.owed += count; g.owed > maxElements {
			return fmt.Errorf("a table of %d elements is too large", count)
		}
		if g.open = append(g.open, count); len(g.open) > maxDepth {
			return errors.New("tables are nested too deeply")
		}
	}
	g.closeComplete()
	return nil
}

// closeComplete closes the arrays and maps that are complete.
func (g *guardedReader) closeComplete() {
	for g.body == 0 && len(g.open) > 0 && g.open[len(g.open)-1] == 0 {
		g.open = g.open[:len(g.open)-1]
	}
}

// number reads a big endian number of 1, 2, 4 or 8 bytes.
func number(p []byte) uint64 {
	var buf [8]byte
	copy(buf[8-len(p):], p)
	return binary.BigEndian.Uint64(buf[:])
}

const (
	formScalar = iota
	formBytes
	formArray
	formMap
	formInvalid
)

// form is how an element is laid out: a code, size bytes that are a number (of bytes, of elements, or the value), and
// for strings and extensions a body.
type form struct {
	kind  int
	size  int
	fixed uint64 // the count that the code itself says
	extra uint64 // bytes of the body that the count does not count: an extension's type
}

// formOf reads the code of an element, as the MessagePack specification lists them.
func formOf(code byte) form {
	switch {
	case code <= 0x7f || code >= 0xe0 || code == 0xc0 || code == 0xc2 || code == 0xc3:
		return form{kind: formScalar}
	case code <= 0x8f:
		return form{kind: formMap, fixed: uint64(code & 0x0f)}
	case code <= 0x9f:
		return form{kind: formArray, fixed: uint64(code & 0x0f)}
	case code <= 0xbf:
		return form{kind: formBytes, fixed: uint64(code & 0x1f)}
	case code == 0xc1:
		return form{kind: formInvalid}
	case code <= 0xc6: // bin 8, 16, 32
		return form{kind: formBytes, size: 1 << (code - 0xc4)}
	case code <= 0xc9: // ext 8, 16, 32
		return form{kind: formBytes, size: 1 << (code - 0xc7), extra: 1}
	case code <= 0xcb: // float 32, 64
		return form{kind: formScalar, size: 4 << (code - 0xca)}
	case code <= 0xcf: // uint 8 to 64
		return form{kind: formScalar, size: 1 << (code - 0xcc)}
	case code <= 0xd3: // int 8 to 64
		return form{kind: formScalar, size: 1 << (code - 0xd0)}
	case code <= 0xd8: // fixext 1 to 16
		return form{kind: formBytes, fixed: 1 << (code - 0xd4), extra: 1}
	case code <= 0xdb: // str 8, 16, 32
		return form{kind: formBytes, size: 1 << (code - 0xd9)}
	case code <= 0xdd: // array 16, 32
		return form{kind: formArray, size: 2 << (code - 0xdc)}
	default: // map 16, 32
		return form{kind: formMap, size: 2 << (code - 0xde)}
	}
}
