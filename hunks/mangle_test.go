package hunks

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// sloppiness is a way in which a language model writes a patch other than Git.
type sloppiness func(r *rand.Rand, l *patchLine, all []patchLine, i int)

// patchLine is a line of a patch of Git's: '@' a hunk's header, ' ', '-', '+', '\\', or 'h' another header.
type patchLine struct {
	kind byte
	text string
	gone bool
}

// mangle writes a patch of Git's in sloppy ways.
func mangle(r *rand.Rand, patch string, ways ...sloppiness) string {
	var all []patchLine
	oldLines, newLines := 0, 0
	for s := range strings.SplitSeq(strings.TrimSuffix(patch, "\n"), "\n") {
		l := patchLine{kind: 'h', text: s}
		switch {
		case strings.HasPrefix(s, "\\"):
			l.kind = '\\'
		case oldLines > 0 || newLines > 0:
			l.kind = s[0]
			if l.kind != '+' {
				oldLines--
			}
			if l.kind != '-' {
				newLines--
			}
		case strings.HasPrefix(s, "@@ "):
			l.kind = '@'
			h := readHunkHeader(s)
			oldLines, newLines = h.oldLines, h.newLines
		}
		all = append(all, l)
	}
	for _, way := range ways {
		for i := range all {
			way(r, &all[i], all, i)
		}
	}
	var out strings.Builder
	for _, l := range all {
		if !l.gone {
			out.WriteString(l.text + "\n")
		}
	}
	return out.String()
}

func noNumbers(r *rand.Rand, l *patchLine, _ []patchLine, _ int) {
	if l.kind == '@' {
		l.text = []string{"@@", "@@ ... @@", "@@ @@"}[r.IntN(3)]
	}
}

func wrongNumbers(r *rand.Rand, l *patchLine, _ []patchLine, _ int) {
	if l.kind == '@' {
		l.text = fmt.Sprintf("@@ -%d,%d +%d,%d @@", r.IntN(50), r.IntN(20), r.IntN(50), r.IntN(20))
	}
}

func wrongCounts(r *rand.Rand, l *patchLine, _ []patchLine, _ int) {
	if l.kind != '@' || r.IntN(3) == 0 {
		return
	}
	h := readHunkHeader(l.text)
	if h.oldLines == 0 {
		return // the line number would mean another line
	}
	_, section, _ := strings.Cut(l.text[2:], "@@")
	l.text = fmt.Sprintf("@@ -%d,%d +%d,%d @@%s", h.oldStart, 1+max(0, h.oldLines+r.IntN(7)-4), h.oldStart, max(0, h.newLines+r.IntN(7)-3), section)
}

// noGitHeaders leaves only what plain diffs have, where that is enough.
func noGitHeaders(_ *rand.Rand, l *patchLine, all []patchLine, i int) {
	if l.kind != 'h' || !strings.HasPrefix(l.text, "diff --git") {
		return
	}
	end := i + 1
	for end < len(all) && all[end].kind == 'h' && !strings.HasPrefix(all[end].text, "--- ") {
		end++
	}
	if end == len(all) || !strings.HasPrefix(all[end].text, "--- ") {
		return
	}
	for j := i + 1; j < end; j++ {
		if strings.Contains(all[j].text, "mode ") || strings.HasPrefix(all[j].text, "rename") {
			return
		}
	}
	for j := i; j < end; j++ {
		all[j].gone = true
	}
}

// noPrefix drops a/ and b/ in the names of one side or both, where nothing else would give the names another meaning.
func noPrefix(r *rand.Rand, l *patchLine, all []patchLine, i int) {
	if l.kind != 'h' || !strings.HasPrefix(l.text, "--- ") || i > 0 && all[i-1].kind == 'h' && !all[i-1].gone {
		return
	}
	n := &all[i+1]
	name := strings.TrimSuffix(l.text, "\t")
	if strings.Contains(l.text+n.text, devNull) || strings.Contains(l.text+n.text, `"`) || name[5:] != strings.TrimSuffix(n.text, "\t")[5:] {
		return
	}
	if p, _ := cutPrefix(name[6:]); p != 0 {
		return
	}
	side := r.IntN(3)
	if side != 0 {
		l.text = "--- " + l.text[6:]
	}
	if side != 1 {
		n.text = "+++ " + n.text[6:]
	}
}

func trimmedBlanks(r *rand.Rand, l *patchLine, _ []patchLine, _ int) {
	if l.kind == ' ' && strings.TrimSpace(l.text) == "" && !strings.HasSuffix(l.text, "\r") && r.IntN(3) > 0 {
		l.text = ""
	}
}

func trimmedTimes(_ *rand.Rand, l *patchLine, _ []patchLine, _ int) {
	if l.kind == 'h' && (strings.HasPrefix(l.text, "--- a/") || strings.HasPrefix(l.text, "+++ b/")) {
		l.text = strings.TrimSuffix(l.text, "\t") + "\t2024-01-02 03:04:05.000000000 +0100"
	}
}

