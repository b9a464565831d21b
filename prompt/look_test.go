package prompt

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// FuzzFrame draws any text: nothing in it drives the terminal, no line is wider than it, and all of the text is there.
func FuzzFrame(f *testing.F) {
	for _, text := range []string{"", "plain", "\x1b[2J\x1b]0;x\a", "tab\tand 漢字 wide, 👩\u200d💻", "\xff\xfe\u202e\u0085", strings.Repeat("long ", 100), "a\u0301\u0301\u0301", "\u200d"} {
		f.Add(text, 40, false)
		f.Add(text, 9, true)
	}
	f.Fuzz(func(t *testing.T, text string, width int, ascii bool) {
		l := look{width: min(max(width, 10), 200), ascii: ascii}
		rows := []row{{added, "+", strings.ReplaceAll(text, "\n", " ")}}
		out := l.frame(text, l.fit(rows))
		for line := range strings.SplitSeq(strings.TrimSuffix(out, "\n"), "\n") {
			if n := ansi.StringWidth(line); n > l.width {
				t.Errorf("a line is %d wide, the terminal %d: %q", n, l.width, line)
			}
			for _, r := range line {
				if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || ascii && r > unicode.MaxASCII {
					t.Errorf("%q is in %q", r, line)
				}
			}
		}
		for _, line := range l.fit(rows)[1:] {
			if !strings.HasPrefix(line, l.wrapped()) {
				t.Errorf("%q does not say that it goes on", line)
			}
		}
	})
}
