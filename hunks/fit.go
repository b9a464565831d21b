package hunks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// placer finds the place of each hunk of a patch in a file.
type placer struct {
	base    Text
	words   lexicon
	cur     *index // the file's lines; the last one counts as if it had its newline
	loose   *index // the same without blanks at their ends; made when needed
	anchors []anchor
	steps   int // how many more lines may be compared: a guard against texts made to be slow
	fits    []*fit
}

// fit is one hunk on the way to its place.
type fit struct {
	raw        RawHunk
	order      int     // in the proposal
	old        []int32 // its old lines
	loose      []int32 // the same without blanks at their ends; made when needed
	must       []must  // by old line
	first, end int     // which of the old lines it changes: from first to end
	at         int     // its place: the file's line that its first old line is at, or would be, if that context is not there
	places     []int   // where it fits, when that is several, ascending; maxPlaces of them: and perhaps elsewhere
	weak       bool    // where it fits, most of the lines around it are others
	done       bool    // what it wants is in the file already, or it wants nothing
	reason     string  // why it has no place
}

// must is how a line of a hunk must be in the file.
type must byte

const (
	mayDiffer must = iota // unchanged: it is for finding
	mustBe                // unchanged, beside new lines; blanks at its end do not count
	mustEqual             // removed
)

// maxPlaces is where counting the places of a hunk ends.
const maxPlaces = 200

// tooSlow is why a hunk has no place where not all of the file was looked at.
const tooSlow = "the file's lines repeat too often to find its place"

func newPlacer(base Text) *placer {
	p := &placer{base: base, words: lexicon{}, steps: maxSteps}
	body := base.Body
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	p.cur = newIndex(p.words, body)
	return p
}

// add makes a hunk ready.
func (p *placer) add(raw RawHunk) {
	f := &fit{raw: raw, order: len(p.fits), first: -1, at: nowhere}
	p.fits = append(p.fits, f)
	start, removed := -1, false // of the run of changed lines
	for i, l := range raw.Lines {
		if l.Old() {
			f.old = append(f.old, p.number(l.Line, ""))
			f.must = append(f.must, mayDiffer)
		}
		n := len(f.old)
		switch {
		case l.Op == gitdiff.OpContext:
			if start >= 0 && !removed {
				f.must[n-1] = mustBe
			}
			start = -1
			continue
		case start < 0:
			start, removed = i, false
			if f.first < 0 {
				f.first = n
				if l.Op == gitdiff.OpDelete {
					f.first--
				}
			}
			if l.Op == gitdiff.OpAdd && n > 0 {
				f.must[n-1] = max(f.must[n-1], p.beside(raw.Lines[i:]))
			}
		}
		f.end = n
		if l.Op == gitdiff.OpDelete {
			removed = true
			f.must[n-1] = mustEqual
		}
	}
	f.done = f.first < 0
}

// beside is how the line above a run of changed lines must be: it matters only to one that removes none.
func (p *placer) beside(run []gitdiff.Line) must {
	for _, l := range run {
		switch l.Op {
		case gitdiff.OpContext:
			return mustBe
		case gitdiff.OpDelete:
			return mayDiffer
		}
	}
	return mustBe
}

// number is the number of a line as if it had its newline, without what is cut off its end.
func (p *placer) number(line, cut string) int32 {
	if s := strings.TrimRight(strings.TrimSuffix(line, "\n"), cut); len(s)+1 != len(line) || !strings.HasSuffix(line, "\n") {
		line = s + "\n"
	}
	id, ok := p.words[line]
	if !ok {
		id = int32(len(p.words))
		p.words[line] = id
	}
	return id
}

const blanks = " \t\r"

// loosen makes what is needed to compare lines without the blanks at their ends.
func (p *placer) loosen(f *fit) {
	if p.loose == nil {
		var body strings.Builder
		for _, l := range p.cur.lines {
			body.WriteString(strings.TrimRight(strings.TrimSuffix(l, "\n"), blanks))
			body.WriteByte('\n')
		}
		p.loose = newIndex(p.words, body.String())
	}
	if f.loose == nil {
		for _, l := range f.raw.Lines {
			if l.Old() {
				f.loose = append(f.loose, p.number(l.Line, blanks))
			}
		}
	}
}

// run finds the places.
func (p *placer) run() {
	for _, f := range p.fits {
		if !f.done {
			p.search(f)
		}
	}
	p.byOrder()
	p.byShift()
	p.settle()
	for _, f := range p.fits {
		switch {
		case f.placed() || f.done || f.reason != "":
		case p.steps < 0:
			f.reason = tooSlow
		case f.many():
			f.reason = fmt.Sprintf("it would fit in %d or more places", maxPlaces)
		case len(f.places) > 1:
			f.reason = fmt.Sprintf("it would fit in %d places", len(f.places))
		default:
			f.reason = "its lines are not in the file"
		}
	}
}

// nowhere is the place of a hunk that has none.
const nowhere = -1 << 40

func (f *fit) placed() bool { return f.at != nowhere }

// statedIn says whether the line that the hunk names is among the places.
func (f *fit) statedIn(places []int) bool {
	return f.raw.Start > 0 && slices.Contains(places, f.raw.Start-1)
}

