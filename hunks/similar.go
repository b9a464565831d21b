package hunks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	suggestedLines = 3    // how many similar lines an error shows
	suggestedBytes = 160  // how much of each
	leastAlike     = 0.45 // from 0, nothing in common, to 1
)

// Similar asks whether who wrote a text that is not in the body meant something else, as "Did you mean: ...?": what is the
// same but for white space or line ends, else the most similar lines to the text's first line that says something. It is ""
// when nothing is like it.
func Similar(body, text string) string {
	if body == "" {
		return ""
	}
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	wanted := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if at := sameButBlanks(lines, wanted); at >= 0 {
		what := "white space"
		if strings.Contains(text, "\r") || strings.Contains(strings.Join(lines[at:at+len(wanted)], "\n"), "\r") {
			what = "white space or line endings"
		}
		if len(wanted) == 1 {
			return fmt.Sprintf("Did you mean: line %d, which differs from it only in %s?", at+1, what)
		}
		return fmt.Sprintf("Did you mean: lines %d to %d, which differ from it only in %s?", at+1, at+len(wanted), what)
	}
	first := ""
	for _, line := range wanted {
		if len(strings.TrimSpace(line)) > len(first) && len(first) < 3 {
			first = strings.TrimSpace(line)
		}
	}
	var found []string
	for _, at := range mostAlike(lines, first) {
		line := lines[at]
		if len(line) > suggestedBytes {
			line = strings.ToValidUTF8(line[:suggestedBytes], "") + "..."
		}
		found = append(found, fmt.Sprintf("line %d: %s", at+1, strconv.Quote(line)))
	}
	if found == nil {
		return ""
	}
	return "Did you mean: " + strings.Join(found, "; ") + "?"
}

// sameButBlanks is where the wanted lines are but for the white space in them; -1 when nowhere, or when the first is blank. It
// is one search in a text: lines that repeat, compared one after the other, would take minutes.
func sameButBlanks(lines, wanted []string) int {
	if strings.TrimSpace(wanted[0]) == "" {
		return -1
	}
	before, _, found := strings.Cut(bare(lines), bare(wanted))
	if !found {
		return -1
	}
	return strings.Count(before, "\n")
}

// bare are lines without the white space at their ends, and with single blanks within. A line break is before and behind each.
func bare(lines []string) string {
	var out strings.Builder
	for _, line := range lines {
		out.WriteByte('\n')
		for i, word := range strings.Fields(line) {
			if i > 0 {
				out.WriteByte(' ')
			}
			out.WriteString(word)
		}
	}
	out.WriteByte('\n')
	return out.String()
}

// mostAlike are the indexes of the lines that share most pairs of neighbouring bytes with the text (Dice's coefficient), the
// best first.
func mostAlike(lines []string, text string) []int {
	if len(text) < 3 {
		return nil
	}
	var pairs [1 << 16]bool
	for i := 1; i < len(text); i++ {
		pairs[int(text[i-1])<<8|int(text[i])] = true
	}
	type scored struct {
		at    int
		alike float64
	}
	var best []scored
	for at, line := range lines {
		line = strings.TrimSpace(line)
		shared := 0
		for i := 1; i < len(line); i++ {
			if pairs[int(line[i-1])<<8|int(line[i])] {
				shared++
			}
		}
		alike := 2 * float64(shared) / float64(len(line)+len(text))
		if alike < leastAlike || (len(best) == suggestedLines && alike <= best[len(best)-1].alike) {
			continue
		}
		best = append(best, scored{at, alike})
		slices.SortStableFunc(best, func(a, b scored) int {
			switch {
			case a.alike > b.alike:
				return -1
			case a.alike < b.alike:
				return 1
			}
			return 0
		})
		best = best[:min(len(best), suggestedLines)]
	}
	indexes := make([]int, len(best))
	for i, s := range best {
		indexes[i] = s.at
	}
	return indexes
}
