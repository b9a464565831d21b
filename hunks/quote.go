package hunks

import "strings"

// quoteName writes a file name as Git does: as it is, or between double quotes with C escapes when it has a control
// character, a quote, a backslash or a byte that is no ASCII.
func quoteName(name string) string {
	plain := true
	for i := range len(name) {
		plain = plain && !needsQuote(name[i])
	}
	if plain {
		return name
	}
	var out strings.Builder
	out.WriteByte('"')
	for i := range len(name) {
		c := name[i]
		switch {
		case !needsQuote(c):
			out.WriteByte(c)
		case c == '"' || c == '\\':
			out.WriteByte('\\')
			out.WriteByte(c)
		case '\a' <= c && c <= '\r':
			out.WriteByte('\\')
			out.WriteByte("abtnvfr"[c-'\a'])
		default:
			out.WriteByte('\\')
			out.WriteByte('0' + c>>6)
			out.WriteByte('0' + c>>3&7)
			out.WriteByte('0' + c&7)
		}
	}
	out.WriteByte('"')
	return out.String()
}

func needsQuote(c byte) bool {
	return c < ' ' || c >= 0x7f || c == '"' || c == '\\'
}