func (f *fit) many() bool { return len(f.places) == maxPlaces }

// search looks for a hunk by its lines: all of them, at the line that it names or else anywhere.
func (p *placer) search(f *fit) {
	if len(f.old) == 0 {
		p.searchBare(f)
		return
	}
	if f.raw.Start > 0 && p.cur.has(f.raw.Start-1, f.old) {
		f.at = f.raw.Start - 1
	} else {
		switch f.places = p.find(f, true); len(f.places) {
		case 0:
			if f.done = p.isThere(f); !f.done {
				p.searchChanged(f)
			}
		case 1:
			f.at = f.places[0]
		default:
			p.choose(f)
		}
	}
	f.done = f.done || f.placed() && p.repeats(f)
	if f.done {
		f.at, f.places = nowhere, nil
	}
}

// searchBare is for a hunk that shows no line of the file. The line that it names is its place only if nothing speaks
// against it; byShift looks.
func (p *placer) searchBare(f *fit) {
	switch {
	case len(p.cur.lines) == 0:
		f.at = 0
	case f.raw.AtEnd:
		f.at = len(p.cur.lines)
	default:
		f.reason = "it has no line that says where its new lines go"
	}
}

// choose decides among places that fit alike, if the hunk itself says which.
func (p *placer) choose(f *fit) {
	if last := f.places[len(f.places)-1]; f.raw.AtEnd && last+len(f.old) == len(p.cur.lines) {
		f.at = last
		return
	}
	if f.statedIn(f.places) {
		f.at = f.raw.Start - 1
		return
	}
	if line := p.anchor(f.raw.Anchors); line >= 0 {
		if i := slices.IndexFunc(f.places, func(at int) bool { return at+f.first > line }); i >= 0 {
			f.at = f.places[i]
		}
	}
}

// searchChanged looks for a hunk some of whose lines are not in the file. Its removed lines must be, and the lines beside
// its new ones; of the others at least half, unless it is at the line that it names, and one that says something.
func (p *placer) searchChanged(f *fit) {
	p.loosen(f)
	places := p.find(f, false)
	best, around := -1, 0
	for _, m := range f.must {
		if m == mayDiffer {
			around++
		}
	}
	for _, at := range places {
		n := p.score(f, at)
		if n > best {
			best, f.places = n, nil
		}
		if n == best {
			f.places = append(f.places, at)
		}
	}
	if 2*best < around || len(places) == maxPlaces {
		f.weak = true
		f.places = places
	}
	if best < around && len(places) < maxPlaces {
		f.places = slices.DeleteFunc(f.places, func(at int) bool { return !p.telling(f, at) })
	}
	switch {
	case len(f.places) == 0:
	case len(f.places) == 1 && !f.weak:
		f.at = f.places[0]
	case f.weak && f.statedIn(f.places):
		f.at = f.raw.Start - 1
	case f.weak && len(f.places) == 1:
		f.reason = fmt.Sprintf("its changed lines are at line %d, but not the lines around them", f.places[0]+f.first+1)
	case !f.weak:
		p.choose(f)
	}
}

// find is where a hunk's lines are, the first maxPlaces: whole means all its old lines, as they are.
func (p *placer) find(f *fit, whole bool) []int {
	rare, places := -1, []int32(nil)
	for i, m := range f.must {
		var at []int32
		switch {
		case whole || m == mustEqual:
			at = p.cur.positions(f.old[i])
		case m == mustBe:
			at = p.loose.positions(f.loose[i])
		default:
			continue
		}
		if rare < 0 || len(at) < len(places) {
			rare, places = i, at
		}
	}
	var found []int
	for _, at := range places {
		if start := int(at) - rare; p.fitsAt(f, start, whole) {
			if found = append(found, start); len(found) == maxPlaces {
				break
			}
		}
	}
	if p.steps < 0 {
		return nil // not all was looked at
	}
	return found
}

// fitsAt says whether the lines that must be in the file are there.
func (p *placer) fitsAt(f *fit, start int, whole bool) bool {
	for i, m := range f.must {
		if p.steps--; p.steps < 0 {
			return false
		}
		switch {
		case whole || m == mustEqual:
			if !same(p.cur, start+i, f.old[i]) {
				return false
			}
		case m == mustBe:
			if !same(p.loose, start+i, f.loose[i]) {
				return false
			}
		}
	}
	return true
}

// same says whether the line is one of the text's, at its place.
func same(x *index, line int, id int32) bool {
	return line >= 0 && line < len(x.ids) && x.ids[line] == id
}

// score counts the unchanged lines of a hunk that are there.
func (p *placer) score(f *fit, at int) int {
	n := 0
	p.steps -= len(f.must)
	for i, m := range f.must {
		if m == mayDiffer && same(p.loose, at+i, f.loose[i]) {
			n++
		}
	}
	return n
}

// telling says whether any of a hunk's lines that are there is more than a brace or a blank line.
func (p *placer) telling(f *fit, at int) bool {
	p.steps -= len(f.must)
	for i := range f.must {
		if same(p.loose, at+i, f.loose[i]) && p.cur.distinctive(at+i, at+i+1) {
			return true
		}
	}
	return false
}
