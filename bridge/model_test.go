package bridge

import (
	"maps"
	"slices"
	"strings"

	"nvim-agent-diff/hunks"
)

// model is contract.md section 2 without an editor: a text that knows of each line whether it belongs to a block of the
// proposal. It follows the same keys and edits as the real review, and says what must be seen then.
type model struct {
	doc
	origin doc // the text that the review began with
	eol    bool
	fixEOL bool // writing adds a final newline
	anyEOL bool // a block that holds the last line may have been lost, and 'eol' follows where it is found
	blocks []modelBlock
	hunks  []modelHunk
	past   []doc // the undo steps of the source
	future []doc
	steps  [][]modelStep // the decisions
	cursor int           // the hunk, from 1
	ended  bool

	// maybe answers where both is right: whether a block is lost that cannot be told from others after the whole text was
	// replaced; and whether one was found again.
	maybe func() bool
}

// doc is a text: gaps[i] are the lines above block i, gaps[n] those below the last.
type doc struct {
	gaps   [][]string
	places []modelPlace
	reread bool // of an undo step: the text was read from the disk after it
}

// modelPlace is where a block is: the lines from its first to its last edge. While its text is neither of its two, lines
// that come in at an edge may be its own: the first head and the last tail of them.
type modelPlace struct {
	lines      []string
	head, tail int
	turned     bool // lines came into it when it had none: it takes in what comes at its edges
}

type modelBlock struct {
	old, new []string
	eol      *wireEOL
	hunk     int
	side     hunks.Fit
	eolWas   *bool
	proposed [2]string          // the lines above and below it
	beside   map[[2]string]bool // which lines it stood between when it had none
	maybe    bool               // it may be lost
	chosen   choice             // in this step
}

type modelHunk struct {
	state, before hunks.State
	edited        bool
	blocks        []int
}

type modelStep struct {
	hunk   int
	was    modelHunk
	action hunks.Action
}

// edge stands for no line above the first, and below the last.
const edge = "\x00"

func newModel(patch *hunks.Patch) *model {
	m := &model{cursor: 1, maybe: func() bool { return false }}
	body := patch.Base.Body
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	if body == "" {
		lines = nil
	}
	m.eol = body == "" || strings.HasSuffix(body, "\n")
	m.fixEOL = m.eol
	row := 0
	for i, h := range patch.Hunks {
		mh := modelHunk{state: hunks.Pending, before: hunks.Pending}
		for _, w := range (codec{}).blocks(h.Blocks) {
			mh.blocks = append(mh.blocks, len(m.blocks))
			proposed := around(lines, w.Row, w.Row+len(w.Old))
			m.blocks = append(m.blocks, modelBlock{
				old: w.Old, new: w.New, eol: w.EOL, hunk: i, side: hunks.FitOld,
				proposed: proposed, beside: map[[2]string]bool{proposed: true},
			})
			m.fixEOL = m.fixEOL && w.EOL == nil
			m.gaps = append(m.gaps, slices.Clone(lines[row:w.Row]))
			m.places = append(m.places, modelPlace{lines: slices.Clone(w.Old)})
			row = w.Row + len(w.Old)
		}
		m.hunks = append(m.hunks, mh)
	}
	m.gaps = append(m.gaps, slices.Clone(lines[row:]))
	m.origin = m.doc.clone()
	return m
}

func (m *model) clone() *model {
	c := *m
	c.doc = m.doc.clone()
	c.blocks = slices.Clone(m.blocks)
	for i := range c.blocks {
		c.blocks[i].beside = maps.Clone(c.blocks[i].beside)
	}
	c.hunks = slices.Clone(m.hunks)
	c.past, c.future, c.steps = slices.Clone(m.past), slices.Clone(m.future), slices.Clone(m.steps)
	return &c
}

func (d doc) clone() doc {
	c := doc{slices.Clone(d.gaps), slices.Clone(d.places), d.reread}
	for i := range c.gaps {
		c.gaps[i] = slices.Clone(c.gaps[i])
	}
	for i := range c.places {
		c.places[i].lines = slices.Clone(c.places[i].lines)
	}
	return c
}

// flat are the text's lines.
func (d doc) flat() []string {
	var all []string
	for i, gap := range d.gaps {
		all = append(all, gap...)
		if i < len(d.places) {
			all = append(all, d.places[i].lines...)
		}
	}
	return all
}

// row is where a block's place begins.
func (d doc) row(block int) int {
	row := 0
	for i := range block {
		row += len(d.gaps[i]) + len(d.places[i].lines)
	}
	return row + len(d.gaps[block])
}

// at finds a row: in the block of that number, or (-1) in the gap of that number.
func (d doc) at(row int) (gap, block, offset int) {
	for i := range d.gaps {
		if row < len(d.gaps[i]) {
			return i, -1, row
		}
		row -= len(d.gaps[i])
		if i < len(d.places) {
			if row < len(d.places[i].lines) {
				return -1, i, row
			}
			row -= len(d.places[i].lines)
		}
	}
	return len(d.gaps) - 1, -1, len(d.gaps[len(d.gaps)-1]) + row
}

func (m *model) text() string {
	lines := m.flat()
	if len(lines) == 0 {
		return ""
	}
	text := strings.Join(lines, "\n")
	if m.eol {
		text += "\n"
	}
	return text
}

