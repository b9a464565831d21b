package hunks

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// patch makes the patch of the hunks that have a place, and puts the others in order among them. It has none when the file
// has everything already. The error says why no hunk has a place; all are then in conflict.
func (p *placer) patch() (*Patch, error) {
	var placed, lost []*fit
	there, moved := 0, 0
	for _, f := range p.fits {
		switch {
		case f.placed():
			placed = append(placed, f)
			if f.raw.Start > 0 && f.at != f.raw.Start-1 {
				moved++
			}
		case f.done:
			there++
		default:
			lost = append(lost, f)
		}
	}
	slices.SortStableFunc(placed, func(a, b *fit) int { return cmp.Compare(a.at+a.first, b.at+b.first) })
	body, kept := p.compose(placed)
	patch := Diff(p.base, body)
	switch {
	case len(patch.Hunks) > 0:
		p.markMoved(patch, placed)
		p.insert(patch, lost)
	case len(lost) > 0:
		p.insert(patch, lost)
		return patch, p.stale(lost)
	default:
		return patch, nil
	}
	if kept {
		patch.Notes = append(patch.Notes, "What the patch says of the final newline is not so in the file, and was left as it is.")
	}
	if moved > 0 {
		patch.Notes = append(patch.Notes, fmt.Sprintf("%s not at the line that the patch says, and placed by the text.", were(moved)))
	}
	if there > 0 {
		patch.Notes = append(patch.Notes, fmt.Sprintf("%s in the file already, and left out.", were(there)))
	}
	return patch, nil
}

func were(n int) string {
	if n == 1 {
		return "1 hunk was"
	}
	return fmt.Sprintf("%d hunks were", n)
}

// compose is the file's body with the hunks in their places. Unchanged lines are the file's own. kept says that the end of
// the file has, or lacks, its newline as before, although the patch shows it otherwise.
func (p *placer) compose(placed []*fit) (body string, kept bool) {
	var out strings.Builder
	out.Grow(len(p.base.Body))
	lines := splitLines(p.base.Body)
	at := 0
	upTo := func(n int) {
		for ; at < n; at++ {
			appendLine(&out, lines[at])
		}
	}
	for _, f := range placed {
		upTo(f.at + f.first)
		line := f.at
		for _, l := range f.raw.Lines {
			switch {
			case l.Op == gitdiff.OpAdd:
				appendLine(&out, l.Line)
			case l.Op == gitdiff.OpContext && line >= at && line < f.at+f.end:
				upTo(line + 1)
			case l.Op == gitdiff.OpDelete:
				at = line + 1
			}
			if l.Old() {
				line++
			}
		}
	}
	upTo(len(lines))
	body = out.String()
	if len(placed) > 0 && len(lines) > 0 {
		return p.finish(body, placed[len(placed)-1])
	}
	return body, false
}

// finish sets the final newline, if the last hunk is at the file's end: as the patch wants it, if it wants a change; else
// as the file has it, because who shows lines does not see whether the last one has a newline.
func (p *placer) finish(body string, f *fit) (string, bool) {
	if f.at+f.end < len(p.cur.lines) || body == "" {
		return body, false
	}
	oldEnd, newEnd := true, true
	for _, l := range f.raw.Lines {
		if l.Old() {
			oldEnd = !l.NoEOL()
		}
		if l.New() {
			newEnd = !l.NoEOL()
		}
	}
	want := newEnd
	if oldEnd == newEnd {
		want = strings.HasSuffix(p.base.Body, "\n")
	}
	switch {
	case want && !strings.HasSuffix(body, "\n"):
		body += "\n"
	case !want:
		body = dropNewline(body)
	}
	return body, want != newEnd
}

// markMoved says of each hunk whether it is elsewhere than the patch says.
func (p *placer) markMoved(patch *Patch, placed []*fit) {
	i := 0
	for _, h := range patch.Hunks {
		line := h.Blocks[0].Line
		for i+1 < len(placed) && placed[i+1].at+placed[i+1].first <= line {
			i++
		}
		h.Moved = placed[i].raw.Start > 0 && placed[i].at != placed[i].raw.Start-1
	}
}

