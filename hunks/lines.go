package hunks

import (
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// piece is a block, or a part of one, and whether it was chosen.
type piece struct {
	Block
	chosen bool
}

// marked says for each line of the hunk's fragment whether one of its printed lines is selected.
func (p *Patch) marked(h *Hunk, selected []int) []bool {
	lines := h.Fragment.Lines
	twice := -1
	if p.Base.BOM && first(h.Fragment) {
		twice = printedTwice(lines)
	}
	var rows []int // by printed line, which line of the fragment it is
	if p.onlyMark() && p.Base.Body == "" {
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
	out := make([]bool, len(lines))
	for _, s := range selected {
		if s >= 1 && s <= len(rows) && rows[s-1] >= 0 {
			out[rows[s-1]] = true
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
// two are interleaved is free, and the way with the fewest pieces keeps what was chosen together together.
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
	pieces := cutFrom(b, removed, added, true)
	if others := cutFrom(b, removed, added, false); len(others) < len(pieces) {
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
