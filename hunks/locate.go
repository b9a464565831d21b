package hunks

import (
	"math"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// Spot is where a block was found again.
type Spot struct {
	Line int // index of its first line; of a text that is empty, the line that it goes before
	Fit  Fit // which of its texts is there: FitOld or FitNew
}

// Locate finds blocks again, by their id, in a text that took the place of the one they were in (a formatter, a reload).
// applied says which hunks were in the text before; that text is believed to have been what Compose makes of them.
//
// Every block is found when the text is what it was, or as it is with no hunk applied, or with all. Else a block is found by
// its old or its new text with up to 3 lines of what was around it, and only when these lines are in current once and were
// there once before, and no other reading has a place too; by the text that it did not have before, only when the one that
// it had is gone from a place. A block that is not found is not in the result. Blocks of hunks in
// conflict are looked for by the lines that they were proposed with. Whether the last line is ended says nothing of where a
// block is. whole: the text is, as a whole, one of those three, and so nothing else can be true.
func (p *Patch) Locate(current string, applied func(hunkID int) bool) (spots map[int]Spot, whole bool) {
	l := locator{words: lexicon{}}
	l.base = l.index(p.Base.Body)
	l.before, l.mod = l.base, l.base
	if before := p.Compose(applied); before != p.Base.Body {
		l.before = l.index(before)
	}
	if p.Modified != p.Base.Body {
		l.mod = l.index(p.Modified)
	}
	l.cur = l.index(current)
	for _, text := range []*index{l.before, l.base, l.mod} {
		if slices.Equal(text.ids, l.cur.ids) {
			l.same = text
			break
		}
	}
	spots = map[int]Spot{}
	shiftBefore, shiftMod := 0, 0
	for _, h := range p.Hunks {
		if !h.Placed() {
			l.proposed(h, spots)
			continue
		}
		in := applied(h.ID)
		for i := range h.Blocks {
			b := &h.Blocks[i]
			if spot, ok := l.find(l.readings(b, b.Line+shiftBefore, b.Line+shiftMod, in)); ok {
				if b.onlyEnds() {
					spot.Fit = b.ends(spot.Line < len(l.cur.ids)-1 || strings.HasSuffix(current, "\n"))
				}
				spots[b.ID] = spot
			}
			grown := len(b.New) - len(b.Old)
			shiftMod += grown
			if in {
				shiftBefore += grown
			}
		}
	}
	return spots, l.same != nil
}

// locator has the texts that blocks are looked for in, and known from.
type locator struct {
	words             lexicon
	base, before, mod *index
	cur               *index
	same              *index // which of the others cur is, if it is one of them
}

// index is of a text's lines; that the last one is ended or not is no difference between lines.
func (l *locator) index(body string) *index {
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	return newIndex(l.words, body)
}

// onlyEnds: what changes is only whether the last line is ended.
func (b *Block) onlyEnds() bool {
	return len(b.Old) == 1 && len(b.New) == 1 && strings.TrimSuffix(b.Old[0], "\n") == strings.TrimSuffix(b.New[0], "\n")
}

// ends is what such a block's text is when its line is ended, or not.
func (b *Block) ends(ended bool) Fit {
	if strings.HasSuffix(b.New[0], "\n") == ended {
		return FitNew
	}
	return FitOld
}

// reading is one way in which a block can stand in a text: the lines of a text from start to end, and those around them.
type reading struct {
	ids        []int32
	start, end int
	fit        Fit
	text       *index // where they were before
	times      int    // how often they must be there
}

// around are the reading's lines with up to k lines on each side.
func (r *reading) around(k int) []int32 { return r.ids[max(0, r.start-k):min(len(r.ids), r.end+k)] }

// readings are the ways in which the block can be in the new text: as it was, the other way round, and as it is with all
// hunks or none applied.
func (l *locator) readings(b *Block, lineBefore, lineMod int, in bool) []reading {
	oldIDs := l.base.ids[b.Line : b.Line+len(b.Old)]
	newIDs := l.mod.ids[lineMod : lineMod+len(b.New)]
	newFit := FitNew
	if b.onlyEnds() {
		newFit = FitOld // the lines do not tell the two
	}
	was, other, fit, otherFit := oldIDs, newIDs, FitOld, newFit
	if in {
		was, other, fit, otherFit = newIDs, oldIDs, newFit, FitOld
	}
	end := lineBefore + len(was)
	above := l.before.ids[max(0, lineBefore-contextLines):lineBefore]
	below := l.before.ids[end:min(len(l.before.ids), end+contextLines)]
	return []reading{
		{l.before.ids, lineBefore, end, fit, l.before, 1},
		{slices.Concat(above, other, below), len(above), len(above) + len(other), otherFit, l.before, 0},
		{l.base.ids, b.Line, b.Line + len(b.Old), FitOld, l.base, 1},
		{l.mod.ids, lineMod, lineMod + len(b.New), newFit, l.mod, 1},
	}
}

// proposed looks for the blocks of a hunk that had no place.
func (l *locator) proposed(h *Hunk, spots map[int]Spot) {
	type place struct{ oldStart, newStart int }
	var oldIDs, newIDs []int32
	places := make([]place, 0, len(h.Blocks))
	last := gitdiff.OpContext
	for _, line := range h.Fragment.Lines {
		if line.Op != gitdiff.OpContext && last == gitdiff.OpContext {
			places = append(places, place{len(oldIDs), len(newIDs)})
		}
		last = line.Op
		id, ok := l.words[strings.TrimSuffix(line.Line, "\n")+"\n"]
		if !ok {
			id = math.MaxInt32 // it is in none of the texts
		}
		if line.Old() {
			oldIDs = append(oldIDs, id)
		}
		if line.New() {
			newIDs = append(newIDs, id)
		}
	}
	for i := range min(len(places), len(h.Blocks)) {
		b, at := &h.Blocks[i], places[i]
		spot, ok := l.find([]reading{
			{oldIDs, at.oldStart, at.oldStart + len(b.Old), FitOld, nil, 0},
			{newIDs, at.newStart, at.newStart + len(b.New), FitNew, nil, 0},
		})
		if ok {
			spots[b.ID] = spot
		}
	}
}

// find is the one place that the readings agree on, with as much of what is around the block as is there.
func (l *locator) find(readings []reading) (spot Spot, ok bool) {
	for _, r := range readings {
		if r.text != nil && r.text == l.same && r.times == 1 {
			return Spot{Line: r.start, Fit: r.fit}, true
		}
	}
	for k := contextLines; k >= 0; k-- {
		var best match
		for i := range readings {
			line, n := l.place(&readings[i], k)
			r := &readings[i]
			m := match{Spot{Line: line, Fit: r.fit}, r.end - r.start, r.around(k)}
			switch {
			case n == 0, ok && k == 0 && best.holds(m):
				continue
			case n > 1, ok && m.Spot != best.Spot && (k > 0 || !m.holds(best)):
				return Spot{}, false
			}
			best, ok = m, true
		}
		if ok {
			return best.Spot, !l.stays(readings, &best)
		}
	}
	return Spot{}, false
}

// match is lines that say a block is there.
type match struct {
	Spot
	lines   int
	pattern []int32 // with what is around them
}

// holds says whether the other is a part of it. Without anything around them, the shorter lines say nothing then.
func (m match) holds(other match) bool {
	return m.lines > other.lines && m.Line <= other.Line && other.Line+other.lines <= m.Line+m.lines
}

// stays says whether a block that seems to have turned into its other text has not: what it was is in the text as often
// as before, or what was found stood there then too.
func (l *locator) stays(readings []reading, found *match) bool {
	was, other := &readings[0], &readings[1]
	if was.text == nil || was.start == was.end || found.Fit == was.fit {
		return false
	}
	if _, there := was.text.find(found.pattern); there > 0 {
		return true
	}
	pattern, others := was.around(0), other.around(0)
	_, before := was.text.find(pattern)
	_, now := l.cur.find(pattern)
	if contains(others, pattern) {
		before++
	}
	return now >= before
}

// contains says whether the lines of part are in others one after the other.
func contains(others, part []int32) bool {
	for at := range max(0, len(others)-len(part)+1) {
		if slices.Equal(others[at:at+len(part)], part) {
			return true
		}
	}
	return false
}

// place looks for one reading with k lines around it. n is 1 only if that is its only place and was its only one.
func (l *locator) place(r *reading, k int) (line, n int) {
	empty := r.start == r.end
	if len(r.ids) == 0 && len(l.cur.ids) == 0 {
		return 0, 1 // no text at all
	}
	if empty && k == 0 {
		return 0, 0
	}
	pattern := r.around(k)
	at, n := l.cur.find(pattern)
	if n > 0 && !l.atEnds(pattern, r.start < k, len(r.ids)-r.end < k) {
		return 0, 0
	}
	if n != 1 {
		return 0, n
	}
	if (k < contextLines || empty) && !l.cur.distinctive(at, at+len(pattern)) {
		return 0, 0
	}
	single := func(id int32) bool { return len(l.cur.positions(id)) == 1 }
	if k == 0 && !slices.ContainsFunc(pattern, single) {
		return 0, 0 // lines that are elsewhere too may be anybody's
	}
	if r.text != nil {
		_, times := r.text.find(pattern)
		if times > 0 && r.times == 0 {
			return 0, 0 // it was there without the block: it says nothing
		}
		if times != r.times {
			return 0, 2
		}
	}
	return at + min(k, r.start), 1
}

// atEnds says whether the pattern stands where lines that it lacks on a side say that it must: at that end of the text.
func (l *locator) atEnds(pattern []int32, top, bottom bool) bool {
	return (!top || l.cur.has(0, pattern)) && (!bottom || l.cur.has(len(l.cur.ids)-len(pattern), pattern))
}
