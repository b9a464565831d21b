package hunks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// drift places the hunks of a proposal whose original the file has moved away from, each by its own lines.
type drift struct {
	base      Text
	words     lexicon
	orig, cur *index
	mod       *index // made when first needed
	modified  string
	patch     *Patch // from original to modified
}

// driftedHunk is one hunk of the proposal and what became of it.
type driftedHunk struct {
	order  int     // in the proposal
	hunk   *Hunk   // as proposed
	blocks []Block // at their place in the file; none: no place
	reason string  // why it has no place
}

// placeDrifted finds for each hunk from original to modified the one place in the file where it fits.
func (pr *proposal) placeDrifted() (*Patch, error) {
	pr.alignFinalNewline()
	d := &drift{base: pr.current, words: lexicon{}, modified: pr.modified, patch: Diff(Text{Body: pr.original}, pr.modified)}
	if len(d.patch.Hunks) == 0 {
		return nil, ErrNothing
	}
	d.cur = newIndex(d.words, pr.current.Body)
	d.orig = newIndex(d.words, pr.original)
	var found []driftedHunk
	there := 0
	for i, h := range d.patch.Hunks {
		line, reason := d.locate(h)
		if line < 0 && reason == "" {
			there++
			continue
		}
		f := driftedHunk{order: i, hunk: h, reason: reason}
		if line >= 0 {
			d.put(&f, line)
		}
		found = append(found, f)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("every change of it is there: %w", ErrNothing)
	}
	d.settle(found)
	if !slices.ContainsFunc(found, func(f driftedHunk) bool { return f.blocks != nil }) {
		return nil, mismatchError(d.orig, d.cur)
	}
	pr.note("original does not match the file in all places: each hunk was placed by the lines around it.")
	if there > 0 {
		pr.note("%s of the proposal are in the file already and were left out.", counted(there, "hunk"))
	}
	return d.assemble(found), nil
}

// alignFinalNewline makes the end of original and modified comparable with the file's: an agent that shows lines does
// not see whether the last one has a newline.
func (pr *proposal) alignFinalNewline() {
	body := pr.current.Body
	if strings.HasSuffix(body, "\n") {
		for _, s := range []*string{&pr.original, &pr.modified} {
			if *s != "" && !strings.HasSuffix(*s, "\n") {
				*s += "\n"
			}
		}
		return
	}
	last := body[strings.LastIndexByte(body, '\n')+1:]
	if strings.HasSuffix("\n"+pr.original, "\n"+last+"\n") && strings.HasSuffix(pr.modified, "\n") {
		pr.original, pr.modified = dropNewline(pr.original), dropNewline(pr.modified)
	}
}

// locate finds the hunk's place in the file. Without one, line is -1, and reason says why; or is empty when what the hunk
// wants is in the file already.
//
// It begins with the context of a hunk, takes more of original's lines while several places fit, and fewer while none
// does. A place counts only if its lines are there once, and were there once in original.
func (d *drift) locate(h *Hunk) (line int, reason string) {
	start, end := spanOf(h.Blocks)
	most := 0
	for k := contextLines; k >= 0; k-- {
		pattern, lead := d.orig.window(start, end, k)
		if k < contextLines && !d.orig.distinctive(start-lead, start-lead+len(pattern)) {
			break
		}
		if k == 0 && start == end {
			break // an insertion is nowhere without a line beside it
		}
		if k == contextLines && atEnd(h) && d.isThere(h) {
			return -1, "" // the old text would fit too, beside the new
		}
		at, n := d.unique(pattern)
		if n == 1 {
			return at + lead, ""
		}
		if n > 1 {
			most = n
			if k == contextLines {
				if at := d.locateWider(start, end); at >= 0 {
					return at, ""
				}
			}
			break
		}
		if k == contextLines && d.isThere(h) {
			return -1, ""
		}
	}
	switch {
	case d.cur.steps < 0 || d.orig.steps < 0:
		return -1, tooSlow
	case most == maxHits:
		return -1, fmt.Sprintf("it would fit in %d or more places", most)
	case most > 1:
		return -1, fmt.Sprintf("it would fit in %d places", most)
	}
	return -1, "its lines are not in the file"
}

// unique looks for a pattern of original in the file: n is 1 only if it is there once and was once in original.
func (d *drift) unique(pattern []int32) (line, n int) {
	line, n = d.cur.find(pattern)
	if n == 1 {
		_, n = d.orig.find(pattern)
	}
	return line, n
}

// locateWider tells places apart that look the same as far as a hunk's context goes.
func (d *drift) locateWider(start, end int) int {
	for k := 2 * contextLines; k <= 64*contextLines; k *= 2 {
		pattern, lead := d.orig.window(start, end, k)
		switch at, n := d.unique(pattern); n {
		case 0:
			return -1
		case 1:
			return at + lead
		}
	}
	return -1
}

// atEnd says whether an end of the text cuts the hunk's context.
func atEnd(h *Hunk) bool {
	return h.Fragment.LeadingContext < contextLines || h.Fragment.TrailingContext < contextLines
}

