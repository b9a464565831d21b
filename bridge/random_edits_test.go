package bridge

import (
	"fmt"
	"slices"
	"strings"

	"nvim-agent-diff/hunks"
)

// edit changes the source as a person or a plugin does.
func (g *game) edit() {
	rows := len(g.m.flat())
	if rows == 0 {
		g.fill()
		return
	}
	row := g.rand.IntN(rows)
	edits := []func(int){
		g.open, g.open, g.open, g.change, g.change, g.delete, g.delete, g.duplicate, g.join, g.move, g.undo, g.undo, g.undo, g.redo,
		g.repair, g.repair, g.replaceAll, g.replaceAll, g.write, g.reload, g.newline, g.plugin, g.substitute,
	}
	edits[g.rand.IntN(len(edits))](row)
}

// do does one edit of one undo step.
func (g *game) do(what string, follow func(*model), do func()) {
	g.t.Helper()
	g.r.do("step")
	g.step(what, func(m *model) {
		m.begin()
		follow(m)
	}, do)
}

func (g *game) typed(row int, keys string, follow func(*model)) {
	g.do(fmt.Sprintf("row %d, %s", row, keys), follow, func() { g.r.do("type", row, keys) })
}

func (g *game) ex(command string, follow func(*model)) {
	g.do(":"+command, follow, func() { g.r.do("ex", command) })
}

// fill types a line into a text without lines.
func (g *game) fill(...int) {
	line := "something new"
	g.typed(0, "cc"+line+"<Esc>", func(m *model) { m.insert(0, line) })
}

// open is `o` and `O`.
func (g *game) open(row int) {
	line := g.line()
	if g.rand.IntN(2) == 0 {
		g.typed(row, "O"+line+"<Esc>", func(m *model) { m.insert(row, line) })
	} else {
		g.typed(row, "o"+line+"<Esc>", func(m *model) { m.insert(row+1, line) })
	}
}

// change changes one line, in several ways.
func (g *game) change(row int) {
	was, line := g.m.flat()[row], g.line()
	switch g.rand.IntN(4) {
	case 0:
		g.typed(row, "cc"+line+"<Esc>", func(m *model) { m.set(row, line) })
	case 1:
		g.typed(row, "Ix<Esc>", func(m *model) { m.set(row, "x"+was) })
	case 2:
		g.ex(fmt.Sprintf("%ds/$/y/", row+1), func(m *model) { m.set(row, was+"y") })
	default:
		g.ex(fmt.Sprintf("%ds/^.*$/%s/", row+1, line), func(m *model) { m.set(row, line) })
	}
}

// cut says how many rows from row on can be taken away so that no two blocks touch then: what they were between is gone,
// and the model does not say which of the two a new line would belong to.
func (g *game) cut(row, most int) int {
	for n := most; n > 0; n-- {
		if row+n > len(g.m.flat()) {
			continue
		}
		m := g.m.clone()
		m.remove(row, row+n)
		apart := true
		for _, gap := range m.gaps[1:max(1, len(m.gaps)-1)] {
			apart = apart && len(gap) > 0
		}
		if apart {
			return n
		}
	}
	return 0
}

func (g *game) delete(row int) {
	n := g.cut(row, 1+g.rand.IntN(4))
	if n == 0 {
		return
	}
	follow := func(m *model) { m.remove(row, row+n) }
	switch g.rand.IntN(3) {
	case 0:
		g.typed(row, fmt.Sprintf("%ddd", n), follow)
	case 1:
		g.ex(fmt.Sprintf("%d,%dd _", row+1, row+n), follow)
	default: // and put back by another edit, not by an undo
		lines := slices.Clone(g.m.flat()[row : row+n])
		whole := n == len(g.m.flat())
		g.typed(row, fmt.Sprintf("%ddd", n), follow)
		if g.t.Failed() || whole {
			return
		}
		if row == len(g.m.flat()) {
			g.typed(row-1, "p", func(m *model) { m.insert(row, lines...) })
		} else {
			g.typed(row, "P", func(m *model) { m.insert(row, lines...) })
		}
	}
}

func (g *game) duplicate(row int) {
	line := g.m.flat()[row]
	g.typed(row, "yy"+"p", func(m *model) { m.insert(row+1, line) })
}

// join is `J`. A line that is joined out of a block and its surroundings is the block's.
func (g *game) join(row int) {
	flat := g.m.flat()
	if row+1 >= len(flat) || flat[row] == "" || flat[row+1] == "" || flat[row+1] == "}" {
		return
	}
	_, upper, _ := g.m.at(row)
	_, lower, _ := g.m.at(row + 1)
	gap, _, _ := g.m.at(row)
	below, _, _ := g.m.at(row + 1)
	if upper != lower || gap != below || g.cut(row, 1) == 0 {
		return
	}
	g.typed(row, "J", func(m *model) {
		m.set(row, flat[row]+" "+flat[row+1])
		m.remove(row+1, row+2)
	})
}

// move moves a line that is in no block to a place away from the blocks.
func (g *game) move(row int) {
	if _, block, _ := g.m.at(row); block >= 0 || g.cut(row, 1) == 0 {
		return
	}
	line := g.m.flat()[row]
	to := g.rand.IntN(len(g.m.flat()) + 1)
	if to >= row && to <= row+1 || !g.away(to) {
		return
	}
	g.ex(fmt.Sprintf("%dm%d", row+1, to), func(m *model) {
		for i := range m.blocks {
			// Neovim moves the marks of the line along, and those of a place without lines beside it are at its edge.
			beside := len(m.places[i].lines) == 0 && (m.row(i) == row || m.row(i) == row+1)
			m.blocks[i].maybe = m.blocks[i].maybe || beside
		}
		if to < row {
			m.remove(row, row+1)
			m.insert(to, line)
		} else {
			m.insert(to, line)
			m.remove(row, row+1)
		}
	})
}

