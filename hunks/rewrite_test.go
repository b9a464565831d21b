package hunks

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestRewrite(t *testing.T) {
	for _, test := range []struct {
		name, base, modified string
		shown                []string
		lines                []string
		want                 string // with all applied; "" when it is refused
	}{
		{"a changed line", "a\nb\nc\n", "a\nB\nc\n", []string{"B"}, []string{"bee"}, "a\nbee\nc\n"},
		{"more lines", "a\nb\nc\n", "a\nB\nc\n", []string{"B"}, []string{"1", "2", "3"}, "a\n1\n2\n3\nc\n"},
		{"none", "a\nb\nc\n", "a\nB\nc\n", []string{"B"}, nil, "a\nc\n"},
		{"an insertion", "a\nc\n", "a\nb\nc\n", []string{"b"}, []string{"x", "y"}, "a\nx\ny\nc\n"},
		{"a deletion kept in part", "a\nb\nc\nd\n", "a\nd\n", []string{}, []string{"c"}, "a\nc\nd\n"},
		{"what is between two changes", "a\nb\nc\nd\n", "A\nb\nc\nD\n", []string{"A", "b", "c", "D"}, []string{"A", "B", "c", "d"}, "A\nB\nc\nd\n"},
		{"no newline at the end", "a\nb", "a\nB", []string{"B"}, []string{"bee", "x"}, "a\nbee\nx"},
		{"a newline that comes", "a\nb", "a\nb\nc\n", []string{"b", "c"}, []string{"b", "x"}, "a\nb\nx\n"},
		{"an empty line", "a\nb\n", "a\nB\n", []string{"B"}, []string{""}, "a\n\n"},
		{"nothing is changed", "a\nb\n", "a\nB\n", []string{"B"}, []string{"b"}, ""},
		{"a new file", "", "a\nb\n", []string{"a", "b"}, []string{"x"}, "x\n"},
		{"all gone", "a\nb\n", "", []string{}, []string{"b"}, "b\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := Diff(Text{Body: test.base}, test.modified)
			if got := p.NewLines(1); !slices.Equal(got, test.shown) {
				t.Errorf("the lines are %q, want %q", got, test.shown)
			}
			h := p.Rewrite(1, test.lines)
			if test.want == "" {
				if h != nil || p.Compose(all) != test.modified || len(p.Hunks) != 1 || p.Hunks[0].ID != 1 {
					t.Errorf("should be refused: %+v", h)
				}
				return
			}
			if h == nil || h.ID == 1 || p.Hunk(h.ID) != h || p.Compose(all) != test.want || p.Modified != test.want {
				t.Fatalf("is %q, want %q", p.Compose(all), test.want)
			}
			if got := p.NewLines(h.ID); strings.Join(got, "\n") != strings.Join(test.lines, "\n") {
				t.Logf("the lines are now %q", got) // less of them where a line at the edge is as it was
			}
			checkIDs(t, p)
			checkPure(t, p)
			checkTools(t, p)
		})
	}
	if p := Diff(Text{}, "a\n"); p.Rewrite(7, nil) != nil || p.NewLines(7) != nil {
		t.Error("there is no hunk 7")
	}
}

// TestRewriteAnything: any hunk of any patch, whole or a part of one, can be rewritten; the others stay as they are.
func TestRewriteAnything(t *testing.T) {
	done := 0
	for seed := range 500 {
		r := rand.New(rand.NewPCG(13, uint64(seed)))
		p := randomPatch(r, 30)
		for range 4 {
			if len(p.Hunks) == 0 {
				break
			}
			h := p.Hunks[r.IntN(len(p.Hunks))]
			if r.IntN(2) == 0 {
				var rows []int
				for i := range 20 {
					if r.IntN(2) == 0 {
						rows = append(rows, i)
					}
				}
				p.SplitLines(h.ID, p.ChangesAt(h.ID, rows))
				continue
			}
			lines := p.NewLines(h.ID)
			if len(lines) > 0 && r.IntN(2) == 0 {
				lines = slices.Delete(lines, 0, 1)
			} else {
				lines = append(lines, "mine")
			}
			if p.Rewrite(h.ID, lines) != nil {
				done++
			}
			checkIDs(t, p)
			checkAlone(t, r, p)
			checkParts(t, p)
		}
	}
	if done < 300 {
		t.Errorf("only %d were rewritten", done)
	}
}
