package hunks

import "slices"

// Select is the patch with only those hunks for which keep says so: the same base, blocks and ids, and headers as they
// are without the others. Hunks without a place are left out. Hunks whose lines touch, as parts of a block do, are one
// hunk in it, with the id of the first; so the printed patch is one that git apply and patch accept.
func (p *Patch) Select(keep func(hunkID int) bool) *Patch {
	out := &Patch{Base: p.Base, Modified: p.Compose(keep), Notes: p.Notes}
	var shown []window // by each of out.Hunks
	for _, h := range p.Hunks {
		if !h.Placed() || !keep(h.ID) {
			continue
		}
		selected, w := *h, windowOf(h.Fragment)
		for last := len(shown) - 1; last >= 0 && (w.first < shown[last].end() || touch(out.Hunks[last], h)); last-- {
			w = shown[last].join(w)
			selected.ID = out.Hunks[last].ID
			selected.Blocks = slices.Concat(out.Hunks[last].Blocks, selected.Blocks)
			selected.Fragment = p.frameIn(w, [][]Block{selected.Blocks})[0]
			out.Hunks, shown = out.Hunks[:last], shown[:last]
		}
		out.Hunks = append(out.Hunks, &selected)
		shown = append(shown, w)
	}
	out.renumber()
	return out
}

// touch says whether no unchanged line is between two placed hunks.
func touch(upper, lower *Hunk) bool {
	_, end := spanOf(upper.Blocks)
	start, _ := spanOf(lower.Blocks)
	return start <= end
}

// renumber sets the new positions of all placed hunks to what they are when exactly these hunks apply.
func (p *Patch) renumber() {
	var shift int64
	for _, h := range p.Hunks {
		if !h.Placed() {
			continue
		}
		f := *h.Fragment
		start := f.OldPosition - 1
		if f.OldLines == 0 {
			start++
		}
		start += shift
		f.NewPosition = position(int(start), int(start+f.NewLines))
		shift += f.NewLines - f.OldLines
		h.Fragment = &f
	}
}
