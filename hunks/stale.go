package hunks

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrNothing says that a proposal changes nothing: the file already holds what it wants, or it wants what it has.
var ErrNothing = errors.New("the file already holds this text")

// StaleError says that the original of a proposal is not what the file holds, so that no hunk has a place. It tells how
// they differ in one of three ways: Count, Differences, or (neither) only Reason.
type StaleError struct {
	Reason      string       // one sentence of the facts; what to do next is the caller's to say
	Count       int          // how often the original occurs in the file, if that is what is wrong: more than once; 1000 at most
	Lines       []int        // on which lines it begins, counted from 0: the first few
	Differences []Difference // the first lines that differ, few
}

// Difference is a line of the original that is not what the file has at its place.
type Difference struct {
	Line int    // in the file, counted from 0
	Want string // the original's line, with its "\n"; "" when the original has no such line
	Got  string // the file's line, with its "\n"; "" when the file has ended
}

// Error is Reason, and the places or the differing lines, as one or more sentences.
func (e *StaleError) Error() string {
	var out strings.Builder
	out.WriteString(e.Reason)
	for _, d := range e.Differences {
		fmt.Fprintf(&out, " Line %d: original has %s, the file has %s.", d.Line+1, visible(d.Want, d.Got), visible(d.Got, d.Want))
	}
	return out.String()
}

// maxShown is how many characters of a line an error shows, and how many places and lines it lists.
const (
	maxShown  = 100
	maxListed = 5
)

// visible shows a line in quotes, with control and invisible characters as escapes. A long one is cut to where it begins
// to differ from other.
func visible(line, other string) string {
	if line == "" {
		return "no such line"
	}
	text, newline := strings.CutSuffix(line, "\n")
	if otherText, otherNewline := strings.CutSuffix(other, "\n"); otherText == text && newline != otherNewline && other != "" {
		if newline {
			return quoteCut(text, text) + " with a newline"
		}
		return quoteCut(text, text) + " without a newline"
	}
	return quoteCut(text, strings.TrimSuffix(other, "\n"))
}

// quoteCut quotes at most maxShown characters of text, around where it begins to differ from other.
func quoteCut(text, other string) string {
	if utf8.RuneCountInString(text) <= maxShown {
		return strconv.Quote(text)
	}
	at := 0
	for at < len(text) && at < len(other) && text[at] == other[at] {
		at++
	}
	if at == len(text) {
		at = 0
	}
	start := max(0, at-maxShown/4)
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	end, n := start, 0
	for end < len(text) && n < maxShown {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
		n++
	}
	cut := strconv.Quote(text[start:end])
	if start > 0 {
		cut = "…" + cut
	}
	if end < len(text) {
		cut += "…"
	}
	return cut
}

// severalError says that original occurs more than once in body.
func severalError(body, original string, count int) *StaleError {
	e := &StaleError{Count: count}
	var places []string
	line, from, seen := 0, 0, 0
	for at := 0; seen < count && len(places) < maxListed; at++ {
		i := strings.Index(body[at:], original)
		if i < 0 {
			break
		}
		at += i
		seen++
		line += strings.Count(body[from:at], "\n")
		from = at
		if n := len(e.Lines); n == 0 || e.Lines[n-1] != line {
			e.Lines = append(e.Lines, line)
			places = append(places, strconv.Itoa(line+1))
		}
	}
	list := "line " + places[0]
	if len(places) > 1 {
		list = "lines " + strings.Join(places, ", ")
	}
	if seen < count || count == maxHits {
		list += ", ..."
	}
	times := strconv.Itoa(count)
	if count == maxHits {
		times += " or more"
	}
	e.Reason = fmt.Sprintf("original occurs %s times in the file, at %s: give the whole file, or more of the text around it.", times, list)
	return e
}

// mismatchError says where original differs from the file. The two are compared from the place that most of original's
// lines point to, because original may be a part of the file.
func mismatchError(orig, cur *index) *StaleError {
	e := &StaleError{Reason: "original does not match the file."}
	if !orig.shares(cur) {
		e.Reason = "original does not match the file: none of its lines are there."
	}
	offset := bestOffset(orig, cur)
	for i := range orig.lines {
		d := Difference{Line: max(0, i+offset), Want: lineOr(orig.lines, i), Got: lineOr(cur.lines, i+offset)}
		if d.Want == d.Got {
			if len(e.Differences) > 0 {
				break
			}
			continue
		}
		if e.Differences = append(e.Differences, d); len(e.Differences) == maxListed {
			break
		}
	}
	return e
}

func lineOr(lines []string, i int) string {
	if i < 0 || i >= len(lines) {
		return ""
	}
	return lines[i]
}

// bestOffset is how many lines below its own place in orig most of what is unique in cur stands there.
// It is 0 when nothing is.
func bestOffset(orig, cur *index) (offset int) {
	votes := map[int]int{}
	most := 0
	for i, id := range orig.ids {
		at := cur.positions(id)
		if len(at) != 1 || len(orig.positions(id)) != 1 {
			continue
		}
		o := int(at[0]) - i
		votes[o]++
		if n := votes[o]; n > most || n == most && abs(o) < abs(offset) {
			most, offset = n, o
		}
	}
	return offset
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
