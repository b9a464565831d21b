package hunks

import (
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// piece is a block, or a part of one, and whether it was chosen.
type piece struct {
	Block
	chosen bool
}

// ChangesAt says which of a hunk's removed and added lines, counted together from 0, the given rows of it show: indexes into
// the hunk's printed lines, as Print gives them, counted from 0.
func (p *Patch) ChangesAt(hunkID int, rows []int) []int {
	h := p.Hunk(hunkID)
	if h == nil || !h.Placed() {
		return nil
	}
	c := p.clusterOf(h)
	n := slices.Index(p.Hunks, h) - c.first
	start, above, lines := c.start(n), c.changedLines(n), c.rows()
	changed := make([]int, len(c.fragment.Lines)) // how many changed lines there are before each line
	count := 0
	for i, l := range c.fragment.Lines {
		changed[i] = count
		if l.Op != gitdiff.OpContext {
			count++
		}
	}
	own := c.changedLines(n+1) - above
	var out []int
	for _, row := range rows {
		i := start + row - 1 // the "@@" line is none of lines
		if row < 0 || i < 0 || i >= len(lines) || lines[i] < 0 || c.fragment.Lines[lines[i]].Op == gitdiff.OpContext {
			continue
		}
		if change := changed[lines[i]] - above; change >= 0 && change < own {
			out = append(out, change)
		}
	}
	return out
}

// marked says for each line of the hunk's fragment whether it is one of these changes.
func marked(h *Hunk, changes []int) []bool {
	out := make([]bool, len(h.Fragment.Lines))
	at := make([]int, 0, len(out)) // where each change is
	for i, l := range h.Fragment.Lines {
		if l.Op != gitdiff.OpContext {
			at = append(at, i)
		}
	}
	for _, change := range changes {
		if change >= 0 && change < len(at) {
			out[at[change]] = true
		}
	}
	return out
}

// divide cuts the hunk's blocks into pieces that are chosen or not. both says that there are some of each kind; otherwise
// nothing has changed.
func (p *Patch) divide(h *Hunk, chosen []bool) (pieces []piece, both bool) {
	cuts := make([][]piece, len(h.Blocks))
	at, some, others := 0, false, false
	for i := range h.Blocks {
		b := &h.Blocks[i]
		for h.Fragment.Lines[at].Op == gitdiff.OpContext {
			at++
		}
		n, m := len(b.Old), len(b.New)
		cuts[i] = cut(*b, chosen[at:at+n], chosen[at+n:at+n+m])
		at += n + m
		for _, c := range cuts[i] {
			some, others = some || c.chosen, others || !c.chosen
		}
	}
	if !some || !others {
		return nil, false
	}
	for _, c := range cuts {
		if len(c) > 1 {
			p.number(c)
		}
		pieces = append(pieces, c...)
	}
	return pieces, true
}

// number gives the pieces of a divided block their ids.
func (p *Patch) number(pieces []piece) {
	if p.lastBlock == 0 {
		for _, h := range p.Hunks {
			for i := range h.Blocks {
				p.lastBlock = max(p.lastBlock, h.Blocks[i].ID)
			}
		}
	}
	for i := range pieces {
		p.lastBlock++
		pieces[i].ID = p.lastBlock
	}
}

// cut divides a block where the choice among its lines changes. Removed lines stay in order, and so do added ones; how the
// two are interleaved is free, and the way with the fewest pieces keeps what was chosen together together. But added lines
// that are chosen without any removed one come behind those, as a diff shows them.
func cut(b Block, removed, added []bool) []piece {
	if lacksNewline(b) {
		chosen := false
		for _, c := range removed {
			chosen = chosen || c
		}
		for _, c := range added {
			chosen = chosen || c
		}
		return []piece{{b, chosen}}
	}
	pieces, others := cutFrom(b, removed, added, true), cutFrom(b, removed, added, false)
	if len(others) < len(pieces) || !slices.Contains(removed, true) {
		return others
	}
	return pieces
}

// cutFrom cuts a block into pieces that are chosen and not chosen in turn.
func cutFrom(b Block, removed, added []bool, chosen bool) []piece {
	var pieces []piece
	line, i, j := b.Line, 0, 0
	for ; i < len(removed) || j < len(added); chosen = !chosen {
		i0, j0 := i, j
		for i < len(removed) && removed[i] == chosen {
			i++
		}
		for j < len(added) && added[j] == chosen {
			j++
		}
		if i == i0 && j == j0 {
			continue
		}
		pieces = append(pieces, piece{Block{ID: b.ID, Line: line, Old: b.Old[i0:i:i], New: b.New[j0:j:j]}, chosen})
		line += i - i0
	}
	return pieces
}

func lacksNewline(b Block) bool {
	for _, lines := range [][]string{b.Old, b.New} {
		if n := len(lines); n > 0 && !strings.HasSuffix(lines[n-1], "\n") {
			return true
		}
	}
	return false
}
