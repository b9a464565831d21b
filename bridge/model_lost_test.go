package bridge

import (
	"slices"

	"nvim-agent-diff/hunks"
)

// choice is what a model has made of a block that may be lost. It is the same for all keys of a step.
type choice int

const (
	unchosen choice = iota
	isHere
	isLost
)

// placeBlock is fitBlock, unless the block is lost; or was found again, in lines of which some at least are at its place, as
// far as it has any.
func (m *model) placeBlock(block int) hunks.Fit {
	b := &m.blocks[block]
	fit := m.fitBlock(block)
	if fit != hunks.FitNeither && b.maybe && b.chosen == unchosen && !m.maybe() {
		b.chosen = isHere
	}
	if fit != hunks.FitNeither && (!b.maybe || b.chosen == isHere) {
		return fit
	}
	if b.chosen == isLost {
		return hunks.FitNeither
	}
	m.anyEOL = m.anyEOL || b.eol != nil
	start, n := m.row(block), len(m.places[block].lines)
	for _, side := range []hunks.Fit{hunks.FitOld, hunks.FitNew} {
		size := len(b.text(side))
		if size == 0 && n > 0 && len(b.text(b.side)) > 0 && !b.maybe {
			continue // its lines were edited, they have not gone
		}
		from, to := -len(m.gaps[block]), n+len(m.gaps[block+1])-size
		if n > 0 && size > 0 {
			from, to = max(from, -size), min(to, n)
		}
		for at := from; at <= to; at++ {
			if m.fits(b, side, start, at, at+size) && m.maybe() {
				m.take(block, at, at+size)
				b.maybe = b.maybe || size == 0 // what is undone before that does not lead there
				b.chosen = isHere
				m.arrive(block, side)
				return side
			}
		}
	}
	b.chosen = isLost
	return hunks.FitNeither
}

// readWhole: where the text is the one that the review began with, or that one with what is applied or with everything, the
// blocks need not be where they were: that says where they are.
func (m *model) readWhole() {
	applied := func(block int) bool { return m.hunks[m.blocks[block].hunk].state == hunks.Applied }
	for _, with := range []func(int) bool{applied, func(int) bool { return false }, func(int) bool { return true }} {
		whole := m.origin.clone()
		for i := range m.blocks {
			if with(i) {
				whole.places[i].lines = slices.Clone(m.blocks[i].new)
			}
		}
		if slices.Equal(m.flat(), whole.flat()) {
			if m.maybe() {
				m.doc = whole
			}
			return
		}
	}
}