// insert puts hunks without a place behind the one that they follow in the patch.
func (p *placer) insert(patch *Patch, lost []*fit) {
	if len(lost) == 0 {
		return
	}
	line := make([]int, len(p.fits)) // by order
	last := -1
	for i, f := range p.fits {
		if f.placed() {
			last = f.at + f.end
		}
		line[i] = last
	}
	slices.SortStableFunc(lost, func(a, b *fit) int { return cmp.Compare(line[a.order], line[b.order]) })
	all := make([]*Hunk, 0, len(patch.Hunks)+len(lost))
	for _, h := range patch.Hunks {
		for len(lost) > 0 && line[lost[0].order] < h.Blocks[0].Line {
			all = append(all, lost[0].conflict())
			lost = lost[1:]
		}
		all = append(all, h)
	}
	for _, f := range lost {
		all = append(all, f.conflict())
	}
	patch.Hunks = all
	block := 1
	for i, h := range all {
		h.ID = i + 1
		for j := range h.Blocks {
			h.Blocks[j].ID = block
			block++
		}
	}
}

// conflict is the hunk as it was proposed.
func (f *fit) conflict() *Hunk {
	frag := &gitdiff.TextFragment{Lines: f.raw.Lines, OldPosition: int64(f.raw.Start)}
	count(frag)
	if frag.OldLines == 0 && frag.OldPosition > 0 {
		frag.OldPosition--
	}
	frag.NewPosition = frag.OldPosition
	h := &Hunk{State: Conflict, Reason: f.reason, Fragment: frag}
	for lines := f.raw.Lines; len(lines) > 0; {
		n := 0
		b := Block{Line: -1}
		for ; n < len(lines) && lines[n].Op != gitdiff.OpContext; n++ {
			if lines[n].Old() {
				b.Old = append(b.Old, lines[n].Line)
			} else {
				b.New = append(b.New, lines[n].Line)
			}
		}
		if n > 0 {
			h.Blocks = append(h.Blocks, b)
		}
		lines = lines[max(n, 1):]
	}
	return h
}

// stale says why no hunk has a place, by the first of them.
func (p *placer) stale(lost []*fit) *StaleError {
	f := lost[0]
	what := "the hunk has no place in the file"
	if len(lost) > 1 {
		what = fmt.Sprintf("none of the %d hunks has a place in the file; the first", len(lost))
	}
	e := &StaleError{Reason: fmt.Sprintf("%s: %s.", what, f.reason)}
	if len(f.places) > 1 {
		e.Count = len(f.places)
		var list []string
		for _, at := range f.places[:min(e.Count, maxListed)] {
			e.Lines = append(e.Lines, at+f.first)
			list = append(list, strconv.Itoa(at+f.first+1))
		}
		if e.Count > maxListed {
			list = append(list, "...")
		}
		e.Reason = fmt.Sprintf("%s: %s, at lines %s.", what, f.reason, strings.Join(list, ", "))
		return e
	}
	var old strings.Builder
	for _, l := range f.raw.Lines {
		if l.Old() {
			appendLine(&old, l.Line)
		}
	}
	e.Differences = p.differences(newIndex(p.words, old.String()), f.raw.Start-1)
	return e
}

// differences are the first lines of a hunk that the file does not have where most of its lines point to, or else where it
// says that they are.
func (p *placer) differences(old *index, stated int) []Difference {
	offset := bestOffset(old, p.cur)
	if offset == 0 && stated > 0 {
		offset = stated
	}
	if stated < 0 && !old.shares(p.cur) {
		return nil
	}
	var out []Difference
	for i, want := range old.lines {
		got := lineOr(p.cur.lines, i+offset)
		switch {
		case want != got:
			out = append(out, Difference{Line: max(0, i+offset), Want: want, Got: got})
		case len(out) > 0:
			return out
		}
		if len(out) == maxListed {
			break
		}
	}
	return out
}