// isThere says whether the file has what the hunk wants where it wants it: its new text with its context, once.
func (d *drift) isThere(h *Hunk) bool {
	if d.mod == nil {
		d.mod = newIndex(d.words, d.modified)
	}
	f := h.Fragment
	headCut, tailCut := f.LeadingContext < contextLines, f.TrailingContext < contextLines
	start := int(f.NewPosition) - 1
	if f.NewLines == 0 || headCut && tailCut && !d.mod.distinctive(start, start+int(f.NewLines)) {
		return false // too little to know it by
	}
	pattern := d.mod.ids[start : start+int(f.NewLines)]
	at, n := d.cur.find(pattern)
	if n != 1 {
		return false
	}
	if _, n = d.mod.find(pattern); n != 1 {
		return false
	}
	// Where lines were removed at an end of the text, nothing is left there to know it by but the end.
	if headCut && len(h.Blocks[0].New) == 0 && at != 0 {
		return false
	}
	return !tailCut || len(h.Blocks[len(h.Blocks)-1].New) > 0 || at+len(pattern) == len(d.cur.ids)
}

// put places a hunk with its first changed line at line. A last new line without newline gets one where the hunk is not
// at the end of the file; a hunk that wanted nothing but that has no place.
func (d *drift) put(f *driftedHunk, line int) {
	blocks := slices.Clone(f.hunk.Blocks)
	shift := line - blocks[0].Line
	for i := range blocks {
		blocks[i].Line += shift
	}
	b := &blocks[len(blocks)-1]
	if n := len(b.New); n > 0 && !strings.HasSuffix(b.New[n-1], "\n") && b.Line+len(b.Old) < len(d.cur.lines) {
		b.New = slices.Clone(b.New)
		b.New[n-1] += "\n"
		if o := len(b.Old); o > 0 && b.Old[o-1] == b.New[n-1] {
			b.Old, b.New = b.Old[:o-1], b.New[:n-1]
		}
		if len(b.Old)+len(b.New) == 0 {
			blocks = blocks[:len(blocks)-1]
		}
	}
	if len(blocks) == 0 {
		f.reason = "its last line is no longer the last of the file"
		return
	}
	f.blocks = blocks
}

// settle sorts the hunks by place. One that comes too close to an earlier one of the proposal is in conflict with it.
// Hunks without a place stay behind the one that they followed in the proposal.
func (d *drift) settle(found []driftedHunk) {
	byPlace := make([]*driftedHunk, 0, len(found))
	for i := range found {
		if found[i].blocks != nil {
			byPlace = append(byPlace, &found[i])
		}
	}
	slices.SortStableFunc(byPlace, func(a, b *driftedHunk) int { return cmp.Compare(a.blocks[0].Line, b.blocks[0].Line) })
	var last *driftedHunk
	for _, f := range byPlace {
		if last == nil || d.apart(last, f) {
			last = f
			continue
		}
		loser := f
		if f.order < last.order {
			loser, last = last, f
		}
		loser.blocks = nil
		loser.reason = "its place touches that of another hunk of the proposal"
	}
	line := -1
	keys := make([]int, len(d.patch.Hunks))
	for i := range found {
		if found[i].blocks != nil {
			line = found[i].blocks[0].Line
		}
		keys[found[i].order] = line
	}
	slices.SortStableFunc(found, func(a, b driftedHunk) int { return cmp.Compare(keys[a.order], keys[b.order]) })
}

// apart says whether two placed hunks can be hunks of their own.
func (d *drift) apart(upper, lower *driftedHunk) bool {
	_, end := spanOf(lower.blocks)
	return d.base.separable(upper.blocks, lower.blocks, len(d.cur.lines)-end)
}

// assemble makes the patch against the file.
func (d *drift) assemble(found []driftedHunk) *Patch {
	p := &Patch{Base: d.base}
	var groups [][]Block
	var placed []*Hunk
	blockID := 1
	for i := range found {
		f := &found[i]
		h := &Hunk{ID: i + 1, State: Pending}
		if f.blocks == nil {
			h.State, h.Reason, h.Fragment = Conflict, f.reason, f.hunk.Fragment
			h.Blocks = slices.Clone(f.hunk.Blocks)
			for j := range h.Blocks {
				h.Blocks[j].Line = -1
			}
		} else {
			h.Moved = f.blocks[0].Line != f.hunk.Blocks[0].Line
			h.Blocks = f.blocks
			groups = append(groups, h.Blocks)
			placed = append(placed, h)
		}
		for j := range h.Blocks {
			h.Blocks[j].ID = blockID
			blockID++
		}
		p.Hunks = append(p.Hunks, h)
	}
	fragments := frame(groups, func(i int) string { return d.cur.lines[i] }, 0, len(d.cur.lines), true)
	for i, h := range placed {
		h.Fragment = fragments[i]
	}
	p.Modified = p.Compose(func(int) bool { return true })
	return p
}
