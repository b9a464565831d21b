package screen

import (
	"maps"
	"time"
)

// Cell is one place on the grid.
type Cell struct {
	Text string // one character with its combining ones; "" in the right half of a wide one
	HL   int    // which attributes: Snapshot.Attrs tells them
}

// Attrs is how a cell looks. Colours are 0xRRGGBB; -1 where there is none.
type Attrs struct {
	Foreground, Background, Special                     int
	Bold, Italic, Reverse, Underline, Undercurl, Strike bool
}

var noAttrs = Attrs{Foreground: -1, Background: -1, Special: -1}

// grid is what Neovim draws on. A frame is shown by flush.
type grid struct {
	rows     [][]Cell
	dirty    []bool
	width    int
	row, col int
	mode     string
	attrs    map[int]Attrs
	recolor  bool // attrs changed since the last frame
	defaults Attrs
}

func (g *grid) init() {
	g.attrs = map[int]Attrs{}
	g.defaults = noAttrs
}

// apply does one event of :help ui-linegrid. There is one grid, number 1; unknown events draw nothing.
func (g *grid) apply(name string, p []any) {
	switch name {
	case "grid_resize":
		g.resize(num(p, 1), num(p, 2))
	case "grid_clear":
		g.clear()
	case "grid_line":
		g.line(num(p, 1), num(p, 2), list(at(p, 3)))
	case "grid_scroll":
		g.scroll(num(p, 1), num(p, 2), num(p, 3), num(p, 4), num(p, 5))
	case "grid_cursor_goto":
		g.row, g.col = num(p, 1), num(p, 2)
	case "mode_change":
		g.mode = text(at(p, 0))
	case "default_colors_set":
		g.defaults = Attrs{Foreground: color(at(p, 0)), Background: color(at(p, 1)), Special: color(at(p, 2))}
		g.recolor = true
	case "hl_attr_define":
		g.attrs[num(p, 0)] = attrsOf(fields(at(p, 1)))
		g.recolor = true
	}
}

func blank(width int) []Cell {
	row := make([]Cell, width)
	for i := range row {
		row[i].Text = " "
	}
	return row
}

func (g *grid) resize(width, height int) {
	old := g.rows
	g.width = max(width, 0)
	g.rows = make([][]Cell, max(height, 0))
	g.dirty = make([]bool, len(g.rows))
	for i := range g.rows {
		g.rows[i] = blank(g.width)
		g.dirty[i] = true
		if i < len(old) {
			copy(g.rows[i], old[i])
		}
	}
}

func (g *grid) clear() {
	for i := range g.rows {
		g.rows[i] = blank(g.width)
		g.dirty[i] = true
	}
}

// line draws cells of [text, highlight, repeat]. The highlight of a cell that has none is that of the one before.
func (g *grid) line(row, col int, cells []any) {
	if row < 0 || row >= len(g.rows) {
		return
	}
	g.dirty[row] = true
	hl := 0
	for _, c := range cells {
		cell := list(c)
		if len(cell) > 1 {
			hl = num(cell, 1)
		}
		repeat := 1
		if len(cell) > 2 {
			repeat = num(cell, 2)
		}
		for range repeat {
			if col >= 0 && col < g.width {
				g.rows[row][col] = Cell{Text: text(at(cell, 0)), HL: hl}
			}
			col++
		}
	}
}

// scroll moves the region [top, bottom) x [left, right) up by rows, or down when rows is negative. What comes in is
// drawn by line events.
func (g *grid) scroll(top, bottom, left, right, rows int) {
	top, bottom = max(top, 0), min(bottom, len(g.rows))
	left, right = max(left, 0), min(right, g.width)
	if left >= right {
		return
	}
	move := func(to int) {
		from := to + rows
		if from >= top && from < bottom {
			copy(g.rows[to][left:right], g.rows[from][left:right])
			g.dirty[to] = true
		}
	}
	if rows > 0 {
		for i := top; i < bottom; i++ {
			move(i)
		}
		return
	}
	for i := bottom - 1; i >= top; i-- {
		move(i)
	}
}

// flush ends a frame: what has been drawn is shown. Unchanged rows are shared with the frame before.
func (g *grid) flush(last *Snapshot) *Snapshot {
	shot := &Snapshot{
		Cells: make([][]Cell, len(g.rows)), Frame: last.Frame + 1, At: time.Now(), Mode: g.mode,
		row: g.row, col: g.col, attrs: last.attrs, defaults: g.defaults,
	}
	for i, row := range g.rows {
		if !g.dirty[i] && i < len(last.Cells) {
			shot.Cells[i] = last.Cells[i]
			continue
		}
		shot.Cells[i] = append([]Cell(nil), row...)
		g.dirty[i] = false
	}
	if g.recolor || shot.attrs == nil {
		shot.attrs = maps.Clone(g.attrs)
		g.recolor = false
	}
	return shot
}

func attrsOf(f map[string]any) Attrs {
	flag := func(name string) bool { on, _ := f[name].(bool); return on }
	return Attrs{
		Foreground: color(f["foreground"]), Background: color(f["background"]), Special: color(f["special"]),
		Bold: flag("bold"), Italic: flag("italic"), Reverse: flag("reverse"), Underline: flag("underline"),
		Undercurl: flag("undercurl"), Strike: flag("strikethrough"),
	}
}

// The values of messages are read without trust: what is not of the expected form is nothing.

func list(v any) []any { l, _ := v.([]any); return l }

func at(l []any, i int) any {
	if i < 0 || i >= len(l) {
		return nil
	}
	return l[i]
}

func fields(v any) map[string]any {
	switch m := v.(type) {
	case map[string]any:
		return m
	case map[any]any:
		out := make(map[string]any, len(m))
		for k, v := range m {
			out[text(k)] = v
		}
		return out
	}
	return nil
}

func text(v any) string {
	switch t := v.(type) {
	case string:
		return t
	case []byte:
		return string(t)
	}
	return ""
}

func num(l []any, i int) int { n, _ := integer(at(l, i)); return n }

func integer(v any) (int, bool) {
	switch n := v.(type) {
	case int64:
		return int(n), true
	case uint64:
		return int(n), true
	case int:
		return n, true
	case float64:
		return int(n), true
	}
	return 0, false
}

func color(v any) int {
	if n, ok := integer(v); ok && n >= 0 {
		return n
	}
	return -1
}
