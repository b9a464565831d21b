package hunks

import (
	"slices"
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

// A proposed file is mostly the file. Where the two are the same for long, nothing is left to compare: only the segments
// between are, each with enough of the same lines around it for the diff to choose a good place for its hunks.

const (
	// fastLines is how many lines both texts may have together before the shortest diff is not looked for any more: that
	// can take minutes where they have little in common.
	fastLines = 100_000
	// slackLines is how many equal lines a segment has at least on either side, where there are as many.
	slackLines = 8
	// syncLines is how many lines one after the other must be equal for the texts to be in step again.
	syncLines = 8
	// syncReach is how many lines of either text are passed over for that at the most: syncLines times a power of 4.
	syncReach = 512
	// syncBudget is how many pairs of lines are compared for that, for each kilobyte of the texts, before the rest is one
	// segment: where that much differs, looking for what does not is no gain.
	syncBudget = 50
	// smallText is how many bytes both texts may have together to be compared as they are, which takes no time.
	smallText = 1 << 16
)

// textHunks are the hunks that turn x into y, as the library finds them in the segments.
func textHunks(x, y string, context int) []textdiff.Hunk[string] {
	size := len(x) + len(y)
	if size < smallText {
		return libraryHunks(x, y, context)
	}
	return segmentHunks(x, y, context, size/1024*syncBudget)
}

// segmentHunks are the hunks of the segments. A change that could stand in many places, among lines that repeat, may have come
// to stand at the edge of its segment: then both texts are compared as a whole.
func segmentHunks(x, y string, context, budget int) []textdiff.Hunk[string] {
	found := partHunks(segments(x, y, context, budget), context)
	if !inContext(found, context, CountLines(x)) {
		return libraryHunks(x, y, context)
	}
	return found
}

// inContext says whether each hunk has context lines around its changes, but for the beginning and the end of the text,
// which has so many lines.
func inContext(found []textdiff.Hunk[string], context, lines int) bool {
	for i := range found {
		h := &found[i]
		isChange := func(e textdiff.Edit[string]) bool { return e.Op != diff.Match }
		first := h.Edits[:min(context, len(h.Edits))]
		last := h.Edits[len(h.Edits)-len(first):]
		if h.LineNoX > 0 && slices.ContainsFunc(first, isChange) || h.EndLineNoX < lines && slices.ContainsFunc(last, isChange) {
			return false
		}
	}
	return true
}

func partHunks(parts []segment, context int) []textdiff.Hunk[string] {
	// A call costs as much as a hundred lines do.
	if found := joinedHunks(parts, context); found != nil {
		return found
	}
	var found []textdiff.Hunk[string]
	for _, part := range parts {
		for _, h := range libraryHunks(part.x, part.y, context) {
			found = append(found, moved(h, part.lineX, part.lineY))
		}
	}
	return found
}

func libraryHunks(x, y string, context int) []textdiff.Hunk[string] {
	options := []textdiff.Option{textdiff.IndentHeuristic(), diff.Context(context)}
	if strings.Count(x, "\n")+strings.Count(y, "\n") > fastLines {
		options = append(options, diff.Fast())
	}
	return textdiff.Hunks(x, y, options...)
}

func moved(h textdiff.Hunk[string], linesX, linesY int) textdiff.Hunk[string] {
	h.LineNoX, h.EndLineNoX = h.LineNoX+linesX, h.EndLineNoX+linesX
	h.LineNoY, h.EndLineNoY = h.LineNoY+linesY, h.EndLineNoY+linesY
	return h
}

// joinedHunks finds the hunks of all parts at once, as if the parts stood one behind the other. It is nil when the library
// has matched lines of different parts.
func joinedHunks(parts []segment, context int) []textdiff.Hunk[string] {
	var x, y strings.Builder
	var sizeX, sizeY int
	for _, part := range parts {
		sizeX, sizeY = sizeX+len(part.x), sizeY+len(part.y)
	}
	x.Grow(sizeX)
	y.Grow(sizeY)
	for _, part := range parts {
		x.WriteString(part.x)
		y.WriteString(part.y)
	}
	found := libraryHunks(x.String(), y.String(), context)
	out := found
	startX, startY := 0, 0
	for _, part := range parts {
		endX, endY := startX+CountLines(part.x), startY+CountLines(part.y)
		more := 0 // lines that the hunks so far add
		for len(found) > 0 {
			h := found[0]
			if h.LineNoX < startX || h.LineNoY < startY || h.EndLineNoX > endX || h.EndLineNoY > endY {
				break
			}
			more += h.EndLineNoY - h.LineNoY - (h.EndLineNoX - h.LineNoX)
			found[0] = moved(h, part.lineX-startX, part.lineY-startY)
			found = found[1:]
		}
		if more != endY-startY-(endX-startX) {
			return nil
		}
		startX, startY = endX, endY
	}
	if len(found) > 0 {
		return nil
	}
	return out
}

// segment is a part of each of two texts. What is before, between and behind the segments is the same in both.
type segment struct {
	x, y         string
	lineX, lineY int // its first line in each text, from 0
}

// segments are the parts in which x and y differ, with more than context lines around each difference: also when they stand
// one behind the other, hunks of different segments are not joined. budget is how many pairs of lines may be compared.
func segments(x, y string, context, budget int) []segment {
	s := scanner{x: x, y: y, slack: max(context+1, slackLines), budget: budget}
	for s.step() {
	}
	return s.found
}

// scanner goes through two texts in step.
type scanner struct {
	x, y   string
	slack  int
	budget int
	found  []segment

	atX, atY     int // bytes of whole lines that are behind it
	lineX, lineY int
	open         bool    // a segment has begun and not ended
	first        segment // where the open one began; its texts are the rest from there on
}

// step passes the equal lines that come next and the difference behind them. It returns false at the end.
func (s *scanner) step() bool {
	restX, restY := s.x[s.atX:], s.y[s.atY:]
	size := commonLines(restX, restY)
	same := restX[:size]
	count := CountLines(same)
	if s.open && count > 2*s.slack {
		s.close(firstLines(same, s.slack))
	}
	ended := size == len(restX) && size == len(restY)
	if !s.open && !ended {
		back := len(same) - lastLines(same, s.slack)
		passed := count - CountLines(same[back:])
		s.open = true
		s.first = segment{x: restX[back:], y: restY[back:], lineX: s.lineX + passed, lineY: s.lineY + passed}
	}
	s.atX, s.atY, s.lineX, s.lineY = s.atX+size, s.atY+size, s.lineX+count, s.lineY+count
	if ended {
		if s.open {
			s.close(0)
		}
		return false
	}
	sizeX, sizeY, found := s.sync(s.x[s.atX:], s.y[s.atY:])
	s.lineX += CountLines(s.x[s.atX : s.atX+sizeX])
	s.lineY += CountLines(s.y[s.atY : s.atY+sizeY])
	s.atX, s.atY = s.atX+sizeX, s.atY+sizeY
	if !found {
		s.close(0)
	}
	return found
}

// close ends the open segment so many bytes from here on.
func (s *scanner) close(behind int) {
	seg := s.first
	seg.x = seg.x[:len(seg.x)-(len(s.x)-s.atX-behind)]
	seg.y = seg.y[:len(seg.y)-(len(s.y)-s.atY-behind)]
	s.found, s.open = append(s.found, seg), false
}

// sync finds the nearest place where two texts that differ in their first line are in step again: how many bytes of each
// come before. Where there is none within reach, that is all of them.
func (s *scanner) sync(x, y string) (sizeX, sizeY int, found bool) {
	for reach := syncLines; reach <= syncReach; reach *= 4 {
		near := junction{x: newLines(x, reach+syncLines), y: newLines(y, reach+syncLines)}
		for distance := 1; distance <= 2*reach; distance++ {
			for i := max(0, distance-reach); i <= min(distance, reach); i++ {
				if s.budget--; s.budget < 0 {
					return len(x), len(y), false
				}
				if near.inStep(i, distance-i) {
					return near.x.start(i), near.y.start(distance - i), true
				}
			}
		}
	}
	return len(x), len(y), false
}

// junction is where two texts are looked at to be brought in step again.
type junction struct {
	x, y lines
}

// inStep says whether line i of x and line j of y begin a run of equal lines that is long enough, or goes on to the end of
// both. A run that is elsewhere too brings nothing in step: where lines repeat, more than one way to go on looks right.
func (w *junction) inStep(i, j int) bool {
	if !sameRun(&w.x, i, &w.y, j) {
		return false
	}
	for k := range w.x.ends {
		if k != i && sameRun(&w.x, k, &w.x, i) {
			return false
		}
	}
	for k := range w.y.ends {
		if k != j && sameRun(&w.y, k, &w.y, j) {
			return false
		}
	}
	return true
}

// sameRun says whether syncLines lines from line i of a on are the same as those from line j of b, or fewer that end both.
func sameRun(a *lines, i int, b *lines, j int) bool {
	if i > len(a.ends) || j > len(b.ends) {
		return false
	}
	for n := range syncLines {
		endA, endB := i+n == len(a.ends), j+n == len(b.ends)
		if endA || endB {
			return endA && endB
		}
		if a.line(i+n) != b.line(j+n) {
			return false
		}
	}
	return true
}

// lines are the first lines of a text.
type lines struct {
	text string
	ends []int // where they end
}

func newLines(text string, most int) lines {
	l := lines{text: text, ends: make([]int, 0, most)}
	for at := 0; at < len(text) && len(l.ends) < most; {
		at += lineEnd(text[at:])
		l.ends = append(l.ends, at)
	}
	return l
}

func (l *lines) line(i int) string { return l.text[l.start(i):l.ends[i]] }

func (l *lines) start(i int) int {
	if i == 0 {
		return 0
	}
	return l.ends[i-1]
}

// firstLines is how many bytes the first n lines of a text have.
func firstLines(text string, n int) int {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		at += lineEnd(text[at:])
	}
	return at
}

// lastLines is how many bytes the last n lines of a text have.
func lastLines(text string, n int) int {
	at := len(text)
	for ; n > 0 && at > 0; n-- {
		at = strings.LastIndexByte(text[:at-1], '\n') + 1
	}
	return len(text) - at
}

// commonLines is how many bytes of whole lines two texts have in common at their beginning. A line goes with its newline.
func commonLines(x, y string) int {
	n := commonPrefix(x, y)
	if n == len(x) && n == len(y) {
		return n
	}
	return strings.LastIndexByte(x[:n], '\n') + 1
}

// commonPrefix is how many bytes two texts have in common at their beginning.
func commonPrefix(x, y string) int {
	n, at := min(len(x), len(y)), 0
	for size := 1 << 12; size > 0; {
		if at+size <= n && x[at:at+size] == y[at:at+size] {
			at += size
		} else {
			size /= 2
		}
	}
	return at
}
