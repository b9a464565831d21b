package hunks

import "strings"

const byteOrderMark = "\uFEFF"

// NewText takes the bytes of a file, UTF-8 or not, apart: BOM and CRLF are set where the file has them, and Body is the
// rest. A file of mixed line endings is no CRLF file: each CR in it is text. Nothing is lost: Raw gives the bytes back.
func NewText(raw string) Text {
	body, bom := strings.CutPrefix(raw, byteOrderMark)
	t := Text{Body: body, BOM: bom, CRLF: allCRLF(body)}
	if t.CRLF {
		t.Body = strings.ReplaceAll(body, "\r\n", "\n")
	}
	return t
}

// Raw is the file's bytes, with its byte order mark and line endings.
func (t Text) Raw() string {
	body := t.Body
	if t.CRLF {
		body = strings.ReplaceAll(body, "\n", "\r\n")
	}
	if t.BOM {
		return byteOrderMark + body
	}
	return body
}

// With is a text of the same file that says something else.
func (t Text) With(body string) Text {
	return Text{Body: body, CRLF: t.CRLF, BOM: t.BOM}
}

// allCRLF says whether body has at least one line end, and every one of them is CRLF.
func allCRLF(body string) bool {
	n := strings.Count(body, "\n")
	return n > 0 && strings.Count(body, "\r\n") == n
}

// countLines counts the lines of a body; a last line without "\n" is one.
func countLines(body string) int {
	n := strings.Count(body, "\n")
	if body != "" && body[len(body)-1] != '\n' {
		n++
	}
	return n
}

// splitLines cuts a body into its lines, each with its "\n".
func splitLines(body string) []string {
	lines := make([]string, 0, countLines(body))
	for body != "" {
		n := lineEnd(body)
		lines = append(lines, body[:n])
		body = body[n:]
	}
	return lines
}

// lineEnd is the length of the first line of s with its "\n".
func lineEnd(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i + 1
	}
	return len(s)
}
