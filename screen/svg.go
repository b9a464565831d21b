package screen

import (
	"encoding/xml"
	"fmt"
	"strings"
	"time"
)

// The form of a cell in a picture, in pixels.
const (
	cellWidth, cellHeight = 8.4, 18
	fontSize, baseline    = 14, 13.5
	margin                = 12
)

// SVG is the frame as a picture, with its cursor.
func (s *Snapshot) SVG() string {
	var b strings.Builder
	s.openSVG(&b)
	s.drawSVG(&b)
	b.WriteString("</svg>\n")
	return b.String()
}

// Film is frames of one size as one moving picture, which begins again at its end. Each frame is shown for as long as
// shown says.
func Film(frames []*Snapshot, shown []time.Duration) string {
	var b strings.Builder
	var total time.Duration
	for _, d := range shown {
		total += d
	}
	frames[0].openSVG(&b)
	b.WriteString("<style>\n")
	var at time.Duration
	percent := func(d time.Duration) float64 { return 100 * float64(d) / float64(total) }
	for i, d := range shown {
		from, to := percent(at), percent(at+d)
		at += d
		fmt.Fprintf(&b, "@keyframes f%d{0%%,%.3f%%{visibility:hidden}%.3f%%,%.3f%%{visibility:visible}%.3f%%,100%%{visibility:hidden}}\n",
			i, max(0, from-0.001), from, to-0.001, to)
		// Where nothing moves, the last frame stands.
		start := "hidden"
		if i == len(frames)-1 {
			start = "visible"
		}
		fmt.Fprintf(&b, "#f%d{visibility:%s;animation:f%d %.2fs step-end infinite}\n", i, start, i, total.Seconds())
	}
	b.WriteString("</style>\n")
	for i, f := range frames {
		fmt.Fprintf(&b, `<g id="f%d">`+"\n", i)
		f.drawSVG(&b)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (s *Snapshot) openSVG(b *strings.Builder) {
	width, height := float64(s.columns())*cellWidth+2*margin, float64(len(s.Cells)*cellHeight+2*margin)
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" `+
		`font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="%d">`+"\n",
		width, height, width, height, fontSize)
}

func (s *Snapshot) columns() int {
	columns := 0
	for _, cells := range s.Cells {
		columns = max(columns, len(cells))
	}
	return columns
}

// drawSVG draws the cells, run by run of the same looks.
func (s *Snapshot) drawSVG(b *strings.Builder) {
	base := s.look(0)
	fmt.Fprintf(b, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", hex(base.Background, 0))
	for row, cells := range s.Cells {
		for from := 0; from < len(cells); {
			to := from + 1
			for to < len(cells) && s.drawn(row, to) == s.drawn(row, from) {
				to++
			}
			s.drawRun(b, row, from, to)
			from = to
		}
	}
}

// drawn is how a cell is drawn: reversed colours are exchanged, and the cursor's cell once more.
func (s *Snapshot) drawn(row, col int) Attrs {
	a := s.Attrs(row, col)
	if a.Background < 0 {
		a.Background = 0
	}
	if a.Foreground < 0 {
		a.Foreground = 0xffffff
	}
	if a.Reverse != (row == s.row && col == s.col) {
		a.Foreground, a.Background = a.Background, a.Foreground
	}
	a.Reverse = false
	return a
}

func (s *Snapshot) drawRun(b *strings.Builder, row, from, to int) {
	a := s.drawn(row, from)
	x, y := margin+float64(from)*cellWidth, float64(margin+row*cellHeight)
	width := float64(to-from) * cellWidth
	if a.Background != s.look(0).Background {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.0f" width="%.1f" height="%d" fill="%s"/>`, x, y, width, cellHeight, hex(a.Background, 0))
	}
	var text strings.Builder
	for _, c := range s.Cells[row][from:to] {
		text.WriteString(c.Text)
	}
	if strings.TrimSpace(text.String()) != "" {
		// The length keeps the columns whatever the font.
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" xml:space="preserve" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s>`,
			x, y+baseline, width, hex(a.Foreground, 0xffffff), a.svg())
		_ = xml.EscapeText(b, []byte(text.String())) // a strings.Builder takes everything
		b.WriteString("</text>")
	}
	b.WriteByte('\n')
}

func (a Attrs) svg() string {
	var out string
	if a.Bold {
		out += ` font-weight="bold"`
	}
	if a.Italic {
		out += ` font-style="italic"`
	}
	var lines []string
	if a.Underline || a.Undercurl {
		lines = append(lines, "underline")
	}
	if a.Strike {
		lines = append(lines, "line-through")
	}
	if len(lines) > 0 {
		out += fmt.Sprintf(` text-decoration="%s"`, strings.Join(lines, " "))
	}
	return out
}

func hex(color, fallback int) string {
	if color < 0 {
		color = fallback
	}
	return fmt.Sprintf("#%06x", color)
}
