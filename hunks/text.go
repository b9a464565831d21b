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

// InBody is a text as the file's body has it: without the CR of line ends that are the file's.
func (t Text) InBody(text string) string {
	if t.CRLF {
		return strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text
}

// ReplaceAll puts one text in the place of another wherever that occurs in a body. lines are the lines that it began on,
// counted from 0. It goes through the body once: a search takes longer than the diff. The replaced text is cut somewhere behind
// most bytes: some bytes of an agent's can ask for more than memory holds.
func ReplaceAll(body, from, to string, most int) (replaced string, lines []int) {
	var out strings.Builder
	line := 0
	for {
		i := strings.Index(body, from)
		if i < 0 {
			break
		}
		if lines == nil {
			out.Grow(len(body) + len(to))
		}
		line += strings.Count(body[:i], "\n")
		lines = append(lines, line)
		line += strings.Count(from, "\n")
		if out.Len() <= most {
			out.WriteString(body[:i])
			out.WriteString(to)
		}
		body = body[i+len(from):]
	}
	out.WriteString(body)
	return out.String(), lines
}

// allCRLF says whether body has at least one line end, and every one of them is CRLF.
func allCRLF(body string) bool {
	n := strings.Count(body, "\n")
	return n > 0 && strings.Count(body, "\r\n") == n
}

// CountLines counts lines as people do: a last one without "\n" is one.
func CountLines(body string) int {
	n := strings.Count(body, "\n")
	if body != "" && body[len(body)-1] != '\n' {
		n++
	}
	return n
}

// splitLines cuts a body into its lines, each with its "\n".
func splitLines(body string) []string {
	lines := make([]string, 0, CountLines(body))
	for body != "" {
		n := lineEnd(body)
		lines = append(lines, body[:n])
		body = body[n:]
	}
	return lines
}

// appendLine adds a line to a text, and before it the newline that the text may lack: only the last line has none.
func appendLine(out *strings.Builder, line string) {
	if s := out.String(); s != "" && s[len(s)-1] != '\n' && line != "" {
		out.WriteByte('\n')
	}
	out.WriteString(line)
}

// lineEnd is the length of the first line of s with its "\n".
func lineEnd(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i + 1
	}
	return len(s)
}
