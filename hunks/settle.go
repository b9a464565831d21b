package hunks

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// anchor is a line of the file without the blanks around it, for finding those that begin in some way.
type anchor struct {
	text string
	line int
}

// anchor is the file's line that the anchors, one below the other, lead to; -1: none, or the first is not unique.
func (p *placer) anchor(texts []string) int {
	if len(texts) == 0 {
		return -1
	}
	if p.anchors == nil {
		for i, l := range p.cur.lines {
			p.anchors = append(p.anchors, anchor{strings.TrimSpace(l), i})
		}
		slices.SortFunc(p.anchors, func(a, b anchor) int { return cmp.Or(strings.Compare(a.text, b.text), a.line-b.line) })
	}
	line := -1
	for _, text := range texts {
		if line = p.anchorBelow(line, text); line < 0 {
			return -1
		}
	}
	return line
}

// anchorBelow is the first line below above that is text, or the only one that begins with it, because Git cuts long ones;
// -1: none. The first anchor of all must be the only such line, too.
func (p *placer) anchorBelow(above int, text string) int {
	i := sort.Search(len(p.anchors), func(i int) bool {
		a := p.anchors[i]
		return a.text > text || a.text == text && a.line > above
	})
	has := func(i int, text string) bool { return i < len(p.anchors) && strings.HasPrefix(p.anchors[i].text, text) }
	switch equal := has(i, text) && p.anchors[i].text == text; {
	case !has(i, text), p.anchors[i].line <= above:
		return -1
	case equal && above < 0 && has(i+1, text) && p.anchors[i+1].text == text:
		return -1
	case !equal && has(i+1, text):
		return -1
	}
	return p.anchors[i].line
}

// byOrder decides between places by the order of the hunks: if, with all hunks in the file as in the patch, a hunk can be
// in one place only, it is there.
func (p *placer) byOrder() {
	var row []*fit
	open := false
	for _, f := range p.fits {
		if f.placed() {
			f.places = []int{f.at}
		}
		if len(f.places) > 0 && !f.weak && !f.many() {
			row = append(row, f)
			open = open || !f.placed()
		}
	}
	if !open {
		return
	}
	highest, lowest := make([]int, len(row)), make([]int, len(row))
	for i, f := range row {
		j := sort.Search(len(f.places), func(j int) bool { return i == 0 || below(row[i-1], highest[i-1], f, f.places[j]) })
		if j == len(f.places) {
			return // they are not in order
		}
		highest[i] = f.places[j]
	}
	for i := len(row) - 1; i >= 0; i-- {
		f := row[i]
		j := sort.Search(len(f.places), func(j int) bool { return i+1 < len(row) && !below(f, f.places[j], row[i+1], lowest[i+1]) })
		if j == 0 {
			return
		}
		lowest[i] = f.places[j-1]
	}
	for i, f := range row {
		if highest[i] == lowest[i] {
			f.at = highest[i]
		}
	}
}

// below says whether two hunks at these places are one below the other.
func below(upper *fit, upperAt int, lower *fit, lowerAt int) bool {
	end, start := upperAt+upper.end, lowerAt+lower.first
	return start > end || start == end && (upper.first < upper.end || lower.first < lower.end)
}

// byShift decides between places by the line that a hunk names, when the hunks before and after it are as far from
// theirs.
func (p *placer) byShift() {
	after := make([]int, len(p.fits)) // how far the next hunk that has a place is from its line
	next := nowhere
	for i := len(p.fits) - 1; i >= 0; i-- {
		after[i] = next
		if f := p.fits[i]; f.placed() && f.raw.Start > 0 {
			next = f.at - (f.raw.Start - 1)
		}
	}
	before := nowhere
	for i, f := range p.fits {
		if f.placed() && f.raw.Start > 0 {
			before = f.at - (f.raw.Start - 1)
			continue
		}
		shift := max(before, after[i])
		agreed := min(before, after[i]) == shift || min(before, after[i]) == nowhere
		if f.placed() || f.done || f.raw.Start == 0 || !agreed {
			continue
		}
		if shift == nowhere {
			shift = 0
		}
		at := f.raw.Start - 1 + shift
		if len(f.old) == 0 && at >= 0 && at <= len(p.cur.lines) || slices.Contains(f.places, at) {
			f.at, f.reason = at, ""
		}
	}
}

// settle takes the place from a hunk that overlaps one before it in the patch.
func (p *placer) settle() {
	var placed []*fit
	for _, f := range p.fits {
		if f.placed() {
			placed = append(placed, f)
		}
	}
	slices.SortStableFunc(placed, func(a, b *fit) int {
		return cmp.Or(cmp.Compare(a.at+a.first, b.at+b.first), cmp.Compare(a.at+a.end, b.at+b.end))
	})
	var last *fit
	for _, f := range placed {
		if last == nil || below(last, last.at, f, f.at) {
			last = f
			continue
		}
		loser := f
		if f.order < last.order {
			loser, last = last, f
		}
		loser.at, loser.reason = nowhere, "its place is taken by another hunk of the patch"
	}
}
