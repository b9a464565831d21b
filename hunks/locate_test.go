package hunks

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
)

// truth is where each block really is in the text with these hunks applied.
func truth(p *Patch, applied func(int) bool) map[int]Spot {
	spots := map[int]Spot{}
	shift := 0
	for _, h := range p.Hunks {
		fit := FitOld
		if applied(h.ID) {
			fit = FitNew
		}
		for _, b := range h.Blocks {
			spots[b.ID] = Spot{b.Line + shift, fit}
			if applied(h.ID) {
				shift += len(b.New) - len(b.Old)
			}
		}
	}
	return spots
}

// uniquePatch changes a text whose lines are all different.
func uniquePatch(r *rand.Rand) *Patch {
	var base, modified strings.Builder
	for i := range 20 + r.IntN(60) {
		line := fmt.Sprintf("a line called %d\n", i)
		base.WriteString(line)
		switch r.IntN(12) {
		case 0:
		case 1:
			fmt.Fprintf(&modified, "the agent's line %d\n", i)
		case 2:
			fmt.Fprintf(&modified, "the agent's line %d\n%s", i, line)
		default:
			modified.WriteString(line)
		}
	}
	return Diff(Text{Body: base.String()}, modified.String())
}

// TestLocateAll: in a text of unlike lines every block is found, whatever was applied before and is now.
func TestLocateAll(t *testing.T) {
	for seed := range 1000 {
		r := rand.New(rand.NewPCG(7, uint64(seed)))
		p := uniquePatch(r)
		before, now := subset(r, p), subset(r, p)
		if seed%3 == 0 {
			now = none // the file was loaded again
		}
		if seed%3 == 1 {
			now = before // a formatter that had nothing to do
		}
		got, _ := p.Locate(p.Compose(now), before)
		want := truth(p, now)
		missing := 0
		for id, spot := range want {
			if found, ok := got[id]; ok && found != spot {
				t.Fatalf("seed %d: block %d is at %+v, found at %+v", seed, id, spot, found)
			} else if !ok {
				missing++
			}
		}
		if seed%3 != 2 && missing > 0 {
			t.Fatalf("seed %d: %d of %d blocks not found", seed, missing, len(want))
		}
	}
}

// TestLocateNeverWrong: in texts full of repeated lines fewer blocks are found, but none where it is not.
func TestLocateNeverWrong(t *testing.T) {
	found, sought := 0, 0
	for seed := range 5000 {
		r := rand.New(rand.NewPCG(8, uint64(seed)))
		p := randomPatch(r, 60)
		before, now := subset(r, p), subset(r, p)
		current, want := p.Compose(now), truth(p, now)
		spots, _ := p.Locate(current, before)
		for id, spot := range spots {
			if spot != want[id] {
				t.Fatalf("seed %d: block %d is at %+v, found at %+v\n%s", seed, id, want[id], spot, p.Print("f", "f").Text)
			}
			found++
		}
		sought += len(want)
	}
	t.Logf("%d of %d found", found, sought)
	if found < sought/3 {
		t.Errorf("only %d of %d found", found, sought)
	}
}

// TestLocateEdited: the text was also edited around the blocks, and some blocks were edited away. In unlike lines, what is
// found is where it is, and what was edited away is not found.
func TestLocateEdited(t *testing.T) {
	found, sought := 0, 0
	for seed := range 2000 {
		r := rand.New(rand.NewPCG(9, uint64(seed)))
		p := uniquePatch(r)
		before, now := subset(r, p), subset(r, p)
		lines, spots := splitLines(p.Compose(now)), truth(p, now)
		current, want := editAround(r, p, lines, spots)
		located, _ := p.Locate(current, before)
		for id, spot := range located {
			if spot != want[id] {
				t.Fatalf("seed %d: block %d is at %+v, found at %+v\n%s\n%s", seed, id, want[id], spot, p.Print("f", "f").Text, current)
			}
			found++
		}
		sought += len(want)
	}
	if found < sought/2 {
		t.Errorf("only %d of %d found", found, sought)
	}
}

// editAround edits lines that belong to no block, and replaces some whole blocks. It gives the places of the others.
func editAround(r *rand.Rand, p *Patch, lines []string, spots map[int]Spot) (string, map[int]Spot) {
	ends, gone := map[int]int{}, map[int]bool{}
	starts := map[int][]int{}
	for _, h := range p.Hunks {
		for _, b := range h.Blocks {
			spot := spots[b.ID]
			n := len(b.Old)
			if spot.Fit == FitNew {
				n = len(b.New)
			}
			starts[spot.Line] = append(starts[spot.Line], b.ID)
			ends[b.ID] = spot.Line + n
			gone[b.ID] = n > 0 && r.IntN(6) == 0
		}
	}
	var out strings.Builder
	want := map[int]Spot{}
	at, own := 0, 0
	for i := 0; i <= len(lines); i++ {
		for _, id := range starts[i] {
			own = max(own, ends[id])
			if !gone[id] {
				want[id] = Spot{at, spots[id].Fit}
				continue
			}
			fmt.Fprintf(&out, "edited away %d\n", i)
			at++
			i = ends[id]
		}
		if i >= len(lines) {
			break
		}
		n := 1
		text := lines[i]
		if i >= own && len(starts[i+1]) == 0 && r.IntN(10) == 0 {
			text, n = fmt.Sprintf("the user's %d\nthe user's second %d\n", i, i), 2
		}
		out.WriteString(text)
		at += n
	}
	return out.String(), want
}

