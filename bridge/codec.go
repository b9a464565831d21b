package bridge

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"nvim-agent-diff/hunks"
)

// codec is how a buffer holds a file, where that is not simply its text.
type codec struct {
	encoding string // 'fileencoding'; "" is UTF-8
	// bytes: one byte that is not UTF-8 makes Neovim read a whole file as latin1, in which every byte is a character. Agents
	// take such a file for UTF-8 all the same, and so do we: the text is the file's bytes.
	bytes bool
	// cr: every line ends in CRLF, but 'fileformat' is unix: the lines in the buffer end in CR.
	cr bool
}

// codecOf finds the codec of a buffer by its text.
func codecOf(encoding, buffer string, crlf bool) codec {
	c := codec{encoding: encoding}
	if encoding == "latin1" {
		raw, ok := encodeLatin1(buffer)
		c.bytes = ok && mostlyUTF8(raw)
	}
	c.cr = !crlf && endsInCR(buffer)
	return c
}

func endsInCR(s string) bool {
	n := strings.Count(s, "\n")
	return n > 0 && strings.Count(s, "\r\n") == n
}

// mostlyUTF8 says whether there are characters of several bytes in s, and more of them than bytes that are none. A text in
// latin1 has hardly ever any.
func mostlyUTF8(s string) bool {
	characters, others := 0, 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			others++
		} else {
			characters++
		}
		i += size
	}
	return characters > others
}

// text is the file's text when the buffer holds this.
func (c codec) text(buffer string, crlf, bom bool) hunks.Text {
	if c.bytes {
		if raw, ok := encodeLatin1(buffer); ok {
			buffer = raw
		}
	}
	if c.cr && !crlf && endsInCR(buffer) {
		return hunks.Text{Body: strings.ReplaceAll(buffer, "\r\n", "\n"), CRLF: true, BOM: bom}
	}
	return hunks.Text{Body: buffer, CRLF: crlf, BOM: bom}
}

// line is what the buffer holds for a line of the text, both without "\n"; ended says whether it has one.
func (c codec) line(line string, ended bool) string {
	if c.bytes {
		line = decodeLatin1(line)
	}
	if c.cr && ended {
		line += "\r"
	}
	return line
}

// verbatim says whether the text's bytes are those of the file.
func (c codec) verbatim() bool { return c.encoding == "" || c.bytes }

// decode makes a text of the file's bytes.
func (c codec) decode(raw []byte) (hunks.Text, error) {
	switch {
	case c.encoding == "":
		return hunks.NewText(string(raw)), nil
	case c.bytes:
		text := hunks.Text{Body: string(raw)}
		if text.CRLF = endsInCR(text.Body); text.CRLF {
			text.Body = strings.ReplaceAll(text.Body, "\r\n", "\n")
		}
		return text, nil
	case c.encoding == "latin1":
		return hunks.NewText(decodeLatin1(string(raw))), nil
	case c.encoding == "utf-16le" || c.encoding == "ucs-2le":
		return hunks.NewText(decodeUTF16(raw, binary.LittleEndian)), nil
	case c.encoding == "utf-16" || c.encoding == "ucs-2":
		return hunks.NewText(decodeUTF16(raw, binary.BigEndian)), nil
	}
	return hunks.Text{}, fmt.Errorf("its encoding is %s", c.encoding)
}

func decodeLatin1(s string) string {
	var out strings.Builder
	out.Grow(len(s))
	for i := range len(s) {
		out.WriteRune(rune(s[i]))
	}
	return out.String()
}

// encodeLatin1 is false when there is a character that latin1 does not have.
func encodeLatin1(s string) (string, bool) {
	var out bytes.Buffer
	out.Grow(len(s))
	for _, r := range s {
		if r > 0xff {
			return "", false
		}
		out.WriteByte(byte(r))
	}
	return out.String(), true
}

func decodeUTF16(raw []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = order.Uint16(raw[2*i:])
	}
	return string(utf16.Decode(units))
}