func lessContext(r *rand.Rand, l *patchLine, all []patchLine, i int) {
	if l.kind != '@' || r.IntN(2) == 0 {
		return
	}
	h := readHunkHeader(l.text)
	j := i + 1
	for ; j+2 < len(all) && all[j].kind == ' ' && all[j+1].kind == ' '; j++ {
		all[j].gone = true
		h.oldStart++
		h.oldLines--
		h.newLines--
	}
	l.text = fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.oldStart, h.oldLines, h.oldStart, h.newLines)
}

// tame are lines as code has them, none of which looks like a header.
var tame = []string{
	"", "", "", "}", "{", "\t}", "\t", "  ", "\tif x {", "\treturn nil", "\treturn err", "-- a comment", "--flag", "++i", "# title", "* item", "- item", "+ item",
	"func one() {", "func two() {", "func three() {", "\tcall(one, two)", "\tcall(three)", "x := 1", "ü", "\\ backslash", "@decorator", "```",
}

// TestPatchSloppy: however sloppy a patch is written, it gives what git apply makes of the clean one.
func TestPatchSloppy(t *testing.T) {
	runs := 40
	if testing.Short() {
		runs = 4
	}
	type change struct {
		before, after tree
		patch         string
	}
	clean := map[bool][]change{}
	for seed := range runs {
		lf := seed%2 == 0
		before, after := tameTrees(rand.New(rand.NewPCG(43, uint64(seed))), lf)
		if patch := gitDiffs(t, before, after, []string{"-M"})[0]; patch != "" && settled(before, after) {
			clean[lf] = append(clean[lf], change{before, after, patch})
		}
	}
	for _, test := range []struct {
		name  string
		ways  []sloppiness
		whole func(string) string
		sure  bool // everything has a place; else it is there or in conflict, but nowhere else
	}{
		{"wrong counts", []sloppiness{wrongCounts}, nil, true},
		{"no git headers, no prefixes", []sloppiness{noGitHeaders, noPrefix}, nil, true},
		{"times", []sloppiness{noGitHeaders, trimmedTimes}, nil, true},
		{"trimmed blanks", []sloppiness{trimmedBlanks}, nil, true},
		{"trimmed blanks and wrong counts", []sloppiness{trimmedBlanks, wrongCounts}, nil, true},
		{"less context", []sloppiness{lessContext}, nil, true},
		{"CRLF", nil, func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }, true},
		{"no final newline", nil, func(s string) string { return strings.TrimSuffix(s, "\n") }, true},
		{"fence", []sloppiness{wrongCounts}, func(s string) string { return "Here it is:\n\n```diff\n" + s + "```\n\n- That was it.\n" }, true},
		{"everything", []sloppiness{noGitHeaders, noPrefix, wrongCounts, trimmedBlanks}, func(s string) string { return strings.ReplaceAll("prose\n"+s, "\n", "\r\n") }, true},
		{"no numbers", []sloppiness{noNumbers}, nil, false},
		{"wrong numbers", []sloppiness{wrongNumbers}, nil, false},
		{"no numbers, less context, no prefixes", []sloppiness{lessContext, noGitHeaders, noPrefix, noNumbers}, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			lost := 0
			for i, c := range clean[test.whole != nil] {
				r := rand.New(rand.NewPCG(44, uint64(i)))
				patch := mangle(r, c.patch, test.ways...)
				if test.whole != nil {
					patch = test.whole(patch)
				}
				files, err := ParsePatch(patch)
				if err != nil {
					t.Fatalf("%v\n%s", err, patch)
				}
				got, conflicts := applied(t, c.before, files)
				if conflicts > 0 && !test.sure {
					lost++
					continue
				}
				sameTree(t, test.name, c.before, got, c.after)
				if conflicts > 0 {
					t.Errorf("%d conflicts", conflicts)
				}
				if t.Failed() {
					t.Fatal(patch)
				}
			}
			if lost > len(clean[test.whole != nil])/4 {
				t.Errorf("%d of %d had conflicts", lost, len(clean[test.whole != nil]))
			}
		})
	}
}

// tameTrees are trees of tame files; lf: only such as a patch in CRLF does not change the sense of.
func tameTrees(r *rand.Rand, lf bool) (before, after tree) {
	before, after = randomTrees(r, tame)
	for _, tr := range []tree{before, after} {
		for name, n := range tr {
			switch name {
			case " lead", "trail ", "new\nline", "dev/null", "a/f", "b/f", "c/x y", "tab\there":
				delete(tr, name)
				continue
			}
			if lf {
				n.raw = NewText(n.raw).Body
				tr[name] = n
			}
		}
	}
	return before, after
}
