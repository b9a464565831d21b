package hunks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

// apply turns x into what the hunks say, and fails when x is not what they say.
func apply(t *testing.T, x string, found []textdiff.Hunk[string], context int) string {
	t.Helper()
	lines := splitLines(x)
	var out strings.Builder
	at, made := 0, 0 // lines of x and of the result
	for i, h := range found {
		if h.LineNoX < at || h.EndLineNoX > len(lines) || (i > 0 && h.LineNoX == at) {
			t.Fatalf("hunk %d from line %d to %d: %d lines are done, there are %d", i, h.LineNoX, h.EndLineNoX, at, len(lines))
		}
		for ; at < h.LineNoX; at++ {
			out.WriteString(lines[at])
			made++
		}
		if made != h.LineNoY {
			t.Fatalf("hunk %d is at line %d of the result, and says %d", i, made, h.LineNoY)
		}
		leading := slices.IndexFunc(h.Edits, func(e textdiff.Edit[string]) bool { return e.Op != diff.Match })
		if leading != min(context, h.LineNoX+leading) {
			t.Fatalf("hunk %d has %d lines of context, not %d", i, leading, context)
		}
		for _, e := range h.Edits {
			if e.Op != diff.Insert {
				if lines[at] != e.Line {
					t.Fatalf("hunk %d: line %d is %q, not %q", i, at, lines[at], e.Line)
				}
				at++
			}
			if e.Op != diff.Delete {
				out.WriteString(e.Line)
				made++
			}
		}
		if at != h.EndLineNoX || made != h.EndLineNoY {
			t.Fatalf("hunk %d ends at lines %d and %d, and says %d and %d", i, at, made, h.EndLineNoX, h.EndLineNoY)
		}
	}
	return out.String() + strings.Join(lines[at:], "")
}

// changes counts the lines that hunks take away and add.
func changes(found []textdiff.Hunk[string]) int {
	n := 0
	for _, h := range found {
		for _, e := range h.Edits {
			if e.Op != diff.Match {
				n++
			}
		}
	}
	return n
}

// edited changes some runs of a text's lines: removed, replaced, repeated, moved.
func edited(random *rand.Rand, lines []string, edits int) []string {
	lines = slices.Clone(lines)
	for range edits {
		at := random.IntN(len(lines) + 1)
		end := min(len(lines), at+random.IntN(12))
		run := slices.Clone(lines[at:end])
		switch random.IntN(4) {
		case 0:
			lines = slices.Delete(lines, at, end)
		case 1:
			for i := range run {
				run[i] = fmt.Sprintf("new %d\n", random.IntN(50))
			}
			lines = slices.Replace(lines, at, end, run...)
		case 2:
			lines = slices.Insert(lines, at, run...)
		default:
			lines = slices.Delete(lines, at, end)
			lines = slices.Insert(lines, random.IntN(len(lines)+1), run...)
		}
	}
	return lines
}

// Whatever a text's lines are, the hunks make the other text of it, and are not more than the library finds alone.
func TestSegments(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, vocabulary := range []int{1, 2, 40, 2_000, 1_000_000} {
		ours, library := 0, 0
		for round := range 12 {
			lines := make([]string, 3000)
			for i := range lines {
				lines[i] = fmt.Sprintf("%d of the lines of a text\n", random.IntN(vocabulary))
			}
			other := edited(random, lines, 1+round*round)
			x, y := strings.Join(lines, ""), strings.Join(other, "")
			if round%3 == 1 {
				x = dropNewline(x)
			}
			if round%4 == 2 {
				y = dropNewline(y)
			}
			context := []int{3, 0, 20}[round%3]
			found := textHunks(x, y, context)
			if got := apply(t, x, found, context); got != y {
				t.Fatalf("vocabulary %d, round %d: the hunks make another text", vocabulary, round)
			}
			ours += changes(found)
			library += changes(libraryHunks(x, y, context))
		}
		if ours > library+library/50 {
			t.Errorf("vocabulary %d: %d lines are changed, the library changes %d", vocabulary, ours, library)
		}
	}
}

// A change keeps its context, wherever among lines that repeat it comes to stand.
func TestSegmentsInContext(t *testing.T) {
	repeated, rest := strings.Repeat("a\n", 20), poem(4000)
	for seed := range 100 {
		random := rand.New(rand.NewPCG(9, uint64(seed)))
		some := func() string {
			var out strings.Builder
			for range random.IntN(60) {
				out.WriteString([]string{"a\n", "a\n", "a\n", "a\n", "\n", "b\n"}[random.IntN(6)])
			}
			return out.String()
		}
		x, y := poem(5)+repeated+some()+repeated+rest, poem(5)+repeated+some()+repeated+rest
		if got := apply(t, x, textHunks(x, y, 3), 3); got != y {
			t.Fatalf("seed %d: the hunks make another text", seed)
		}
	}
}

// What is the same is not looked at.
func TestSegmentsAreSmall(t *testing.T) {
	x, y := bigTexts(10_000)
	parts := segments(x, y, contextLines, 100_000)
	total := 0
	for _, part := range parts {
		total += CountLines(part.x)
	}
	if len(parts) != 100 || total != 100*(2*slackLines+1) {
		t.Errorf("%d segments with %d lines", len(parts), total)
	}
}

func FuzzSegments(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc\n", uint8(3), uint16(100))
	f.Add(strings.Repeat("a\n", 60), strings.Repeat("a\n", 61), uint8(0), uint16(9000))
	f.Add(strings.Repeat("a\nb\n", 30)+"x", strings.Repeat("a\nb\n", 20)+"y\n", uint8(1), uint16(0))
	f.Fuzz(func(t *testing.T, x, y string, context uint8, budget uint16) {
		n := int(context % 21)
		if got := apply(t, x, segmentHunks(x, y, n, int(budget)), n); got != y {
			t.Errorf("%q should be %q", got, y)
		}
	})
}
