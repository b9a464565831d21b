package hunks

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// checkIDs checks that the ids of a patch are all different.
func checkIDs(t *testing.T, p *Patch) {
	t.Helper()
	hunks, blocks := map[int]bool{}, map[int]bool{}
	for _, h := range p.Hunks {
		if hunks[h.ID] {
			t.Fatalf("two hunks have id %d", h.ID)
		}
		hunks[h.ID] = true
		for _, b := range h.Blocks {
			if blocks[b.ID] {
				t.Fatalf("two blocks have id %d", b.ID)
			}
			blocks[b.ID] = true
		}
	}
}

// checkAlone checks each hunk without the others, and some choices of them.
func checkAlone(t *testing.T, r *rand.Rand, p *Patch) {
	t.Helper()
	for _, h := range p.Hunks {
		alone := p.Select(func(id int) bool { return id == h.ID })
		checkPure(t, alone)
		f, want := *h.Fragment, *alone.Hunks[0].Fragment
		if f.NewPosition = want.NewPosition; f.Header() != want.Header() || !slices.Equal(f.Lines, want.Lines) {
			t.Fatalf("hunk %d is %s, alone it is %s", h.ID, f.String(), want.String())
		}
	}
	for range 3 {
		checkPure(t, p.Select(subset(r, p)))
	}
	if got := p.Compose(none); got != p.Base.Body {
		t.Fatalf("nothing applied is %q, want %q", got, p.Base.Body)
	}
	if got := p.Compose(all); got != p.Modified {
		t.Fatalf("all applied is %q, want %q", got, p.Modified)
	}
	checkPure(t, p.Select(all))
}

// TestSplit: a patch of which all hunks are split is printed as one that applies, and so is any choice of its hunks.
func TestSplit(t *testing.T) {
	runs, split, tools := 3000, 0, 0
	if testing.Short() {
		runs = 300
	}
	for seed := range runs {
		r := rand.New(rand.NewPCG(10, uint64(seed)))
		p := randomPatch(r, 60)
		if r.IntN(3) == 0 {
			p = p.Select(subset(r, p))
		}
		for _, h := range p.Hunks {
			parts := p.Split(h.ID)
			if parts == nil {
				continue
			}
			split++
			var blocks []Block
			for _, part := range parts {
				blocks = append(blocks, part.Blocks...)
				if p.Hunk(part.ID) != part || p.Split(part.ID) != nil && len(part.Blocks) == 1 {
					t.Fatalf("part %d is not in the patch, or is split again", part.ID)
				}
			}
			if len(blocks) != len(h.Blocks) || p.Hunk(h.ID) != nil {
				t.Fatalf("seed %d: %d blocks became %d, or the hunk is still there", seed, len(h.Blocks), len(blocks))
			}
		}
		checkIDs(t, p)
		checkPure(t, p)
		checkAlone(t, r, p)
		if len(p.Hunks) > 2 && tools < 25 && !testing.Short() {
			tools++
			checkTools(t, p)
			checkTools(t, p.Select(subset(r, p)))
			checkTools(t, p.Select(func(id int) bool { return id == p.Hunks[len(p.Hunks)/2].ID }))
		}
	}
	if split < runs/3 {
		t.Errorf("only %d hunks were split", split)
	}
}

// changed gives the removed and added lines of hunks of p when only they are applied.
func changed(p *Patch, hunks []*Hunk) (removed, added []string) {
	alone := p.Select(func(id int) bool {
		return slices.ContainsFunc(hunks, func(h *Hunk) bool { return h.ID == id })
	})
	for _, h := range alone.Hunks {
		for _, l := range h.Fragment.Lines {
			switch l.Op {
			case gitdiff.OpDelete:
				removed = append(removed, l.Line)
			case gitdiff.OpAdd:
				added = append(added, l.Line)
			}
		}
	}
	return removed, added
}

// printedLines are the lines that the hunk has in the printed patch.
func printedLines(p *Patch, h *Hunk) []string {
	printed := p.Print("f", "f")
	span := printed.Hunks[slices.Index(p.Hunks, h)]
	return strings.SplitAfter(printed.Text, "\n")[span.Line : span.Line+span.Lines]
}

