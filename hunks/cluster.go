package hunks

import (
	"slices"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// cluster is what is printed under one "@@" line: a hunk, or several that touch, as parts of a block do.
type cluster struct {
	patch    *Patch
	first    int // index in the patch of its first hunk
	size     int // how many hunks it has
	fragment *gitdiff.TextFragment
}

// clusterFrom is the cluster that begins with hunk i of the patch.
func (p *Patch) clusterFrom(i int) cluster {
	h := p.Hunks[i]
	c := cluster{patch: p, first: i, size: 1, fragment: h.Fragment}
	if !h.Placed() {
		return c
	}
	_, end := bounds(h.Fragment)
	for ; i+c.size < len(p.Hunks); c.size++ {
		next := p.Hunks[i+c.size]
		if !next.Placed() {
			break
		}
		from, to := bounds(next.Fragment)
		if from >= end && !touch(p.Hunks[i+c.size-1], next) {
			break
		}
		end = max(end, to)
	}
	if c.size == 1 {
		return c
	}
	w, blocks := windowOf(h.Fragment), slices.Clone(h.Blocks)
	for _, next := range p.Hunks[i+1 : i+c.size] {
		w = w.join(windowOf(next.Fragment))
		blocks = append(blocks, next.Blocks...)
	}
	f := p.frameIn(w, [][]Block{blocks})[0]
	start, _ := bounds(f)
	shift := newStart(h.Fragment) - w.first
	f.NewPosition = position(start+shift, start+shift+int(f.NewLines))
	c.fragment = f
	return c
}

// clusterOf is the cluster that a hunk belongs to.
func (p *Patch) clusterOf(h *Hunk) cluster {
	at := slices.Index(p.Hunks, h)
	c := p.clusterFrom(0)
	for c.first+c.size <= at {
		c = p.clusterFrom(c.first + c.size)
	}
	return c
}

// bounds are the base lines that a fragment shows.
func bounds(f *gitdiff.TextFragment) (first, end int) {
	first = int(f.OldPosition) - 1
	if f.OldLines == 0 {
		first++
	}
	return first, first + int(f.OldLines)
}

// newStart is the line of the new text that a fragment begins at.
func newStart(f *gitdiff.TextFragment) int {
	if f.NewLines == 0 {
		return int(f.NewPosition)
	}
	return int(f.NewPosition) - 1
}

// changedLines is how many lines the cluster's hunks above the n-th remove and add.
func (c cluster) changedLines(n int) int {
	count := 0
	for _, h := range c.patch.Hunks[c.first : c.first+n] {
		for i := range h.Blocks {
			count += len(h.Blocks[i].Old) + len(h.Blocks[i].New)
		}
	}
	return count
}

// rows says for each printed line below the "@@" line which line of the fragment it is, -1 for none.
func (c cluster) rows() []int {
	p, lines := c.patch, c.fragment.Lines
	twice := -1
	if p.Base.BOM && first(c.fragment) {
		twice = printedTwice(lines)
	}
	var rows []int
	if p.Base.BOM && p.Base.Body == "" && p.onlyMark() {
		rows = append(rows, -1, -1) // the removed mark, and that it has no newline
	}
	for i, l := range lines {
		rows = append(rows, i)
		if i == twice {
			rows = append(rows, i)
		}
		if l.NoEOL() {
			rows = append(rows, i)
		}
	}
	return rows
}

// start is the printed line, counted from the cluster's "@@" line, that the n-th hunk begins at: the first one at that
// line, the others at their first change.
func (c cluster) start(n int) int {
	if n == 0 {
		return 0
	}
	line := changedAt(c.fragment, c.changedLines(n))
	return 1 + slices.Index(c.rows(), line)
}

// spans fills in where the cluster's hunks are when it is printed from line first to before end.
func (c cluster) spans(spans []Span, first, end int) {
	for n := range spans {
		spans[n] = Span{ID: c.patch.Hunks[c.first+n].ID, Line: first + c.start(n), Inner: n > 0}
		if n > 0 {
			spans[n-1].Lines = spans[n].Line - spans[n-1].Line
		}
	}
	last := &spans[len(spans)-1]
	last.Lines = end - last.Line
}

// changedAt is the index of a fragment's n-th removed or added line, counted from 0.
func changedAt(f *gitdiff.TextFragment, n int) int {
	if n < 0 {
		return len(f.Lines)
	}
	for i, l := range f.Lines {
		if l.Op == gitdiff.OpContext {
			continue
		}
		if n == 0 {
			return i
		}
		n--
	}
	return len(f.Lines)
}