func TestLocateCases(t *testing.T) {
	p20 := poem(20)
	insert := Diff(Text{Body: p20}, poemWith(20, 10, "this is line number 10\nnew\n"))
	replace := Diff(Text{Body: p20}, poemWith(20, 10, "changed\n"))
	create := Diff(Text{Missing: true}, "new\n")
	ended := Diff(Text{Body: strings.TrimSuffix(p20, "\n")}, p20)
	last := Diff(Text{Body: strings.TrimSuffix(p20, "\n")}, p20+"new")
	deletion := Diff(Text{Body: "a line\nanother line\nthe old one\n}\n}\n"}, "a line\nanother line\n}\n}\n")
	conflict, err := Place(Text{Body: strings.Replace(poemWith(20, 10, "zehn\n"), "this is line number 15\n", "fünfzehn\n", 1)}, p20,
		strings.Replace(poemWith(20, 10, "ten\n"), "this is line number 2\n", "two\n", 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		p       *Patch
		applied func(int) bool
		current string
		want    map[int]Spot
	}{
		{"insertion, moved", insert, none, "x\n" + p20, map[int]Spot{1: {11, FitOld}}},
		{"insertion, applied and moved", insert, all, "x\n" + insert.Modified, map[int]Spot{1: {11, FitNew}}},
		{"insertion, loaded again", insert, all, p20, map[int]Spot{1: {10, FitOld}}},
		{"insertion, something else is there", insert, none, poemWith(20, 10, "this is line number 10\nother\n"), map[int]Spot{}},
		{"there twice", replace, none, p20 + p20, map[int]Spot{}},
		{"old and new are there", replace, none, p20 + replace.Modified, map[int]Spot{}},
		{"neither", replace, none, poemWith(20, 10, "other\n"), map[int]Spot{}},
		{"all else changed", replace, none, "a\nthis is line number 10\nb\n", map[int]Spot{1: {1, FitOld}}},
		{"one of two is gone", Diff(Text{Body: p20 + p20}, replace.Modified+p20), none, p20, map[int]Spot{}},
		{"a brace is no context", Diff(Text{Body: "some line\n\n}\n\nother line\n"}, "some line\n\n]\n\nother line\n"), none, "x\n\n}\n\ny\n", map[int]Spot{}},
		{"created, loaded again", create, all, "", map[int]Spot{1: {0, FitOld}}},
		{"only the final newline, moved", ended, none, "x\n" + strings.TrimSuffix(p20, "\n"), map[int]Spot{1: {20, FitOld}}},
		{"only the final newline, applied and moved", ended, all, "x\n" + p20, map[int]Spot{1: {20, FitNew}}},
		{"only the final newline, ended by a line", ended, none, "x\n" + p20 + "y\n", map[int]Spot{1: {20, FitNew}}},
		{"last line, a line came after it", last, all, poemWith(20, 1, "changed\n") + "new\nuser's\n", map[int]Spot{1: {19, FitNew}}},
		{
			"a deletion that its surroundings alone would say", deletion, none,
			"a line\nanother line\n}\n}\na line\nanother line\n{\nthe old one\n}\n}\n",
			map[int]Spot{},
		},
		{
			"an insertion between lines that say nothing", Diff(Text{Body: "a\nb\n}\n"}, "a\nb\nnew\n}\n"), none,
			"x\n}\na\nb\n}\n",
			map[int]Spot{},
		},
		{
			"lines that are elsewhere too, without what was around them", Diff(Text{Body: "one\na repeated line\ntwo\n"},
				"one\na repeated line\ntwo\na repeated line\na repeated line\n"), all,
			"one\na repeated line\na repeated line\nother\na repeated line\n",
			map[int]Spot{},
		},
		{
			"the old line is in the new ones, and these were edited", Diff(Text{Body: "a line of text"}, "above it\na line of text\nbelow it\n"), all,
			"above it, and more\na line of text\nbelow it, and more\n",
			map[int]Spot{},
		},
		{
			"a line that is there twice, but not at the end where it was", Diff(Text{Body: "a line of text\n"}, "above it\na line of text\nbelow it\n"), all,
			"above it\na line of text\na line of text\nbelow it\n",
			map[int]Spot{1: {0, FitNew}, 2: {3, FitNew}},
		},
		{"created", create, none, "new\n", map[int]Spot{1: {0, FitNew}}},
		{"conflict fits again", conflict, none, p20, map[int]Spot{1: {1, FitOld}, 2: {9, FitOld}}},
	} {
		if got, _ := test.p.Locate(test.current, test.applied); !maps.Equal(got, test.want) {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

func BenchmarkLocate(b *testing.B) {
	base, modified := bigTexts(100_000)
	p := Diff(Text{Body: base}, modified)
	b.ReportAllocs()
	for b.Loop() {
		p.Locate(base, func(id int) bool { return id%2 == 0 })
	}
}
