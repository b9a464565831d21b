package hunks

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

func TestDiffSmall(t *testing.T) {
	for _, test := range []struct {
		name, base, modified string
		headers              string
		blocks               string
	}{
		{"equal", "a\n", "a\n", "", ""},
		{"both empty", "", "", "", ""},
		{"create", "", "a\nb\n", "@@ -0,0 +1,2 @@", `0 [] ["a\n" "b\n"]`},
		{"empty it", "a\nb\n", "", "@@ -1,2 +0,0 @@", `0 ["a\n" "b\n"] []`},
		{"add the final newline", "a\nb", "a\nb\n", "@@ -1,2 +1,2 @@", `1 ["b"] ["b\n"]`},
		{"drop the final newline", "a\nb\n", "a\nb", "@@ -1,2 +1,2 @@", `1 ["b\n"] ["b"]`},
		{"only line gets its newline", "a", "a\n", "@@ -1 +1 @@", `0 ["a"] ["a\n"]`},
		{"one empty line", "", "\n", "@@ -0,0 +1 @@", `0 [] ["\n"]`},
		{"append without newline", "a\nb", "a\nb\nc", "@@ -1,2 +1,3 @@", `1 ["b"] ["b\n" "c"]`},
		{"two blocks in one hunk", "a\nb\nc\n", "A\nb\nC\n", "@@ -1,3 +1,3 @@", `0 ["a\n"] ["A\n"]; 2 ["c\n"] ["C\n"]`},
		{
			"two hunks", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1x\n2\n3\n4\n5\n6\n7\n8\n9\nten\n",
			"@@ -1,4 +1,4 @@ @@ -7,3 +7,4 @@", `0 ["1\n"] ["1x\n"]; 9 [] ["ten\n"]`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := Diff(Text{Body: test.base}, test.modified)
			var headers, blocks []string
			for i, h := range p.Hunks {
				if h.ID != i+1 || h.State != Pending {
					t.Errorf("hunk %d: id %d, state %s", i, h.ID, h.State)
				}
				headers = append(headers, h.Header())
				for _, b := range h.Blocks {
					blocks = append(blocks, fmt.Sprintf("%d %q %q", b.Line, b.Old, b.New))
					if b.ID != len(blocks) {
						t.Errorf("block %d has id %d", len(blocks), b.ID)
					}
				}
			}
			if got := strings.Join(headers, " "); got != test.headers {
				t.Errorf("headers %s, want %s", got, test.headers)
			}
			if got := strings.Join(blocks, "; "); got != test.blocks {
				t.Errorf("blocks %s, want %s", got, test.blocks)
			}
			checkPure(t, p)
			checkTools(t, p)
		})
	}
}

// TestSubsets: any choice of hunks is what go-gitdiff, git and patch make of it.
func TestSubsets(t *testing.T) {
	runs, tools := 3000, 25
	if testing.Short() {
		runs, tools = 300, 5
	}
	for seed := range runs {
		r := rand.New(rand.NewPCG(1, uint64(seed)))
		p := randomPatch(r, 60)
		checkPure(t, p)
		kept := p.Select(subset(r, p))
		checkPure(t, kept)
		if seed < tools {
			checkTools(t, p)
			checkTools(t, kept)
		}
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("a\nb\nc", "a\nB\nc\n", false, false)
	f.Add("", "\n", false, true)
	f.Add("a\r\nb\n", "a\nb\r\n", true, false)
	f.Fuzz(func(t *testing.T, base, modified string, crlf, bom bool) {
		p := Diff(Text{Body: base, CRLF: crlf, BOM: bom}, modified)
		checkPure(t, p)
		for _, h := range p.Hunks {
			checkPure(t, p.Select(func(id int) bool { return id == h.ID }))
		}
	})
}

// bigTexts is a file of lines lines, about 44 bytes each, and the same with one change in every hundred lines.
func bigTexts(lines int) (base, modified string) {
	var a, b strings.Builder
	for i := range lines {
		line := fmt.Sprintf("\tline %06d := compute(%06d, \"some text\")\n", i, i*7)
		a.WriteString(line)
		if i%100 == 50 {
			line = fmt.Sprintf("\tline %06d := recompute(%06d)\n", i, i*7)
		}
		b.WriteString(line)
	}
	return a.String(), b.String()
}

func BenchmarkDiff(b *testing.B) {
	base, modified := bigTexts(100_000)
	b.ReportAllocs()
	for b.Loop() {
		Diff(Text{Body: base}, modified)
	}
}

// BenchmarkTextdiff is the floor of BenchmarkDiff: the bare call.
func BenchmarkTextdiff(b *testing.B) {
	base, modified := bigTexts(100_000)
	b.ReportAllocs()
	for b.Loop() {
		textdiff.Hunks(base, modified, textdiff.IndentHeuristic(), diff.Context(contextLines))
	}
}

func BenchmarkPrint(b *testing.B) {
	base, modified := bigTexts(100_000)
	p := Diff(Text{Body: base}, modified)
	b.ReportAllocs()
	for b.Loop() {
		p.Print("f", "f")
	}
}

func BenchmarkCompose(b *testing.B) {
	base, modified := bigTexts(100_000)
	p := Diff(Text{Body: base}, modified)
	b.ReportAllocs()
	for b.Loop() {
		p.Compose(all)
	}
}