// written is what a write makes of the text.
func (m *model) written() string {
	text := m.text()
	if m.fixEOL && text != "" && !m.eol {
		text += "\n"
	}
	return text
}

// around are the lines above and below a range of rows.
func around(flat []string, first, last int) [2]string {
	beside := [2]string{edge, edge}
	if first > 0 {
		beside[0] = flat[first-1]
	}
	if last < len(flat) {
		beside[1] = flat[last]
	}
	return beside
}

func (m *model) lookBeside(block int) {
	if row := m.row(block); len(m.places[block].lines) == 0 {
		m.blocks[block].beside[around(m.flat(), row, row)] = true
	}
}

// fitBlock says what stands at a block's place; where its edges are in question, what stands between the edges that make
// it fit. What then is outside belongs to the person.
func (m *model) fitBlock(block int) hunks.Fit {
	b, p := &m.blocks[block], m.places[block]
	start, n := m.row(block), len(p.lines)
	for _, whole := range [][2]int{{p.head, n - p.tail}, {0, n}} {
		for _, side := range []hunks.Fit{hunks.FitOld, hunks.FitNew} {
			if m.fits(b, side, start, whole[0], whole[1]) {
				m.take(block, whole[0], whole[1])
				return side
			}
		}
	}
	edges := []int{0, p.head, n - p.tail, n}
	fit, from := hunks.FitNeither, 0
	for _, edge := range slices.Compact(edges) {
		for _, side := range []hunks.Fit{hunks.FitOld, hunks.FitNew} {
			size := len(b.text(side))
			if size == 0 || !slices.Contains(edges, edge+size) || !m.fits(b, side, start, edge, edge+size) {
				continue
			}
			if fit != hunks.FitNeither {
				return hunks.FitNeither
			}
			fit, from = side, edge
		}
	}
	if fit != hunks.FitNeither {
		m.take(block, from, from+len(b.text(fit)))
	}
	return fit
}

func (b *modelBlock) text(side hunks.Fit) []string {
	if side == hunks.FitOld {
		return b.old
	}
	return b.new
}

func (m *model) fits(b *modelBlock, side hunks.Fit, start, from, to int) bool {
	want, flat := b.text(side), m.flat()
	if to-from != len(want) {
		return false
	}
	if len(want) == 0 {
		return b.beside[around(flat, start+from, start+to)]
	}
	if b.onlyEOL() {
		wanted := b.eol.Old
		if side == hunks.FitNew {
			wanted = b.eol.New
		}
		if (start+to < len(flat) || m.eol) != wanted {
			return false
		}
	}
	return slices.Equal(flat[start+from:start+to], want)
}

func (b *modelBlock) onlyEOL() bool { return b.eol != nil && slices.Equal(b.old, b.new) }

// take makes the lines between two edges the block's, and gives the others to the gaps.
func (m *model) take(block, from, to int) {
	above, below := m.gaps[block], m.gaps[block+1]
	all := slices.Concat(above, m.places[block].lines, below)
	from, to = from+len(above), to+len(above)
	m.gaps[block], m.gaps[block+1] = slices.Clone(all[:from]), slices.Clone(all[to:])
	m.places[block] = modelPlace{lines: slices.Clone(all[from:to])}
}

// fit is a hunk's: what all of its blocks say.
func (m *model) fit(hunk int) hunks.Fit { return m.hunkFit(hunk, m.placeBlock) }

func (m *model) hunkFit(hunk int, place func(block int) hunks.Fit) hunks.Fit {
	var all hunks.Fit
	for _, block := range m.hunks[hunk].blocks {
		fit := place(block)
		if fit == hunks.FitNeither || all != "" && all != fit {
			return hunks.FitNeither
		}
		all = fit
	}
	return all
}

// read makes the states what the text says.
func (m *model) read() {
	m.readWhole()
	fits := make([]hunks.Fit, len(m.blocks))
	for i := range m.blocks {
		if fits[i] = m.placeBlock(i); fits[i] != hunks.FitNeither {
			m.arrive(i, fits[i])
		}
	}
	for i := range m.hunks {
		m.readHunk(i, m.hunkFit(i, func(block int) hunks.Fit { return fits[block] }))
	}
}

func (m *model) readHunk(hunk int, fit hunks.Fit) {
	h := &m.hunks[hunk]
	state := hunks.Observe(h.state, h.before, fit)
	m.settle(h, state)
	h.edited = fit == hunks.FitNeither && state == hunks.Applied
}

func (m *model) settle(h *modelHunk, state hunks.State) {
	if state == hunks.Applied && h.state != hunks.Applied {
		h.before = hunks.Pending
		if h.state == hunks.Rejected {
			h.before = hunks.Rejected
		}
	}
	h.state = state
	h.edited = h.edited && state == hunks.Applied
}

// arrive lets 'eol' follow the lines.
func (m *model) arrive(block int, side hunks.Fit) {
	b := &m.blocks[block]
	if b.side == side {
		return
	}
	b.side = side
	switch {
	case b.eol == nil:
	case b.onlyEOL():
		m.eol = b.eol.Old
		if side == hunks.FitNew {
			m.eol = b.eol.New
		}
	case side == hunks.FitOld:
		if b.eolWas != nil {
			m.eol, b.eolWas = *b.eolWas, nil
		}
	case m.row(block)+len(m.places[block].lines) == len(m.flat()):
		was := m.eol
		m.eol, b.eolWas = b.eol.New, &was
	}
}
