package hunks

import "unicode"

// lexicon gives every distinct line a number, so that lines of several texts are compared as numbers.
type lexicon map[string]int32

// index is a text's lines as numbers, and where each of them is.
type index struct {
	lines []string
	ids   []int32
	first []int32 // by id: where its positions begin in at; one more at the end
	at    []int32 // positions, ascending for each id
	steps int     // how many more lines may be compared: a guard against texts made to be slow
}

// maxSteps bounds the lines that are compared in one search for places: far more than any real text needs.
const maxSteps = 50_000_000

// maxHits is where counting the places of a pattern ends.
const maxHits = 1000

// newIndex numbers and indexes the lines of body.
func newIndex(words lexicon, body string) *index {
	x := &index{lines: splitLines(body), steps: maxSteps}
	x.ids = make([]int32, len(x.lines))
	for i, l := range x.lines {
		id, ok := words[l]
		if !ok {
			id = int32(len(words))
			words[l] = id
		}
		x.ids[i] = id
	}
	x.first = make([]int32, len(words)+1)
	for _, id := range x.ids {
		x.first[id+1]++
	}
	for i := 1; i < len(x.first); i++ {
		x.first[i] += x.first[i-1]
	}
	x.at = make([]int32, len(x.ids))
	next := make([]int32, len(words))
	for i, id := range x.ids {
		x.at[x.first[id]+next[id]] = int32(i)
		next[id]++
	}
	return x
}

// positions are the lines with this id.
func (x *index) positions(id int32) []int32 {
	if int(id) >= len(x.first)-1 {
		return nil // a line of a text that was numbered later
	}
	return x.at[x.first[id]:x.first[id+1]]
}

// find counts the places where the pattern's lines stand, and gives the first of them, -1 for none. A pattern without
// lines stands nowhere. Counting ends at maxHits; when the steps have run out, that is the count.
func (x *index) find(pattern []int32) (line, count int) {
	if len(pattern) == 0 {
		return -1, 0
	}
	rare, places := 0, x.positions(pattern[0])
	for i, id := range pattern[1:] {
		if p := x.positions(id); len(p) < len(places) {
			rare, places = i+1, p
		}
	}
	line = -1
	for _, at := range places {
		start := int(at) - rare
		n := x.common(start, pattern)
		if x.steps -= n + 1; x.steps < 0 {
			return -1, maxHits
		}
		if n < len(pattern) {
			continue
		}
		if count == 0 {
			line = start
		}
		count++
		if count == maxHits {
			break
		}
	}
	return line, count
}

// has says whether the pattern stands at line start.
func (x *index) has(start int, pattern []int32) bool { return x.common(start, pattern) == len(pattern) }

// common is how many of the pattern's first lines are those from line start on. It is -1 where the text has no room for all
// of them.
func (x *index) common(start int, pattern []int32) int {
	if start < 0 || start+len(pattern) > len(x.ids) {
		return -1
	}
	for i, id := range pattern {
		if x.ids[start+i] != id {
			return i
		}
	}
	return len(pattern)
}

// window is the lines from start to end with up to k lines on each side; lead is how many come before start.
func (x *index) window(start, end, k int) (pattern []int32, lead int) {
	from := max(0, start-k)
	return x.ids[from:min(len(x.ids), end+k)], start - from
}

// distinctive says whether lines say enough to know them again: a lone brace or blank line does not.
func (x *index) distinctive(start, end int) bool {
	n, word := 0, false
	for _, l := range x.lines[max(0, start):min(len(x.lines), end)] {
		for _, c := range l {
			if unicode.IsSpace(c) {
				continue
			}
			n++
			word = word || unicode.IsLetter(c) || unicode.IsDigit(c)
			if word && n >= enough {
				return true
			}
		}
	}
	return false
}

// enough is how many characters that are no blanks make lines distinctive.
const enough = 10

// shares says whether any line of x is in y.
func (x *index) shares(y *index) bool {
	for _, id := range x.ids {
		if len(y.positions(id)) > 0 {
			return true
		}
	}
	return false
}
