package hunks

import "github.com/bluekeyes/go-gitdiff/gitdiff"

// spanOf is the base lines that a hunk's blocks cover, from the first to the last, with what is between them.
func spanOf(blocks []Block) (start, end int) {
	last := &blocks[len(blocks)-1]
	return blocks[0].Line, last.Line + len(last.Old)
}

// inserts says whether blocks only add lines, at one place.
func inserts(blocks []Block) bool {
	start, end := spanOf(blocks)
	return start == end
}

// shareGap divides the unchanged lines between two hunks: at most contextLines to each, none to both. The upper hunk
// comes first, because git apply takes a hunk with no line after its changes to be at the file's end.
func shareGap(gap int) (below, above int) {
	below = min(contextLines, (gap+1)/2)
	return below, min(contextLines, gap-below)
}

// separable says whether two neighbours can be hunks of their own: git apply, patch and go-gitdiff must find each of
// them with or without the other. after is how many lines follow the lower one.
func (t Text) separable(upper, lower []Block, after int) bool {
	_, end := spanOf(upper)
	start, _ := spanOf(lower)
	if start <= end {
		return false
	}
	below, above := shareGap(start - end)
	if t.BOM && below == 1 && upper[0].Line == 0 && len(upper) == 1 && (len(upper[0].Old) == 0 || len(upper[0].New) == 0) {
		return false // the mark comes to or from the line below, which then is no context
	}
	return above > 0 || after > 0 || !inserts(lower)
}

// frame makes the fragments of separable hunks, in order of place, with their context from the base lines from..to.
// line gives a base line of that range; last says that the base ends there. New positions are those of a patch of exactly
// these hunks.
//
// A hunk followed by less context than it is preceded by must be at the file's end, to git and patch; elsewhere the
// context before it is cut to what follows it.
func frame(groups [][]Block, line func(int) string, from, to int, last bool) []*gitdiff.TextFragment {
	out := make([]*gitdiff.TextFragment, len(groups))
	shift := 0
	above := 0
	for i, blocks := range groups {
		start, end := spanOf(blocks)
		if i == 0 {
			above = min(contextLines, start-from)
		}
		below, nextAbove := min(contextLines, to-end), 0
		if i+1 < len(groups) {
			next, _ := spanOf(groups[i+1])
			below, nextAbove = shareGap(next - end)
		}
		if i+1 < len(groups) || !last {
			above = min(above, below)
		}
		out[i] = fragment(blocks, line, start-above, end+below, shift)
		shift += int(out[i].NewLines - out[i].OldLines)
		above = nextAbove
	}
	return out
}

// fragment is the hunk of blocks with its context: the base lines from first to end. shift is how many lines the hunks
// above add.
func fragment(blocks []Block, line func(int) string, first, end, shift int) *gitdiff.TextFragment {
	f := &gitdiff.TextFragment{}
	at := first
	context := func(to int) {
		for ; at < to; at++ {
			f.Lines = append(f.Lines, gitdiff.Line{Op: gitdiff.OpContext, Line: line(at)})
		}
	}
	for i := range blocks {
		context(blocks[i].Line)
		for _, s := range blocks[i].Old {
			f.Lines = append(f.Lines, gitdiff.Line{Op: gitdiff.OpDelete, Line: s})
		}
		for _, s := range blocks[i].New {
			f.Lines = append(f.Lines, gitdiff.Line{Op: gitdiff.OpAdd, Line: s})
		}
		at += len(blocks[i].Old)
	}
	context(end)
	count(f)
	f.OldPosition = position(first, end)
	f.NewPosition = position(first+shift, first+shift+int(f.NewLines))
	return f
}