// away says whether a row is within the lines between blocks, not at an edge.
func (g *game) away(row int) bool {
	flat := g.m.flat()
	if row <= 0 || row >= len(flat) {
		return false
	}
	above, upper, _ := g.m.at(row - 1)
	below, lower, _ := g.m.at(row)
	return upper < 0 && lower < 0 && above == below
}

func (g *game) undo(int) { g.travel("u", (*model).undo) }
func (g *game) redo(int) { g.travel("<C-r>", (*model).redo) }

func (g *game) travel(key string, follow func(*model)) {
	g.r.do("step")
	g.step(key+" in the source", follow, func() { g.r.do("type", 0, key) })
}

// repair sets what stands at a block's place to one of its two texts.
func (g *game) repair(int) {
	block := g.rand.IntN(len(g.m.blocks))
	side := []hunks.Fit{hunks.FitOld, hunks.FitNew}[g.rand.IntN(2)]
	row, lines := g.m.row(block), g.m.places[block].lines
	with := g.m.blocks[block].text(side)
	if len(lines) == 0 || len(with) == 0 || slices.Equal(lines, with) || g.m.blocks[block].maybe {
		return
	}
	g.do(fmt.Sprintf("rows %d to %d say %q", row, row+len(lines), with), func(m *model) {
		p := &m.places[block]
		m.blocks[block].maybe = m.blocks[block].maybe || p.turned // its own lines had gone: another's that say the same need not be taken for them
		*p = modelPlace{lines: slices.Clone(with)}
	}, func() { g.r.do("set", row, row+len(lines), with) })
}

// replaceAll replaces the whole text by the same one.
func (g *game) replaceAll(int) {
	rows := len(g.m.flat())
	switch way := g.rand.IntN(3); {
	case way == 0 && !g.m.eol && g.m.flat()[rows-1] == "": // in bytes, an empty line without its end is the end of the line above
	case way == 0:
		g.ex("%!cat", (*model).replaced)
	case way == 1:
		g.do("all lines are set", (*model).replaced, func() { g.r.do("set", 0, rows, g.m.flat()) })
	default:
		g.ex("%d x | put! x | $d _", (*model).replaced)
	}
}

// replaced follows a replacement of the whole text: every block is looked for by its text. It is found when that is
// unambiguous; where it need not be, both is right.
func (m *model) replaced() {
	flat := m.flat()
	once := func(line string) bool {
		n := 0
		for _, l := range flat {
			if l == line {
				n++
			}
		}
		return n == 1 && strings.HasPrefix(line, "this is the line ") && !strings.HasSuffix(line, "y")
	}
	for i := range m.blocks {
		b, lines := &m.blocks[i], m.places[i].lines
		b.maybe = b.maybe || m.fitBlock(i) == hunks.FitNeither
		if len(lines) == 0 {
			beside := around(flat, m.row(i), m.row(i))
			b.maybe = b.maybe || beside != b.proposed
			lines = beside[:]
		}
		for _, line := range lines {
			b.maybe = b.maybe || !once(line)
		}
		for _, line := range slices.Concat(b.old, b.new) {
			b.maybe = b.maybe || !slices.Contains(lines, line) && slices.Contains(flat, line)
		}
	}
}

func (g *game) write(int) {
	g.step("w", func(*model) {}, func() { g.r.do("ex", "write") })
	g.wrote = true
	g.save()
}

func (g *game) reload(int) {
	saved, eol := g.saved, g.savedEOL
	g.ex("edit!", func(m *model) {
		m.doc = saved.clone()
		m.eol = eol
		if n := len(m.flat()); n > 1 && !eol && m.flat()[n-1] == "" {
			m.remove(n-1, n) // in bytes, an empty line without its end is the end of the line above
			m.eol = true
		}
		m.past[len(m.past)-1].reread = true
		m.replaced()
	})
}

// newline is `:set eol` or `:set noeol`. It is no change of the text that could be undone.
func (g *game) newline(int) {
	eol := g.rand.IntN(2) == 0
	command := "setlocal noeol"
	if eol {
		command = "setlocal eol"
	}
	g.step(":"+command, func(m *model) { m.eol = eol }, func() { g.r.do("ex", command) })
}

// plugin replaces lines between blocks by others.
func (g *game) plugin(row int) {
	room := len(g.m.flat())
	for _, m := range g.ways {
		gap, block, at := m.at(row)
		if block >= 0 || at == 0 {
			return
		}
		room = min(room, len(m.gaps[gap])-at)
	}
	if room < 2 {
		return
	}
	end := row + 1 + g.rand.IntN(room-1)
	with := make([]string, g.rand.IntN(4))
	for i := range with {
		with[i] = g.line()
	}
	g.do(fmt.Sprintf("rows %d to %d are set to %q", row, end, with), func(m *model) {
		gap, _, at := m.at(row)
		m.gaps[gap] = slices.Replace(m.gaps[gap], at, at+end-row, with...)
	}, func() { g.r.do("set", row, end, with) })
}

// substitute changes many lines in one command.
func (g *game) substitute(int) {
	from := []string{"a", "the", "1", "}"}[g.rand.IntN(4)]
	if !slices.ContainsFunc(g.m.flat(), func(l string) bool { return strings.Contains(l, from) }) {
		return
	}
	g.ex(fmt.Sprintf("%%s/%s/zz/", from), func(m *model) {
		for row, line := range m.flat() {
			m.set(row, strings.Replace(line, from, "zz", 1))
		}
	})
}
