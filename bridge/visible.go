package bridge

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A person must see what an agent's text really is: with characters that are invisible, or that turn the direction of
// writing, a change can look harmless and be something else (CVE-2021-42574). Neovim draws control characters and many of
// these as what they are, but which ones depends on its version.

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

// isOddBlank says whether a character looks like a space and is none. Prose has them, so they are no cause for alarm.
func isOddBlank(r rune) bool { return r != ' ' && r != '\u3000' && unicode.Is(unicode.Zs, r) }

// nameOf is how Neovim writes a character that it does not draw.
func nameOf(r rune) string {
	if r <= 0xff {
		return fmt.Sprintf("<%02x>", r)
	}
	return fmt.Sprintf("<%04x>", r)
}

// visible is a text with names in the place of its hidden characters.
func visible(s string) string {
	marks := hidden(nil, s, 0)
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

// hidden adds the hidden characters of a line, which is the given row, to the list.
func hidden(list []wireHidden, line string, row int) []wireHidden {
	prev := rune(0)
	for i := 0; i < len(line); {
		if c := line[i]; c < utf8.RuneSelf {
			prev = rune(c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		if isHidden(r, prev) {
			list = append(list, wireHidden{Row: row, Col: i, Bytes: size, Text: nameOf(r), alarming: !isOddBlank(r)})
			r = 0
		}
		prev, i = r, i+size
	}
	return list
}

// maxHidden is how many hidden characters are shown as what they are.
const maxHidden = 10_000

// hiddenIn finds the hidden characters of a diff's lines, and says what the person must be told of them.
func hiddenIn(lines []string) (list []wireHidden, warnings []string) {
	list = []wireHidden{}
	alarm := ""
	for row, line := range lines {
		before := len(list)
		list = hidden(list, line, row)
		for _, h := range list[before:] {
			if alarm == "" && h.alarming && strings.HasPrefix(line, "+") {
				alarm = h.Text
			}
		}
		if len(list) > maxHidden {
			list = list[:maxHidden]
			warnings = append(warnings, fmt.Sprintf(
				"There are more than %d invisible characters. Those from row %d of the diff on are not shown.", maxHidden, row+1))
			break
		}
	}
	if alarm != "" {
		warnings = append(warnings,
			"CAREFUL: the new text holds characters that are invisible or turn the direction of writing, such as "+alarm)
	}
	return list, warnings
}
