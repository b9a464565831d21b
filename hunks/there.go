package hunks

import "github.com/bluekeyes/go-gitdiff/gitdiff"

// repeats says whether a hunk that only adds lines, and does not show the line on their other side, would add them where
// they are already.
func (p *placer) repeats(f *fit) bool {
	if f.first != f.end || f.first > 0 && f.first < len(f.old) {
		return false
	}
	line := f.at + f.first
	var added []int32
	for _, l := range f.raw.Lines {
		if l.Op == gitdiff.OpAdd {
			added = append(added, p.number(l.Line, ""))
		}
	}
	if f.first == 0 {
		line -= len(added)
	}
	return p.cur.has(line, added) && p.cur.distinctive(line, line+len(added))
}

// isThere says whether the file has what the hunk wants: its new lines with those around them, in one place or at the line
// that it names.
func (p *placer) isThere(f *fit) bool {
	wanted := &fit{}
	adds, context := false, 0
	for i, l := range f.raw.Lines {
		if l.New() {
			wanted.old = append(wanted.old, p.number(l.Line, ""))
			wanted.must = append(wanted.must, mustEqual)
		}
		adds = adds || l.Op == gitdiff.OpAdd
		if l.Op == gitdiff.OpContext && (i == 0 || i == len(f.raw.Lines)-1) {
			context++
		}
	}
	if len(wanted.old) == 0 || !adds && context < 2 {
		return false
	}
	at := f.raw.Start - 1
	if at < 0 || !p.cur.has(at, wanted.old) {
		places := p.find(wanted, true)
		if len(places) != 1 || context == 0 {
			return false
		}
		at = places[0]
	}
	return p.cur.distinctive(at, at+len(wanted.old))
}
