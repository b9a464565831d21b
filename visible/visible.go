// Package visible shows the characters of an agent's or a file's text that a person would not see as what they are. With
// characters that are invisible, or that turn the direction of writing, a change can look harmless and be something else
// (CVE-2021-42574).
package visible

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mark is a hidden character in a line, and what to show in its place.
type Mark struct {
	Col, Bytes int // where it is, in bytes
	Text       string
	Alarming   bool // it is not just an odd blank, which prose has
}

// Marks are the hidden characters of a line, but for control characters, which Neovim draws as what they are.
func Marks(line string) []Mark {
	var list []Mark
	prev := rune(0)
	for i := 0; i < len(line); {
		if c := line[i]; c < utf8.RuneSelf {
			prev = rune(c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		if isHidden(r, prev) {
			list = append(list, Mark{Col: i, Bytes: size, Text: nameOf(r), Alarming: !isOddBlank(r)})
			r = 0
		}
		prev, i = r, i+size
	}
	return list
}

// Text is a text with names in the place of its hidden characters.
func Text(s string) string {
	marks := Marks(s)
	if len(marks) == 0 {
		return s
	}
	var b strings.Builder
	done := 0
	for _, m := range marks {
		b.WriteString(s[done:m.Col])
		b.WriteString(m.Text)
		done = m.Col + m.Bytes
	}
	b.WriteString(s[done:])
	return b.String()
}

// Line is one line as a terminal can be given it: nothing in it drives the terminal. Control characters, hidden ones and
// bytes that are no UTF-8 have names in their place, as in Neovim; line ends and tabs too, which are the caller's to
// place. A terminal that is not for UTF-8 (ascii) gets names for all that it cannot draw.
func Line(s string, ascii bool) string {
	var b strings.Builder
	prev := rune(0)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "<%02x>", s[i])
			r = 0
		case r < ' ' || r == 0x7f:
			b.WriteByte('^')
			b.WriteByte(byte(r) ^ 0x40)
		case unicode.IsControl(r), isHidden(r, prev), ascii && r >= utf8.RuneSelf:
			b.WriteString(nameOf(r))
			r = 0
		default:
			b.WriteString(s[i : i+size])
		}
		prev, i = r, i+size
	}
	return b.String()
}

// UTF8 says whether the environment asks for UTF-8. env is os.Getenv.
func UTF8(env func(string) string) bool {
	locale := strings.ToLower(cmp.Or(env("LC_ALL"), env("LC_CTYPE"), env("LANG")))
	return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
}

// isHidden says whether a character cannot be seen. prev is the one before it, 0 for a hidden one: joiners and variation
// selectors belong to emoji and to the letters of some scripts, and are hidden only where there is nothing to act on.
func isHidden(r, prev rune) bool {
	switch {
	case isJoiner(r):
		return prev < utf8.RuneSelf || isJoiner(prev)
	case unicode.Is(unicode.Variation_Selector, r):
		return prev < utf8.RuneSelf || unicode.Is(unicode.Variation_Selector, prev)
	case r == '\u2800': // a Braille pattern without dots
		return true
	}
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
		unicode.In(r, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point) || isOddBlank(r)
}

func isJoiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// isOddBlank says whether a character looks like a space and is none.
func isOddBlank(r rune) bool { return r != ' ' && r != '\u3000' && unicode.Is(unicode.Zs, r) }

// nameOf is how Neovim writes a character that it does not draw.
func nameOf(r rune) string {
	if r <= 0xff {
		return fmt.Sprintf("<%02x>", r)
	}
	return fmt.Sprintf("<%04x>", r)
}