// checkParts: a divided patch is printed as the text of the whole that applies, and its hunks are in it one after the
// other, each with its own changes.
func checkParts(t *testing.T, p *Patch) {
	t.Helper()
	printed := p.Print("f", "f")
	if want := p.Select(all).Print("f", "f").Text; printed.Text != want {
		t.Fatalf("printed as\n%s\nwant\n%s", printed.Text, want)
	}
	lines, next := strings.SplitAfter(printed.Text, "\n"), 2
	for i, span := range printed.Hunks {
		h := p.Hunks[i]
		if span.ID != h.ID || span.Line != next || span.Inner == strings.HasPrefix(lines[span.Line], "@@ ") {
			t.Fatalf("hunk %d is said to be at %+v, want line %d", h.ID, span, next)
		}
		next += span.Lines
		if p.Base.BOM || p.Base.CRLF {
			continue
		}
		var got, want []string
		for _, l := range lines[span.Line:next] {
			if l[0] == '-' || l[0] == '+' {
				got = append(got, l)
			}
		}
		for _, b := range h.Blocks {
			for _, l := range b.Old {
				want = append(want, "-"+strings.TrimSuffix(l, "\n")+"\n")
			}
			for _, l := range b.New {
				want = append(want, "+"+strings.TrimSuffix(l, "\n")+"\n")
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("hunk %d has the lines\n%q\nwant\n%q", h.ID, got, want)
		}
	}
	if next != len(lines)-1 && len(p.Hunks) > 0 {
		t.Fatalf("%d lines for %d", next, len(lines)-1)
	}
}

// TestSplitLines: any selection of lines, and the selection of lines of what is left, again and again.
func TestSplitLines(t *testing.T) {
	runs, divided, tools := 3000, 0, 0
	if testing.Short() {
		runs = 300
	}
	for seed := range runs {
		r := rand.New(rand.NewPCG(11, uint64(seed)))
		p := randomPatch(r, 30)
		for range 4 {
			if len(p.Hunks) == 0 {
				break
			}
			h := p.Hunks[r.IntN(len(p.Hunks))]
			var selected []int
			var removed, added []string
			whole := true
			for i, l := range printedLines(p, h) {
				whole = whole && !strings.HasPrefix(l, "\\")
				if r.IntN(3) > 0 {
					continue
				}
				selected = append(selected, i)
				switch l[0] {
				case '-':
					removed = append(removed, l[1:])
				case '+':
					added = append(added, l[1:])
				}
			}
			chosen, rest := p.SplitLines(h.ID, p.ChangesAt(h.ID, selected))
			if (chosen == nil) != (rest == nil) {
				t.Fatalf("%d chosen, %d left", len(chosen), len(rest))
			}
			if chosen == nil {
				continue
			}
			divided++
			if whole && !p.Base.BOM && !p.Base.CRLF {
				gotRemoved, gotAdded := changed(p, chosen)
				if !slices.Equal(gotRemoved, removed) || !slices.Equal(gotAdded, added) {
					t.Fatalf("seed %d: removed %q added %q, want %q and %q", seed, gotRemoved, gotAdded, removed, added)
				}
			}
			checkIDs(t, p)
			checkAlone(t, r, p)
			checkParts(t, p)
		}
		if len(p.Hunks) > 2 && tools < 25 && !testing.Short() {
			tools++
			checkTools(t, p.Select(all))
			checkTools(t, p.Select(subset(r, p)))
		}
	}
	if divided < runs/3 {
		t.Errorf("only %d hunks were divided", divided)
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("a\nb\nc\nd\n", "A\nb\nC\nx\n", uint64(5), false)
	f.Add("", "a\nb\nc", uint64(2), false)
	f.Add("a\nb\n", "x\na\ny\nb\nz\n", uint64(10), true)
	f.Fuzz(func(t *testing.T, base, modified string, selected uint64, bom bool) {
		p := Diff(Text{Body: base, BOM: bom}, modified)
		r := rand.New(rand.NewPCG(12, selected))
		for _, h := range p.Hunks {
			var rows []int
			for i := range 64 {
				if selected&(1<<i) != 0 {
					rows = append(rows, i)
				}
			}
			p.SplitLines(h.ID, p.ChangesAt(h.ID, rows))
		}
		checkAlone(t, r, p)
		checkParts(t, p)
		for _, h := range p.Hunks {
			p.Split(h.ID)
		}
		checkIDs(t, p)
		checkAlone(t, r, p)
	})
}

func TestSplitLinesCases(t *testing.T) {
	for _, test := range []struct {
		name           string
		base           Text
		modified       string
		selected       []int
		chosen, rest   string // what the file is with only these
		hunks          int
		unchangedHunks bool
	}{
		{"a pair", Text{Body: "a\nb\n"}, "A\nB\n", []int{1, 3}, "A\nb\n", "a\nB\n", 2, false},
		{"the other pair", Text{Body: "a\nb\n"}, "A\nB\n", []int{2, 4}, "a\nB\n", "A\nb\n", 2, false},
		{"only a removed line", Text{Body: "a\nb\n"}, "A\nB\n", []int{2}, "a\n", "A\nB\nb\n", 2, false},
		{"only an added line", Text{Body: "a\n"}, "A\n", []int{2}, "a\nA\n", "", 2, false},
		{"lines of a new file", Text{Missing: true}, "1\n2\n3\n", []int{2}, "2\n", "1\n3\n", 3, false},
		{"the second line and its new text", Text{Body: "x\na\n"}, "A\n", []int{2, 3}, "x\nA\n", "a\n", 2, false},
		{"the mark of no newline", Text{Body: "x\na\nb"}, "X\na\nc", []int{7}, "x\na\nc", "X\na\nb", 2, false},
		{"no newline", Text{Body: "a"}, "a\nb", []int{1}, "", "", 1, true},
		{"everything", Text{Body: "a\n"}, "b\n", []int{1, 2}, "", "", 1, true},
		{"nothing", Text{Body: "a\n"}, "b\n", []int{0, 5, -1, 99}, "", "", 1, true},
		{"context", Text{Body: "x\na\n"}, "x\nb\n", []int{1}, "", "", 1, true},
		{"with a mark", Text{Body: "a\nb\n", BOM: true}, "x\na\nB\n", []int{1}, "x\na\nb\n", "a\nB\n", 2, false},
		{"the mark's second line is context", Text{Body: "a\nb\n", BOM: true}, "x\na\nB\n", []int{4, 5}, "a\nB\n", "x\na\nb\n", 2, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := Diff(test.base, test.modified)
			before := p.Print("f", "f").Text
			chosen, rest := p.SplitLines(1, p.ChangesAt(1, test.selected))
			if len(p.Hunks) != test.hunks {
				t.Errorf("%d hunks", len(p.Hunks))
			}
			if test.unchangedHunks {
				if chosen != nil || rest != nil || p.Print("f", "f").Text != before {
					t.Errorf("divided in %d and %d", len(chosen), len(rest))
				}
				return
			}
			only := func(hunks []*Hunk) string {
				return p.Compose(func(id int) bool {
					return slices.ContainsFunc(hunks, func(h *Hunk) bool { return h.ID == id })
				})
			}
			if got := only(chosen); got != test.chosen {
				t.Errorf("chosen: %q, want %q", got, test.chosen)
			}
			if got := only(rest); got != test.rest {
				t.Errorf("rest: %q, want %q", got, test.rest)
			}
			checkTools(t, p.Select(all))
		})
	}
}

// TestSelectJoins: hunks that touch are one hunk of a selection, by the id of the first.
func TestSelectJoins(t *testing.T) {
	p := Diff(Text{BOM: true}, "1\n2\n3\n")
	p.SplitLines(1, p.ChangesAt(1, []int{4}))
	if len(p.Hunks) != 3 {
		t.Fatalf("%d hunks", len(p.Hunks))
	}
	for _, test := range []struct {
		keep []int
		text string
	}{
		{[]int{0, 1, 2}, "@@ -1 +1,3 @@\n-\uFEFF\n" + noNewline + "+\uFEFF1\n+2\n+3\n"},
		{[]int{1, 2}, "@@ -1 +1,2 @@\n-\uFEFF\n" + noNewline + "+\uFEFF2\n+3\n"},
	} {
		joined := p.Select(func(id int) bool {
			return slices.ContainsFunc(test.keep, func(i int) bool { return p.Hunks[i].ID == id })
		})
		printed, want := joined.Print("f", "f"), p.Hunks[test.keep[0]].ID
		if len(joined.Hunks) != 1 || joined.Hunks[0].ID != want || printed.Hunks[0].ID != want {
			t.Errorf("%d hunks, the first is %d, printed %+v, want %d", len(joined.Hunks), joined.Hunks[0].ID, printed.Hunks, want)
		}
		if printed.Text != "--- a/f\n+++ b/f\n"+test.text {
			t.Errorf("%s", printed.Text)
		}
	}
}

// TestSplitRefuses: what cannot be divided stays as it is.
func TestSplitRefuses(t *testing.T) {
	for _, test := range []struct{ name, base, modified string }{
		{"one block", "a\nb\n", "a\nB\n"},
		{"one line for two insertions", "b\n", "x\nb\ny\n"},
	} {
		p := Diff(Text{Body: test.base}, test.modified)
		if parts := p.Split(1); parts != nil || len(p.Hunks) != 1 {
			t.Errorf("%s: %d parts", test.name, len(parts))
		}
	}
	p, err := Place(Text{Body: poemWith(20, 10, "zehn\n")}, poem(20), strings.Replace(poemWith(20, 10, "ten\n"), "this is line number 2\n", "two\n", 1))
	if err != nil {
		t.Fatal(err)
	}
	if p.Split(2) != nil || p.Split(99) != nil {
		t.Error("a hunk in conflict was split")
	}
	if a, b := p.SplitLines(2, []int{4}); a != nil || b != nil {
		t.Error("a hunk in conflict was divided")
	}
}
