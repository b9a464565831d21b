package hunks

import (
	"slices"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// Split replaces a hunk by hunks of its change blocks, and returns them in order. The lines between two blocks are
// divided between their hunks, so that git apply and patch take any choice of them. Blocks keep their ids, the hunks have
// new ones. It returns nil, and changes nothing, when the hunk has no place or cannot be divided: blocks stay together when
// a single line is between them and both need it.
func (p *Patch) Split(hunkID int) []*Hunk {
	h := p.Hunk(hunkID)
	if h == nil || !h.Placed() {
		return nil
	}
	window := windowOf(h.Fragment)
	groups := [][]Block{h.Blocks[:1:1]}
	for _, b := range h.Blocks[1:] {
		next := []Block{b}
		last := &groups[len(groups)-1]
		_, end := spanOf(next)
		if p.Base.separable(*last, next, window.end()-end) {
			groups = append(groups, next)
		} else {
			*last = append(*last, b)
		}
	}
	if len(groups) == 1 {
		return nil
	}
	parts := make([]*Hunk, len(groups))
	for i, f := range p.frameIn(window, groups) {
		parts[i] = p.part(h, groups[i], f)
	}
	p.replace(h, parts)
	return parts
}

// SplitLines divides a hunk in what is selected and the rest, down to lines. selected are changes as ChangesAt gives them,
// which has to be asked before anything else is divided: then other lines are printed. Alone, the selected part leaves the
// other removed lines where they are and lacks the other added lines; with the rest it is the whole hunk. Both parts are
// given as hunks of neighbouring blocks, in order, with new ids; a divided block is replaced by blocks with new ids. A
// block that touches a missing final newline is not divided: it is selected as a whole.
//
// When everything or nothing is selected, or the hunk has no place, nothing changes and both are nil.
//
// The parts of one block touch each other. Each of them has the fragment that it is without the others; Print and Select join
// them.
func (p *Patch) SplitLines(hunkID int, selected []int) (chosen, rest []*Hunk) {
	h := p.Hunk(hunkID)
	if h == nil || !h.Placed() {
		return nil, nil
	}
	pieces, both := p.divide(h, marked(h, selected))
	if !both {
		return nil, nil
	}
	var runs [][]Block
	var runChosen []bool
	for i := range pieces {
		if i == 0 || pieces[i].chosen != pieces[i-1].chosen {
			runs = append(runs, nil)
			runChosen = append(runChosen, pieces[i].chosen)
		}
		runs[len(runs)-1] = append(runs[len(runs)-1], pieces[i].Block)
	}
	parts := make([]*Hunk, len(runs))
	for i, f := range p.frameTouching(windowOf(h.Fragment), runs) {
		parts[i] = p.part(h, runs[i], f)
		if runChosen[i] {
			chosen = append(chosen, parts[i])
		} else {
			rest = append(rest, parts[i])
		}
	}
	p.replace(h, parts)
	return chosen, rest
}

// part is a hunk made of blocks of h.
func (p *Patch) part(h *Hunk, blocks []Block, f *gitdiff.TextFragment) *Hunk {
	p.lastHunk = max(p.lastHunk, maxID(p.Hunks)) + 1
	return &Hunk{ID: p.lastHunk, Blocks: blocks, State: h.State, Reason: h.Reason, Moved: h.Moved, Fragment: f}
}

func maxID(hunks []*Hunk) int {
	id := 0
	for _, h := range hunks {
		id = max(id, h.ID)
	}
	return id
}

// replace puts parts in the place of h.
func (p *Patch) replace(h *Hunk, parts []*Hunk) {
	i := slices.Index(p.Hunks, h)
	p.Hunks = slices.Replace(slices.Clone(p.Hunks), i, i+1, parts...)
	p.renumber()
}

// window is some of the base's lines, all that a hunk shows.
type window struct {
	first int
	lines []string
}

func windowOf(f *gitdiff.TextFragment) window {
	w := window{first: int(f.OldPosition) - 1}
	if f.OldLines == 0 {
		w.first++
	}
	for _, l := range f.Lines {
		if l.Old() {
			w.lines = append(w.lines, l.Line)
		}
	}
	return w
}

func (w window) end() int          { return w.first + len(w.lines) }
func (w window) line(i int) string { return w.lines[i-w.first] }

// join is the window of the lines of both; v begins in w or right after it.
func (w window) join(v window) window {
	if v.end() <= w.end() {
		return w
	}
	return window{w.first, slices.Concat(w.lines, v.lines[w.end()-v.first:])}
}

// frameIn makes the fragments of separable hunks that share the lines of a window.
func (p *Patch) frameIn(w window, groups [][]Block) []*gitdiff.TextFragment {
	return frame(groups, w.line, w.first, w.end(), w.end() == CountLines(p.Base.Body))
}

// frameTouching makes the fragments of hunks of which some are not separable: those share a frame, and each of them shows
// in it what it is without the others.
func (p *Patch) frameTouching(w window, runs [][]Block) []*gitdiff.TextFragment {
	var clusters [][]Block
	var sizes []int
	for _, run := range runs {
		last := len(clusters) - 1
		_, end := spanOf(run)
		if last >= 0 && !p.Base.separable(clusters[last], run, w.end()-end) {
			clusters[last] = append(clusters[last], run...)
			sizes[last]++
			continue
		}
		clusters = append(clusters, slices.Clone(run))
		sizes = append(sizes, 1)
	}
	var out []*gitdiff.TextFragment
	for i, f := range p.frameIn(w, clusters) {
		n := sizes[i]
		if n == 1 {
			out = append(out, f)
		} else {
			inner := windowOf(f)
			for _, run := range runs[:n] {
				out = append(out, p.frameIn(inner, [][]Block{run})...)
			}
		}
		runs = runs[n:]
	}
	return out
}
