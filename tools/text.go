package tools

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

func indexNewline(b []byte) int { return bytes.IndexByte(b, '\n') }

// fault is what is wrong with a text that is no text, as the rest of a sentence. A decoder of JSON would silently put
// U+FFFD in its place, and the agent's file would be another than it believes.
type fault string

const (
	invalidUTF8   fault = "is not valid UTF-8"
	loneSurrogate fault = "holds a lone surrogate, which is no character"
	tooLarge      fault = "is larger than 16 MiB"
)

// jsonText decodes the JSON string whose opening quote is next, and takes it. Of a text longer than limit only the fault
// is kept. ok is false when it is no JSON string; what was taken then is unspecified.
func (p *parser) jsonText(limit int) (text string, f fault, ok bool) {
	p.lines.skip(1)
	out := &p.pieces
	out.reset(limit)
	var high rune // the first half of a surrogate pair, 0 for none
	for {
		w := p.lines.window()
		if n := out.decode(w); n > 0 {
			if high != 0 {
				high, f = 0, loneSurrogate
			}
			p.lines.skip(n)
			continue
		}
		c := p.lines.peek()
		if c != '"' && c != '\\' {
			return "", "", false // a control character, or the line's end
		}
		p.lines.skip(1)
		if c == '"' {
			break
		}
		r, unicode, ok := p.escape()
		if !ok {
			return "", "", false
		}
		isLow := unicode && 0xdc00 <= r && r < 0xe000
		switch {
		case high != 0 && isLow:
			out.addRune(utf16.DecodeRune(high, r))
			high = 0
			continue
		case high != 0 || isLow:
			high, f = 0, loneSurrogate
		}
		switch {
		case unicode && 0xd800 <= r && r < 0xdc00:
			high = r
		case !isLow:
			out.addRune(r)
		}
	}
	switch {
	case high != 0:
		f = loneSurrogate
	case out.over:
		f = tooLarge
	}
	if f != "" {
		return "", f, true
	}
	if text = out.text(); !utf8.ValidString(text) {
		return "", invalidUTF8, true
	}
	return text, "", true
}

// escape decodes what follows a backslash. unicode tells a \u escape, whose value may be half of a pair.
func (p *parser) escape() (r rune, unicode, ok bool) {
	c := p.lines.peek()
	if c == '\n' {
		return 0, false, false
	}
	p.lines.skip(1)
	if c != 'u' {
		r = rune(unescaped[c])
		return r, false, r != 0
	}
	for range 4 {
		d, ok := hexDigit(p.lines.peek())
		if !ok {
			return 0, false, false
		}
		p.lines.skip(1)
		r = r<<4 | d
	}
	return r, true, true
}

func hexDigit(c byte) (rune, bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c && c <= 'f':
		return rune(c - 'a' + 10), true
	case 'A' <= c && c <= 'F':
		return rune(c - 'A' + 10), true
	}
	return 0, false
}

// special finds the bytes in x that do not stand for themselves in a JSON string: quotes, backslashes and control
// characters. The lowest bit that is set is in the first of them, seen as little endian; there is none in 0.
func special(x uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, backslash := x^('"'*ones), x^('\\'*ones)
	return (((x - 0x20*ones) &^ x) | ((quote - ones) &^ quote) | ((backslash - ones) &^ backslash)) & highs
}

func isSpecial(c byte) bool { return c == '"' || c == '\\' || c < 0x20 }

// plainLen is how many bytes b begins with that are not special.
func plainLen(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if found := special(binary.LittleEndian.Uint64(b[i:])); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(b) && !isSpecial(b[i]) {
		i++
	}
	return i
}

// unescaped is what follows a backslash, decoded; 0 when that needs more than one look.
var unescaped = [256]byte{
	'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', '"': '"', '\\': '\\', '/': '/',
}

// pieces collects a text of unknown length: growing one buffer would copy a large text several times, and leave as much
// garbage behind. The pieces are used again for the next text of a frame.
type pieces struct {
	all   [][]byte // those up to at hold the text
	at    int
	size  int
	limit int
	over  bool // more came than the limit, and is dropped
}

// pieceSize is twice what is decoded at once, so that at least half of each piece is used.
const pieceSize = 2 * lineBuffer

func (p *pieces) reset(limit int) {
	for i := range p.all {
		p.all[i] = p.all[i][:0]
	}
	p.at, p.size, p.limit, p.over = 0, 0, limit, false
}

// release keeps no more than small texts need.
func (p *pieces) release() {
	if len(p.all) > 1 {
		p.all = append([][]byte(nil), p.all[0])
	}
}

// room is the piece to append n bytes to, at most half a piece.
func (p *pieces) room(n int) *[]byte {
	if len(p.all) == 0 {
		p.all = append(p.all, make([]byte, 0, pieceSize))
	}
	last := &p.all[p.at]
	switch {
	case len(*last)+n <= pieceSize:
		return last
	case p.over:
		*last = (*last)[:0]
		return last
	}
	if p.at++; p.at == len(p.all) {
		p.all = append(p.all, make([]byte, 0, pieceSize))
	}
	return &p.all[p.at]
}

// decode takes from b, no longer than lineBuffer, what it can decode at a glance, and says how many bytes it took. What
// comes then is a quote, an escape of several characters or at the end of b, or an error.
func (p *pieces) decode(b []byte) (taken int) {
	piece := p.room(len(b) + 8)
	start := len(*piece)
	out := (*piece)[:pieceSize]
	i, o := 0, start
	for i < len(b) {
		if i+8 <= len(b) {
			x := binary.LittleEndian.Uint64(b[i:])
			binary.LittleEndian.PutUint64(out[o:], x) // what is too much is written over
			found := special(x)
			if found == 0 {
				i, o = i+8, o+8
				continue
			}
			n := bits.TrailingZeros64(found) / 8
			i, o = i+n, o+n
		} else if !isSpecial(b[i]) {
			out[o] = b[i]
			i, o = i+1, o+1
			continue
		}
		if b[i] != '\\' || i+1 == len(b) {
			break
		}
		c := unescaped[b[i+1]]
		if c == 0 {
			break
		}
		out[o] = c
		i, o = i+2, o+1
	}
	*piece = out[:o]
	p.grown(o - start)
	return i
}

// grown counts what was added.
func (p *pieces) grown(n int) {
	p.size += n
	p.over = p.over || p.size > p.limit
}

func (p *pieces) addRune(r rune) {
	piece := p.room(utf8.UTFMax)
	n := len(*piece)
	*piece = utf8.AppendRune(*piece, r)
	p.grown(len(*piece) - n)
}

func (p *pieces) text() string {
	var out strings.Builder
	out.Grow(p.size)
	for i := 0; i <= p.at && i < len(p.all); i++ {
		out.Write(p.all[i])
	}
	return out.String()
}
