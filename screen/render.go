package screen

import (
	"fmt"
	"strings"
)

// ANSI is the frame with its colours as escape sequences of a terminal with 24 bit colours.
func (s *Snapshot) ANSI() string {
	var b strings.Builder
	for _, cells := range s.Cells {
		last := -1
		for _, c := range cells {
			if c.HL != last {
				b.WriteString(s.look(c.HL).ansi())
				last = c.HL
			}
			b.WriteString(c.Text)
		}
		b.WriteString("\x1b[0m\n")
	}
	return b.String()
}

func (a Attrs) ansi() string {
	codes := []string{"0"}
	for _, flag := range []struct {
		on   bool
		code string
	}{{a.Bold, "1"}, {a.Italic, "3"}, {a.Underline || a.Undercurl, "4"}, {a.Reverse, "7"}, {a.Strike, "9"}} {
		if flag.on {
			codes = append(codes, flag.code)
		}
	}
	if a.Foreground >= 0 {
		codes = append(codes, rgb(38, a.Foreground))
	}
	if a.Background >= 0 {
		codes = append(codes, rgb(48, a.Background))
	}
	return "\x1b[" + strings.Join(codes, ";") + "m"
}

func rgb(kind, c int) string {
	return fmt.Sprintf("%d;2;%d;%d;%d", kind, c>>16&0xff, c>>8&0xff, c&0xff)
}

// String says the attributes in words: "fg=#rrggbb bg=#rrggbb bold".
func (a Attrs) String() string {
	var words []string
	for _, c := range []struct {
		name  string
		value int
	}{{"fg", a.Foreground}, {"bg", a.Background}} {
		if c.value >= 0 {
			words = append(words, fmt.Sprintf("%s=#%06x", c.name, c.value))
		}
	}
	for _, flag := range []struct {
		on   bool
		name string
	}{
		{a.Bold, "bold"},
		{a.Italic, "italic"},
		{a.Reverse, "reverse"},
		{a.Underline, "underline"},
		{a.Undercurl, "undercurl"},
		{a.Strike, "strikethrough"},
	} {
		if flag.on {
			words = append(words, flag.name)
		}
	}
	return strings.Join(words, " ")
}

// Looks is the frame as two texts of the same form, as golden files want it: the characters, then a letter for the
// looks of each cell ("." the default), then a legend of the letters.
func (s *Snapshot) Looks() string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	base := s.look(0)
	names := map[Attrs]byte{base: '.'}
	var legend []string
	var b strings.Builder
	for _, cells := range s.Cells {
		line := make([]byte, 0, len(cells))
		for _, c := range cells {
			a := s.look(c.HL)
			name, known := names[a]
			if !known {
				name = '?'
				if len(legend) < len(letters) {
					name = letters[len(legend)]
				}
				names[a] = name
				legend = append(legend, fmt.Sprintf("%c: %s\n", name, a))
			}
			line = append(line, name)
		}
		b.WriteString(strings.TrimRight(string(line), ".") + "\n")
	}
	return s.Text() + "--\n" + b.String() + "--\n" + strings.Join(legend, "")
}
