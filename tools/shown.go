package tools

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shown is an agent's one-line text, a path for instance, as it can be put into a sentence: as it is, or quoted with
// escapes when it holds line ends, control characters, or characters that turn the direction of writing or are invisible.
func shown(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, hidden) {
		return s
	}
	return strconv.Quote(s)
}

// Visible is a text of several lines in which characters that are not seen as what they are, but for line ends and tabs, are
// escaped.
func Visible(text string) string {
	hide := func(r rune) bool { return r != '\n' && r != '\t' && hidden(r) }
	if !strings.ContainsFunc(text, hide) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if hide(r) {
			out.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// hidden says whether a character is not seen as what it is.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
}
