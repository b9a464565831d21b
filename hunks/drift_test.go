package hunks

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// short writes a patch's hunks short: their headers, and what is not plain about them.
func short(p *Patch) string {
	var out []string
	for _, h := range p.Hunks {
		s := h.Header()
		if h.Moved {
			s += " moved"
		}
		if h.State != Pending {
			s += " " + string(h.State) + ": " + h.Reason
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// TestPlaceDrifted is long because of its table.
func TestPlaceDrifted(t *testing.T) {
	p20 := poem(20)
	two := strings.Replace(poemWith(20, 4, "four\n"), "this is line number 15\n", "fifteen\n", 1)
	tail := "tail 1\ntail 2\ntail 3\ntail 4\ntail 5\ntail 6\ntail 7\ntail 8\n"
	for _, test := range []struct {
		name                        string
		current, original, modified string
		hunks                       string
		note                        string
	}{
		{"lines above all", "new\nnew\n" + p20, p20, two, "@@ -3,7 +3,7 @@; @@ -14,7 +14,7 @@", ""}, // a snippet
		{"lines above", "new\n" + poemWith(20, 10, "ten\n"), p20, two, "@@ -2,7 +2,7 @@ moved; @@ -13,7 +13,7 @@ moved", "each hunk was placed"},
		{"lines below", p20 + "new\n", p20, two, "@@ -1,7 +1,7 @@; @@ -12,7 +12,7 @@", ""},
		{"context changed", poemWith(20, 3, "three\n"), p20, two, "@@ -1,7 +1,7 @@; @@ -12,7 +12,7 @@", "each hunk was placed"},
		{
			"changed line changed", poemWith(20, 4, "vier\n"), p20, two,
			"@@ -1,7 +1,7 @@ conflict: its lines are not in the file; @@ -12,7 +12,7 @@", "each hunk was placed",
		},
		{
			"two places for one", p20[strings.Index(p20, "this is line number 11\n"):] + poemWith(20, 9, "nine\n"), p20, two,
			"@@ -11,7 +11,7 @@ moved; @@ -12,7 +12,7 @@ conflict: it would fit in 2 places", "each hunk was placed",
		},
		{"one is there", "x\n" + poemWith(20, 15, "fifteen\n"), p20, two, "@@ -2,7 +2,7 @@ moved", "1 hunk of the proposal"},
		{
			"the other order", strings.Repeat("y\n", 12) + p20[strings.Index(p20, "this is line number 11\n"):] + p20[:strings.Index(p20, "this is line number 10\n")], p20, two,
			"@@ -14,7 +14,7 @@ moved; @@ -23,7 +23,7 @@ moved", "",
		},
		{
			"an insertion beside a changed line", poemWith(20, 11, "eleven\n"), p20,
			strings.Replace(poemWith(20, 10, "this is line number 10\nnew\n"), "this is line number 1\n", "one\n", 1),
			"@@ -1,4 +1,4 @@; @@ -8,6 +8,7 @@ conflict: its lines are not in the file", "",
		},
		{
			"a brace is no context", "other\n{\n}\nthing\n" + p20, "one\n{\n}\nmore\n" + p20, "one\n{\n\tnew\n}\nmore\n" + poemWith(20, 15, "fifteen\n"),
			"@@ -1,5 +1,6 @@ conflict: its lines are not in the file; @@ -16,7 +16,7 @@", "",
		},
		{
			"one of two the same is there", poemWith(20, 10, "ten\n") + "and\n" + tail, p20 + "and again\n" + p20 + tail,
			poemWith(20, 10, "ten\n") + "and again\n" + poemWith(20, 10, "ten\n") + strings.Replace(tail, "tail 5\n", "five\n", 1),
			"@@ -7,7 +7,7 @@ conflict: its lines are not in the file; @@ -28,7 +28,7 @@ conflict: its lines are not in the file; @@ -23,7 +23,7 @@ moved", "",
		},
		{"what is appended is there", poemWith(20, 10, "ten\n") + "new\nmore\n", p20, poemWith(20, 3, "three\n") + "new\n", "@@ -1,6 +1,6 @@", "1 hunk of the proposal"},
		{"what is put first is there", "more\nnew\n" + poemWith(20, 10, "ten\n"), p20, "new\n" + poemWith(20, 15, "fifteen\n"), "@@ -14,7 +14,7 @@ moved", "1 hunk of the proposal"},
		{
			"what is removed last is not gone", poemWith(20, 10, "ten\n") + "more\n", p20,
			strings.Replace(poemWith(20, 3, "three\n"), "this is line number 20\n", "", 1), "@@ -1,6 +1,6 @@; @@ -17,5 +17,4 @@", "",
		},
		{
			"what is removed first is not gone", "more\n" + poemWith(20, 10, "ten\n"), p20,
			strings.Replace(poemWith(20, 15, "fifteen\n"), "this is line number 1\n", "", 1), "@@ -1,5 +1,4 @@ moved; @@ -13,7 +12,7 @@ moved", "",
		},
		{
			"the newline to drop is no longer the last", p20 + "more", poemWith(20, 2, "zwei\n"),
			strings.TrimSuffix(strings.Replace(poemWith(20, 2, "zwei\n"), "this is line number 10\n", "ten\n", 1), "\n"),
			"@@ -7,7 +7,7 @@; @@ -17,4 +17,4 @@ conflict: its last line is no longer the last of the file", "",
		},
		{
			"once in the file, twice in original", p20 + "new\n" + tail, p20 + "and again\n" + p20 + tail,
			poemWith(20, 10, "ten\n") + "and again\n" + p20 + strings.Replace(tail, "tail 5\n", "five\n", 1),
			"@@ -7,7 +7,7 @@ conflict: it would fit in 2 places; @@ -23,7 +23,7 @@ moved", "",
		},
		{
			"very many places", "x\n" + strings.Repeat("again and again\n", 1500) + p20, "old\n" + strings.Repeat("again and again\n", 500) + p20,
			"old\n" + strings.Repeat("again and again\n", 250) + "new\n" + strings.Repeat("again and again\n", 250) + poemWith(20, 10, "ten\n"),
			"@@ -249,6 +249,7 @@ conflict: it would fit in 1000 or more places; @@ -1508,7 +1508,7 @@ moved", "",
		},
		{
			"the lines between two hunks are gone", "this is line number 4\nthis is line number 15\n", p20, two,
			"@@ -1,2 +1,2 @@ moved; @@ -12,7 +12,7 @@ conflict: its place touches that of another hunk of the proposal", "",
		},
		{
			"the same the other way round", "this is line number 15\nthis is line number 4\n", p20, two,
			"@@ -1,2 +1,2 @@ moved; @@ -12,7 +12,7 @@ conflict: its place touches that of another hunk of the proposal", "",
		},
		{
			"no final newline in original", "new\n" + p20, strings.TrimSuffix("old\n"+p20, "\n"), strings.TrimSuffix("old\n"+poemWith(20, 20, "twenty\n"), "\n"),
			"@@ -18,4 +18,4 @@", "",
		},
		{
			"no final newline in the file", "new\n" + strings.TrimSuffix(p20, "\n"), "old\n" + p20, "old\n" + poemWith(20, 20, "twenty\n"),
			"@@ -18,4 +18,4 @@", "",
		},
		{
			"the end is no longer the end", p20 + "new\n", poemWith(20, 2, "deux\n"), strings.TrimSuffix(poemWith(20, 2, "zwei\n"), "\n") + "\nmore",
			"@@ -1,5 +1,5 @@ conflict: its lines are not in the file; @@ -18,4 +18,5 @@", "",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := Place(Text{Body: test.current}, test.original, test.modified)
			if err != nil {
				t.Fatal(err)
			}
			if got := short(p); got != test.hunks {
				t.Errorf("%s\nwant %s", got, test.hunks)
			}
			if strings.Contains(p.Modified, "moren") {
				t.Errorf("a line was joined to the next: %q", p.Modified)
			}
			if !strings.Contains(strings.Join(p.Notes, " "), test.note) {
				t.Errorf("notes %q", p.Notes)
			}
			checkPlaced(t, p)
		})
	}
}

// checkPlaced checks the part of a patch that has a place.
func checkPlaced(t *testing.T, p *Patch) {
	t.Helper()
	placed := p.Select(all)
	if placed.Modified != p.Modified {
		t.Fatalf("the placed hunks give %q, Modified is %q", placed.Modified, p.Modified)
	}
	checkPure(t, placed)
	p.Print("f", "f") // hunks in conflict are printed too
	for i, h := range p.Hunks {
		if h.ID != i+1 {
			t.Errorf("hunk %d has id %d", i+1, h.ID)
		}
		if h.Placed() != (h.State == Pending) || (h.Reason == "") != h.Placed() {
			t.Errorf("%s: %s %q", h.Header(), h.State, h.Reason)
		}
	}
}

// TestPlaceLongContext: places that look the same around a hunk are told apart by more of the text.
func TestPlaceLongContext(t *testing.T) {
	block := "{\n\tcall()\n\tcall()\n\tcall()\n\tcall()\n}\n"
	original := "first\n" + block + "second\n" + block + "third\n" + block
	modified := "first\n" + block + "second\n{\n\tcall()\n\tcall()\n\tnew()\n\tcall()\n\tcall()\n}\nthird\n" + block
	p, err := Place(Text{Body: "zero\n" + original + "last\n"}, original+"ever\n", modified+"ever\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := "zero\n" + modified + "last\n"; p.Modified != want {
		t.Errorf("%q, want %q", p.Modified, want)
	}
	checkPlaced(t, p)
}

// TestPlaceMergesUnlikeEdits: in a text of lines that are all different, the user's edits and the agent's, on lines of
// their own, are both there in the end, wherever they are.
func TestPlaceMergesUnlikeEdits(t *testing.T) {
	for seed := range 2000 {
		r := rand.New(rand.NewPCG(4, uint64(seed)))
		n := 10 + r.IntN(60)
		var original, modified, current, want strings.Builder
		last := 0 // who edited near: lines since then
		for i := range n {
			line := fmt.Sprintf("a line called %d\n", i)
			o, m, c, w := line, line, line, line
			switch k := r.IntN(20); {
			case k == 0 && last > 1: // the agent replaces
				m = fmt.Sprintf("the agent's %d\n", i)
				w = m
				last = 0
			case k == 1 && last > 1: // the agent inserts
				m = fmt.Sprintf("the agent's %d\n", i) + line
				w = m
				last = 0
			case k == 2 && last > 1: // the user replaces
				c = fmt.Sprintf("the user's %d\n", i)
				w = c
				last = 0
			case k == 3 && last > 1: // the user inserts
				c = fmt.Sprintf("the user's %d\n", i) + line
				w = c
				last = 0
			default:
				last++
			}
			original.WriteString(o)
			modified.WriteString(m)
			current.WriteString(c)
			want.WriteString(w)
		}
		p, err := Place(Text{Body: current.String()}, original.String(), modified.String())
		if errors.Is(err, ErrNothing) {
			continue
		}
		if _, stale := errors.AsType[*StaleError](err); stale {
			continue // all too near; TestPlaceDrifted has the ones that must be placed
		}
		checkPlaced(t, p)
		conflicts := 0
		for _, h := range p.Hunks {
			if h.State == Conflict {
				conflicts++
			}
		}
		if conflicts == 0 && p.Modified != want.String() {
			t.Fatalf("seed %d:\n%s\nwant\n%s", seed, p.Modified, want.String())
		}
	}
}

// TestPlaceRandom: whatever drifted, the placed hunks are a patch that everybody applies to the file.
func TestPlaceRandom(t *testing.T) {
	runs, tools := 5000, 25
	if testing.Short() {
		runs, tools = 500, 5
	}
	placed := 0
	for seed := range runs {
		r := rand.New(rand.NewPCG(5, uint64(seed)))
		original := randomText(r, 80)
		current := Text{Body: randomEdit(r, original), CRLF: r.IntN(4) == 0, BOM: r.IntN(6) == 0}
		p, err := Place(current, original, randomEdit(r, original))
		if err != nil {
			continue
		}
		checkPlaced(t, p)
		if placed++; placed < tools {
			checkTools(t, p.Select(all))
		}
	}
	if placed < runs/10 {
		t.Errorf("only %d of %d were placed", placed, runs)
	}
}

func BenchmarkPlaceDrifted(b *testing.B) {
	original, modified := bigTexts(100_000)
	current := "one more\n" + original
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Place(Text{Body: current}, original+"\n", modified+"\n"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPlaceHostile has a text made to be slow: every line is everywhere.
func BenchmarkPlaceHostile(b *testing.B) {
	var original, modified strings.Builder
	for i := range 100_000 {
		original.WriteString([]string{"a\n", "b\n"}[i*i/7%2])
		if i%10 == 0 {
			modified.WriteString("c\n")
		}
		modified.WriteString([]string{"a\n", "b\n"}[i*i/7%2])
	}
	for b.Loop() {
		if _, err := Place(Text{Body: "x\n" + original.String()}, original.String()+"y\n", modified.String()+"y\n"); err == nil {
			b.Fatal("it was placed")
		}
	}
}
