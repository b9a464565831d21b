package prompt

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"nvim-agent-diff/visible"
)

// look is what a terminal can show.
type look struct {
	width int
	color bool
	ascii bool // it is not for UTF-8
}

// defaultWidth is that of a terminal that does not tell it.
const defaultWidth = 80

// look is what the terminal can show now: a person may change its size between two questions.
func (t *Terminal) look() look {
	width, _, err := term.GetSize(int(t.tty.Fd()))
	if err != nil || width <= 0 {
		width = defaultWidth
	}
	return look{
		width: width,
		color: t.env("NO_COLOR") == "" && t.env("TERM") != "dumb",
		ascii: !visible.UTF8(t.env),
	}
}

// row is one line of what is shown: the column of its mark, and a text that may be anything.
type row struct {
	kind kind
	mark string // "" for a line of ours
	text string
}

// kind is what a row is.
type kind int

const (
	plain    kind = iota
	faint         // what is good to know
	warning       // what a person must see
	fileName      // the head of a diff
	header        // of a hunk
	unchanged
	removed
	added
)

// style is how rows of a kind look.
func (l look) style(k kind) ansi.Style {
	if !l.color {
		return nil
	}
	var s ansi.Style
	switch k {
	case faint:
		return s.Faint()
	case warning:
		return s.Bold().ForegroundColor(ansi.Yellow)
	case fileName:
		return s.Bold()
	case header:
		return s.ForegroundColor(ansi.Cyan)
	case removed:
		return s.ForegroundColor(ansi.Red)
	case added:
		return s.ForegroundColor(ansi.Green)
	}
	return nil
}

// styled is a text in a style; none is no style.
func styled(s ansi.Style, text string) string {
	if len(s) == 0 || text == "" {
		return text
	}
	return s.Styled(text)
}

// border is what a frame is drawn with.
type border struct{ top, between, bottom corners }

type corners struct{ left, right string }

func (l look) border() border {
	switch {
	case l.width < narrow:
		return border{corners{l.across(), l.across()}, corners{l.across(), l.across()}, corners{l.across(), l.across()}}
	case l.ascii:
		return border{corners{"+", "+"}, corners{"+", "+"}, corners{"+", "+"}}
	}
	return border{corners{"╭", "╮"}, corners{"├", "┤"}, corners{"╰", "╯"}}
}

func (l look) across() string   { return l.glyph("─", "-") }
func (l look) side() string     { return l.glyph("│", "|") }
func (l look) wrapped() string  { return l.glyph("↪", ">") } // the mark of a line that goes on
func (l look) ellipsis() string { return l.glyph("…", "...") }

func (l look) glyph(utf8, ascii string) string {
	if l.ascii {
		return ascii
	}
	return utf8
}

// narrow is where a terminal's lines are too short to spend four columns of them.
const narrow = 30

// frame draws sections of lines, already fitted, in a frame with a title. A narrow terminal gets only the lines between.
func (l look) frame(title string, sections ...[]string) string {
	var out strings.Builder
	side := styled(l.style(faint), l.side())
	for i, section := range sections {
		if i == 0 {
			out.WriteString(l.rule(l.border().top, title))
		} else {
			out.WriteString(l.rule(l.border().between, ""))
		}
		for _, text := range section {
			if l.width < narrow {
				out.WriteString(text + "\n")
				continue
			}
			pad := strings.Repeat(" ", max(0, l.inner()-ansi.StringWidth(text)))
			out.WriteString(side + " " + text + pad + " " + side + "\n")
		}
	}
	out.WriteString(l.rule(l.border().bottom, ""))
	return out.String()
}

// rule is a line of a frame between two corners, with a title in it.
func (l look) rule(c corners, title string) string {
	left := c.left
	if title != "" {
		left += l.across() + " "
		title = ansi.Truncate(l.safe(title), max(1, l.width-6), l.ellipsis()) + " "
	}
	fill := max(0, l.width-ansi.StringWidth(left+title+c.right))
	return styled(l.style(faint), left) + styled(l.style(fileName), title) +
		styled(l.style(faint), strings.Repeat(l.across(), fill)+c.right) + "\n"
}

// inner is how wide the lines in a frame are.
func (l look) inner() int {
	if l.width < narrow {
		return max(8, l.width)
	}
	return l.width - 4
}

// fit makes lines of rows that are no wider than a frame's. All of a long row is there, on several lines.
func (l look) fit(rows []row) []string {
	var out []string
	for _, r := range rows {
		style, text := l.style(r.kind), l.safe(r.text)
		if r.mark == "" {
			for text := range strings.SplitSeq(ansi.Wrap(text, l.inner(), ""), "\n") {
				out = append(out, styled(style, text))
			}
			continue
		}
		mark := r.mark
		for text := range strings.SplitSeq(ansi.Hardwrap(text, l.inner()-1, true), "\n") {
			out = append(out, styled(style, mark+text))
			mark = l.wrapped()
		}
	}
	return out
}

// whole makes lines of rows for a pager, which wraps them itself.
func (l look) whole(rows []row) string {
	var out strings.Builder
	for _, r := range rows {
		out.WriteString(styled(l.style(r.kind), r.mark+l.safe(r.text)) + "\n")
	}
	return out.String()
}

// tabWidth is how far apart the tab stops of a text are.
const tabWidth = 8

// safe is one line that does not drive the terminal, with blanks in the place of tabs.
func (l look) safe(text string) string {
	var out strings.Builder
	column := 0
	for i, piece := range strings.Split(text, "\t") {
		if i > 0 {
			n := tabWidth - column%tabWidth
			out.WriteString(strings.Repeat(" ", n))
			column += n
		}
		piece = visible.Line(piece, l.ascii)
		out.WriteString(piece)
		column += ansi.StringWidth(piece)
	}
	return out.String()
}
