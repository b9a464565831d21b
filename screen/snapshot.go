package screen

import (
	"strings"
	"time"
)

// Snapshot is one finished frame. It never changes.
type Snapshot struct {
	Cells [][]Cell // rows of cells; read only
	Frame int      // how many frames there have been; 0 before the first
	At    time.Time
	Mode  string // as mode_change names it: "normal", "insert", "visual", "cmdline_normal", ...

	row, col int
	attrs    map[int]Attrs
	defaults Attrs
}

// Cursor is where the cursor is on the grid, from 0.
func (s *Snapshot) Cursor() (row, col int) { return s.row, s.col }

// Row is a line's text without its trailing blanks.
func (s *Snapshot) Row(row int) string {
	if row < 0 || row >= len(s.Cells) {
		return ""
	}
	var b strings.Builder
	for _, c := range s.Cells[row] {
		b.WriteString(c.Text)
	}
	return strings.TrimRight(b.String(), " ")
}

// Text is all lines, each without its trailing blanks and with a "\n".
func (s *Snapshot) Text() string {
	var b strings.Builder
	for i := range s.Cells {
		b.WriteString(s.Row(i))
		b.WriteByte('\n')
	}
	return b.String()
}

// Contains tells whether a line of the screen contains the text. A text of several lines is looked for as it would
// stand at the left edge.
func (s *Snapshot) Contains(text string) bool {
	if strings.Contains(text, "\n") {
		return strings.Contains(s.Text(), text)
	}
	_, _, ok := s.Find(text)
	return ok
}

// Find is the first place where a line contains the text: its row and the column of its first cell.
func (s *Snapshot) Find(text string) (row, col int, ok bool) {
	for i, cells := range s.Cells {
		var line strings.Builder
		for _, c := range cells {
			line.WriteString(c.Text)
		}
		bytes := strings.Index(line.String(), text)
		if bytes < 0 {
			continue
		}
		for col, c := range cells {
			if bytes -= len(c.Text); bytes < 0 {
				return i, col, true
			}
		}
	}
	return 0, 0, false
}

// Attrs is how the cell at a place looks, with the colours it gets by default filled in.
func (s *Snapshot) Attrs(row, col int) Attrs {
	if row < 0 || row >= len(s.Cells) || col < 0 || col >= len(s.Cells[row]) {
		return noAttrs
	}
	return s.look(s.Cells[row][col].HL)
}

func (s *Snapshot) look(hl int) Attrs {
	a, ok := s.attrs[hl]
	if !ok {
		a = noAttrs
	}
	if a.Foreground < 0 {
		a.Foreground = s.defaults.Foreground
	}
	if a.Background < 0 {
		a.Background = s.defaults.Background
	}
	if a.Special < 0 {
		a.Special = s.defaults.Special
	}
	return a
}

// Snapshot is the last finished frame.
func (s *Screen) Snapshot() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.front
}

// Text is the screen's lines, each without its trailing blanks and with a "\n".
func (s *Screen) Text() string { return s.Snapshot().Text() }

// ANSI is the screen with its colours, for a terminal.
func (s *Screen) ANSI() string { return s.Snapshot().ANSI() }

// Cursor is where the cursor is on the grid, from 0.
func (s *Screen) Cursor() (row, col int) { return s.Snapshot().Cursor() }
