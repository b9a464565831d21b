package hunks

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// draft parses a patch of one file and drafts it.
func draft(t *testing.T, patch string, current Text) (*Patch, error) {
	t.Helper()
	files, err := ParsePatch(patch)
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files[0].Draft(current)
}

func TestDraft(t *testing.T) {
	const head = "--- a/f\n+++ b/f\n"
	p20 := poem(20)
	line := func(n int) string { return fmt.Sprintf("this is line number %d\n", n) }
	hunk10 := "@@ -9,3 +9,3 @@\n " + line(9) + "-" + line(10) + "+ten\n " + line(11)
	ten := poemWith(20, 10, "ten\n")
	twice := strings.Repeat("if x {\n\tcall()\n}\n\n", 2)
	call := "@@\n if x {\n-\tcall()\n+\tother()\n }\n"
	for _, test := range []struct {
		name    string
		patch   string
		current Text
		hunks   string // as short has them
		want    string // Modified
		note    string // part of the notes, "" for none
	}{
		{"in place", head + hunk10, Text{Body: p20}, "@@ -7,7 +7,7 @@", ten, ""},
		{"moved", head + hunk10, Text{Body: "new\n" + p20}, "@@ -8,7 +8,7 @@ moved", "new\n" + ten, "1 hunk was not at the line"},
		{"a context line differs", head + hunk10, Text{Body: poemWith(20, 9, "nine\n")}, "@@ -7,7 +7,7 @@", strings.Replace(ten, line(9), "nine\n", 1), ""},
		{"moved, and a context line differs", head + hunk10, Text{Body: "new\n" + poemWith(20, 9, "nine\n")}, "@@ -8,7 +8,7 @@ moved", "new\n" + strings.Replace(ten, line(9), "nine\n", 1), "text"},
		{"all context differs, at its line", head + "@@ -9,3 +9,3 @@\n x\n-" + line(10) + "+ten\n y\n", Text{Body: p20}, "@@ -7,7 +7,7 @@", ten, ""},
		{"more context than there is", head + "@@\n\n a longer line\n-b\n+c\n d\n\n", Text{Body: "a longer line\nb\nd\n"}, "@@ -1,3 +1,3 @@", "a longer line\nc\nd\n", ""},
		{"blanks trimmed", head + "@@ -1,3 +1,4 @@\n a\n\n+b\n\n", Text{Body: "a\n\t\n  \nc\n"}, "@@ -1,4 +1,5 @@", "a\n\t\nb\n  \nc\n", ""},
		{"blanks that the file does not have", head + "@@ -1,3 +1,4 @@\n a\t\n+b\n c  \n d\n", Text{Body: "a\nc\nd\n"}, "@@ -1,3 +1,4 @@", "a\nb\nc\nd\n", ""},
		{"no numbers", head + "@@\n-" + line(10) + "+ten\n", Text{Body: p20}, "@@ -7,7 +7,7 @@", ten, ""},
		{"wrong numbers", head + "@@ -90,7 +80,1 @@\n-" + line(10) + "+ten\n", Text{Body: p20}, "@@ -7,7 +7,7 @@ moved", ten, "text"},
		{"two places, one named", head + strings.Replace(call, "@@", "@@ -5,3 +5,3 @@", 1), Text{Body: twice}, "@@ -3,6 +3,6 @@", "if x {\n\tcall()\n}\n\nif x {\n\tother()\n}\n\n", ""},
		{"two places, both in order", head + call + call, Text{Body: twice}, "@@ -1,8 +1,8 @@", strings.ReplaceAll(twice, "call", "other"), ""},
		{"two places, one above another hunk", head + call + "@@\n-middle\n+MIDDLE\n", Text{Body: "if x {\n\tcall()\n}\nmiddle\nif x {\n\tcall()\n}\n"}, "@@ -1,7 +1,7 @@", "if x {\n\tother()\n}\nMIDDLE\nif x {\n\tcall()\n}\n", ""},
		{
			"two places, one below its anchor", head + strings.Replace(call, "@@", "@@ func b", 1),
			Text{Body: "func a\n" + twice[:len(twice)/2] + "func b() {\n" + twice[len(twice)/2:]},
			"@@ -5,6 +5,6 @@", "func a\nif x {\n\tcall()\n}\n\nfunc b() {\nif x {\n\tother()\n}\n\n", "",
		},
		{
			"two places, both moved alike", head + "@@ -1 +1 @@\n-first\n+FIRST\n@@ -6,3 +6,3 @@\n if x {\n-\tcall()\n+\tother()\n }\n@@ -10 +10 @@\n-last\n+LAST\n",
			Text{Body: "new\nfirst\n" + twice + "last\n"},
			"@@ -1,11 +1,11 @@ moved", "new\nFIRST\nif x {\n\tcall()\n}\n\nif x {\n\tother()\n}\n\nLAST\n", "",
		},
		{"two places, at the end", "*** Update File: f\n@@\n }\n+x\n*** End of File\n", Text{Body: "{\n}\n{\n}\n"}, "@@ -2,3 +2,4 @@", "{\n}\n{\n}\nx\n", ""},
		{"one of two", head + hunk10 + "@@ -15 +15 @@\n-not there\n+x\n", Text{Body: p20}, "@@ -7,7 +7,7 @@; @@ -15 +15 @@ conflict: its lines are not in the file", ten, ""},
		{"a conflict above", head + "@@ -2 +2 @@\n-not there\n+x\n" + hunk10, Text{Body: p20}, "@@ -2 +2 @@ conflict: its lines are not in the file; @@ -7,7 +7,7 @@", ten, ""},
		{"ambiguous", head + call + hunk10, Text{Body: p20 + twice}, "@@ -0,3 +0,3 @@ conflict: it would fit in 2 places; @@ -7,7 +7,7 @@", ten + twice, ""},
		{"overlapping", head + hunk10 + "@@ -10 +10 @@\n-" + line(10) + "+zehn\n", Text{Body: p20}, "@@ -7,7 +7,7 @@; @@ -10 +10 @@ conflict: its place is taken by another hunk of the patch", ten, ""},
		{"touching", head + "@@ -10 +10 @@\n-" + line(10) + "+ten\n@@ -11 +11 @@\n-" + line(11) + "+eleven\n", Text{Body: p20}, "@@ -7,8 +7,8 @@", strings.Replace(ten, line(11), "eleven\n", 1), ""},
		{
			"weak", head + "@@ -3,5 +3,5 @@\n x\n y\n-" + line(10) + "+ten\n z\n@@ -1 +1 @@\n-" + line(1) + "+one\n",
			Text{Body: p20},
			"@@ -3,4 +3,4 @@ conflict: its changed lines are at line 10, but not the lines around them; @@ -1,4 +1,4 @@", poemWith(20, 1, "one\n"), "",
		},
		{"there already", head + hunk10 + "@@ -15 +15 @@\n-" + line(15) + "+x\n", Text{Body: ten}, "@@ -12,7 +12,7 @@", strings.Replace(ten, line(15), "x\n", 1), "1 hunk was in the file already"},
		{"only additions at their line", head + "@@ -10,0 +11,1 @@\n+new\n", Text{Body: p20}, "@@ -8,6 +8,7 @@", poemWith(20, 10, line(10)+"new\n"), ""},
		{
			"only additions, others moved", head + "@@ -2 +2 @@\n-" + line(2) + "+two\n@@ -10,0 +11,1 @@\n+new\n",
			Text{Body: "x\n" + p20},
			"@@ -1,6 +1,6 @@ moved; @@ -9,6 +9,7 @@ moved", "", "",
		},
		{"only additions to an empty file", head + "@@ -0,0 +1 @@\n+a\n", Text{}, "@@ -0,0 +1 @@", "a\n", ""},
		{"only additions to a missing file", head + "@@ -0,0 +1 @@\n+a\n", Text{Missing: true}, "@@ -0,0 +1 @@", "a\n", ""},

		{"named among very many", head + "@@ -250 +250 @@\n-x\n+y\n", Text{Body: strings.Repeat("x\n", 300)}, "@@ -247,7 +247,7 @@", strings.Repeat("x\n", 249) + "y\n" + strings.Repeat("x\n", 50), ""},
		{
			"two places, below another hunk, but with other context", head + hunk10 + "@@\n p\n-dup line text\n+DUP\n q\n",
			Text{Body: "dup line text\n" + p20 + "dup line text\n"},
			"@@ -8,7 +8,7 @@ moved; @@ -0,3 +0,3 @@ conflict: it would fit in 2 places", "dup line text\n" + ten + "dup line text\n", "",
		},
		{
			"very many places, one of the first below another hunk", head + "@@\n-mark\n+MARK\n@@\n-x\n+y\n",
			Text{Body: strings.Repeat("x\n", 199) + "mark\n" + strings.Repeat("x\n", 200)},
			"@@ -197,7 +197,7 @@; @@ -0 +0 @@ conflict: it would fit in 200 or more places", strings.Repeat("x\n", 199) + "MARK\n" + strings.Repeat("x\n", 200), "",
		},
		{
			"two places, the others moved otherwise", head + "@@ -1 +1 @@\n-first\n+FIRST\n@@ -6,3 +6,3 @@\n if x {\n-\tcall()\n+\tother()\n }\n@@ -10 +10 @@\n-last\n+LAST\n",
			Text{Body: "first\nnew\n" + twice + "last\n"},
			"@@ -1,4 +1,4 @@; @@ -6,3 +6,3 @@ conflict: it would fit in 2 places; @@ -8,4 +8,4 @@ moved", "FIRST\nnew\n" + twice + "LAST\n", "",
		},
		{
			"two places, an anchor that is no line of its own", head + strings.Replace(call, "@@", "@@ func", 1) + hunk10,
			Text{Body: p20 + "func a\n" + twice[:len(twice)/2] + "func b\n" + twice[len(twice)/2:]},
			"@@ -0,3 +0,3 @@ conflict: it would fit in 2 places; @@ -7,7 +7,7 @@", ten + "func a\n" + twice[:len(twice)/2] + "func b\n" + twice[len(twice)/2:], "",
		},
		{
			"two places, an anchor above the one that it is in", head + strings.Replace(call, "@@", "@@ class B\n@@ def f", 1) + hunk10,
			Text{Body: p20 + "def f():\nclass B\n" + twice},
			"@@ -0,3 +0,3 @@ conflict: it would fit in 2 places; @@ -7,7 +7,7 @@", ten + "def f():\nclass B\n" + twice, "",
		},
		{
			"inserted twice", head + "@@ -9,2 +9,3 @@\n " + line(9) + "+one\n " + line(10) + "@@ -9,2 +9,3 @@\n " + line(9) + "+two\n " + line(10),
			Text{Body: p20},
			"@@ -7,6 +7,7 @@; @@ -9,2 +9,3 @@ conflict: its place is taken by another hunk of the patch", poemWith(20, 9, line(9)+"one\n"), "",
		},
		{
			"overlapping, the first below", head + "@@ -10,2 +10,1 @@\n-" + line(10) + "-" + line(11) + "+x\n@@ -9,2 +9,1 @@\n-" + line(9) + "-" + line(10) + "+y\n",
			Text{Body: p20},
			"@@ -7,8 +7,7 @@; @@ -9,2 +9 @@ conflict: its place is taken by another hunk of the patch", strings.Replace(poemWith(20, 10, "x\n"), line(11), "", 1), "",
		},
		{"overlapping context", head + hunk10 + "@@ -10,2 +10,2 @@\n " + line(10) + "-" + line(11) + "+eleven\n", Text{Body: p20}, "@@ -7,8 +7,8 @@", strings.Replace(ten, line(11), "eleven\n", 1), ""},
		{
			"a conflict between", head + "@@ -2 +2 @@\n-" + line(2) + "+two\n@@ -9 +9 @@\n-not there\n+x\n@@ -15 +15 @@\n-" + line(15) + "+fifteen\n",
			Text{Body: p20},
			"@@ -1,5 +1,5 @@; @@ -9 +9 @@ conflict: its lines are not in the file; @@ -12,7 +12,7 @@", strings.Replace(poemWith(20, 2, "two\n"), line(15), "fifteen\n", 1), "",
		},
		{"no longer the end, of a file without final newline", head + "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+B\n", Text{Body: "a\nb\nc"}, "@@ -1,3 +1,3 @@", "a\nB\nc", ""},
		{"appended already, if it says nothing", head + "@@\n this is line number 9\n+\n", Text{Body: poemWith(20, 10, "\n")}, "@@ -8,6 +8,7 @@", poemWith(20, 10, "\n\n"), ""},
		{"final newline not seen", head + "@@\n-b\n+B\n", Text{Body: "a\nb"}, "@@ -1,2 +1,2 @@", "a\nB", "final newline"},
		{"final newline not seen, appended", head + "@@\n b\n+c\n", Text{Body: "a\nb"}, "@@ -1,2 +1,3 @@", "a\nb\nc", "final newline"},
		{"final newline dropped", head + "@@ -2 +2 @@\n-b\n+b\n\\ No newline at end of file\n", Text{Body: "a\nb\n"}, "@@ -1,2 +1,2 @@", "a\nb", ""},
		{"final newline added", head + "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+b\n", Text{Body: "a\nb"}, "@@ -1,2 +1,2 @@", "a\nb\n", ""},
		{"no longer the end", head + "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file\n", Text{Body: "a\nb\nc\n"}, "@@ -1,3 +1,3 @@", "a\nB\nc\n", ""},
		{"last line removed", head + "@@ -1,2 +1 @@\n a\n-b\n\\ No newline at end of file\n", Text{Body: "a\nb"}, "@@ -1,2 +1 @@", "a\n", ""},

		{"CRLF file, LF patch", head + "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", Text{Body: "a\nb\n", CRLF: true}, "@@ -1,2 +1,2 @@", "a\nc\n", "got CRLF"},
		{"CRLF file, CRLF lines", head + "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n", Text{Body: "a\nb\n", CRLF: true}, "@@ -1,2 +1,2 @@", "a\nc\n", ""},
		{"LF file, CRLF lines", head + "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n", Text{Body: "a\nb\n"}, "@@ -1,2 +1,2 @@", "a\nc\n", "got LF"},
		{"LF file, CRLF patch", strings.ReplaceAll(head+"@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "\n", "\r\n"), Text{Body: "a\nb\n"}, "@@ -1,2 +1,2 @@", "a\nc\n", ""},
		{"to CRLF", head + "@@ -1,2 +1,2 @@\n-a\n-b\n+a\r\n+b\r\n", Text{Body: "a\nb\n"}, "@@ -1,2 +1,2 @@", "a\r\nb\r\n", ""},
		{"mixed file", head + "@@ -1,2 +1,2 @@\n a\r\n-b\n+c\n", Text{Body: "a\r\nb\n"}, "@@ -1,2 +1,2 @@", "a\r\nc\n", ""},
		{"mixed file, a CRLF line", head + "@@ -1,2 +1,2 @@\n-a\r\n+A\r\n b\n", Text{Body: "a\r\nb\n"}, "@@ -1,2 +1,2 @@", "A\r\nb\n", ""},
		{"byte order mark", head + "@@ -1,2 +1,2 @@\n-\uFEFFa\n+\uFEFFA\n b\n", Text{Body: "a\nb\n", BOM: true}, "@@ -1,2 +1,2 @@", "A\nb\n", ""},
		{"byte order mark not seen", head + "@@ -1,2 +1,2 @@\n-a\n+A\n b\n", Text{Body: "a\nb\n", BOM: true}, "@@ -1,2 +1,2 @@", "A\nb\n", ""},

		{"created", "--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n", Text{Missing: true}, "@@ -0,0 +1,2 @@", "a\nb\n", ""},
		{
			"created, with a line that only the last can be", "--- /dev/null\n+++ b/f\n@@ -0,0 +1,3 @@\n+a\n\\ No newline at end of file\n+b\n+c\n\\ No newline at end of file\n",
			Text{Missing: true},
			"@@ -0,0 +1,3 @@", "a\nb\nc", "",
		},
		{"created empty", "diff --git a/f b/f\nnew file mode 100644\n", Text{Missing: true}, "", "", ""},
		{"created over an empty file", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", Text{}, "@@ -0,0 +1 @@", "a\n", ""},
		{"deleted", "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", Text{Body: "a\nb\n"}, "@@ -1,2 +0,0 @@", "", ""},
		{"deleted, without lines", "*** Delete File: f\n", Text{Body: "a\nb"}, "@@ -1,2 +0,0 @@", "", ""},
		{"deleted empty", "diff --git a/f b/f\ndeleted file mode 100644\n", Text{}, "", "", ""},
		{"deleted, CRLF", "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", Text{Body: "a\nb\n", CRLF: true}, "@@ -1,2 +0,0 @@", "", ""},
		{"renamed", "diff --git a/f b/g\nrename from f\nrename to g\n", Text{Body: "a\n"}, "", "a\n", ""},
		{"renamed, and there already", "diff --git a/f b/g\nrename from f\nrename to g\n" + hunk10, Text{Body: ten}, "", ten, ""},
		{"mode", "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", Text{Body: "a\n"}, "", "a\n", ""},
		{"counts repaired", head + "@@ -1,9 +1,9 @@\n-a\n+b\n", Text{Body: "a\n"}, "@@ -1 +1 @@", "b\n", "line counts"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := draft(t, test.patch, test.current)
			if err != nil {
				t.Fatal(err)
			}
			if got := short(p); got != test.hunks {
				t.Errorf("%s\nwant %s", got, test.hunks)
			}
			if p.Modified != test.want && (test.want != "" || len(p.Hunks) < 2) {
				t.Errorf("%q\nwant %q", p.Modified, test.want)
			}
			notes := strings.Join(p.Notes, "|")
			if test.note != "" && !strings.Contains(notes, test.note) {
				t.Errorf("notes %q, want %q", notes, test.note)
			}
			if p.Base != test.current {
				t.Errorf("base %+v", p.Base)
			}
			checkPlaced(t, p)
		})
	}
}

func TestDraftErrors(t *testing.T) {
	const head = "--- a/f\n+++ b/f\n"
	p20 := poem(20)
	for _, test := range []struct {
		name, patch string
		current     Text
		want        string // "" for ErrNothing
	}{
		{"missing", head + "@@ -1 +1 @@\n-a\n+b\n", Text{Missing: true}, "the file does not exist."},
		{"deleted, missing", "*** Delete File: f\n", Text{Missing: true}, "the file does not exist."},
		{"created, there", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", Text{Body: "b\n"}, "the patch creates the file, but it exists and has 1 line."},
		{"created, the same", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", Text{Body: "a\n"}, ""},
		{"created, the same in CRLF", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", Text{Body: "a\n", CRLF: true}, ""},
		{
			"deleted, changed", "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n",
			Text{Body: "a\nB\n"},
			`the patch deletes the file, but the file has other lines than the patch removes. Line 2: original has "b", the file has "B".`,
		},
		{
			"not there", head + "@@ -2,2 +2,2 @@\n this is line number 2\n-x\n+y\n",
			Text{Body: p20},
			`the hunk has no place in the file: its lines are not in the file. Line 3: original has "x", the file has "this is line number 3".`,
		},
		{"none of it", head + "@@\n-x\n+y\n", Text{Body: p20}, "the hunk has no place in the file: its lines are not in the file."},
		{
			"two, not there", head + "@@ -2 +2 @@\n-x\n+y\n@@ -9 +9 @@\n-x\n+y\n",
			Text{Body: p20},
			`none of the 2 hunks has a place in the file; the first: its lines are not in the file. Line 2: original has "x", the file has "this is line number 2".`,
		},
		{
			"several places", head + "@@\n-x\n+y\n",
			Text{Body: strings.Repeat("x\nz\n", 7)},
			"the hunk has no place in the file: it would fit in 7 places, at lines 1, 3, 5, 7, 9, ....",
		},
		{
			"several places, none at the end", "*** Update File: f\n@@\n }\n+x\n*** End of File\n",
			Text{Body: "}\n{\n}\nz\n"},
			"the hunk has no place in the file: it would fit in 2 places, at lines 2, 4.",
		},
		{
			"inserted below a changed line", head + "@@ -8,4 +8,5 @@\n this is line number 8\n this is line number 9\n+x\n this is line number 10\n this is line number 11\n",
			Text{Body: poemWith(20, 9, "nine\n")},
			`the hunk has no place in the file: its lines are not in the file. Line 9: original has "this is line number 9", the file has "nine".`,
		},
		{
			"inserted above a changed line", head + "@@ -8,4 +8,5 @@\n this is line number 8\n this is line number 9\n+x\n this is line number 10\n this is line number 11\n",
			Text{Body: poemWith(20, 10, "ten\n")},
			`the hunk has no place in the file: its lines are not in the file. Line 10: original has "this is line number 10", the file has "ten".`,
		},
		{"lines that say nothing", head + "@@\n a\n-}\n+]\n b\n", Text{Body: "a\n}\nc\n"}, `the hunk has no place in the file: its lines are not in the file. Line 3: original has "b", the file has "c".`},
		{"there already, if it says nothing", head + "@@\n {\n-x\n+]\n", Text{Body: "{\n]\n"}, `the hunk has no place in the file: its lines are not in the file. Line 2: original has "x", the file has "]".`},
		{"removed already, if one side says so", head + "@@\n this is line number 9\n-x\n", Text{Body: p20}, `the hunk has no place in the file: its lines are not in the file. Line 10: original has "x", the file has "this is line number 10".`},
		{"there already, without context", head + "@@\n-x\n+this is line number 9\n", Text{Body: p20}, "the hunk has no place in the file: its lines are not in the file."},
		{
			"the best of very many places, but not all were seen", head + "@@\n a long line of context\n-x\n+y\n b\n",
			Text{Body: "a long line of context\nx\n" + strings.Repeat("x\n", 300) + "a long line of context\nx\n"},
			"the hunk has no place in the file: it would fit in 200 or more places, at lines 2, 3, 4, 5, 6, ....",
		},
		{"nowhere", head + "@@\n+y\n", Text{Body: p20}, "the hunk has no place in the file: it has no line that says where its new lines go."},
		{"behind the end", head + "@@ -30,0 +31 @@\n+y\n", Text{Body: p20}, "the hunk has no place in the file: it has no line that says where its new lines go."},
		{"there already", head + "@@ -9,3 +9,3 @@\n this is line number 9\n-this is line number 10\n+ten\n this is line number 11\n", Text{Body: poemWith(20, 10, "ten\n")}, ""},
		{"inserted already, and moved", head + "@@ -9,2 +9,3 @@\n this is line number 9\n+ten\n this is line number 11\n", Text{Body: "x\n" + poemWith(20, 10, "ten\n")}, ""},
		{"appended already", head + "@@ -8,2 +8,3 @@\n this is line number 8\n this is line number 9\n+this is line number 10\n", Text{Body: p20}, ""},
		{"appended already, and moved", head + "@@ -8,2 +8,3 @@\n this is line number 8\n this is line number 9\n+this is line number 10\n", Text{Body: "x\n" + p20}, ""},
		{"put before already", head + "@@ -9,1 +9,2 @@\n+this is line number 8\n this is line number 9\n", Text{Body: p20}, ""},
		{"nothing to do", head + "@@ -1,2 +1,2 @@\n this is line number 1\n this is line number 2\n", Text{Body: p20}, ""},
		{"the same again", head + "@@ -1 +1 @@\n-this is line number 1\n+this is line number 1\n", Text{Body: p20}, ""},
		{"no change of mode", "diff --git a/f b/f\nindex 1234567..89abcde 100644\n", Text{Body: p20}, ""},
	} {
		p, err := draft(t, test.patch, test.current)
		if test.want == "" {
			if !errors.Is(err, ErrNothing) {
				t.Errorf("%s: %v, %+v", test.name, err, p)
			}
			continue
		}
		var stale *StaleError
		if !errors.As(err, &stale) || stale.Error() != test.want {
			t.Errorf("%s: %v, %+v\nwant %s", test.name, err, p, test.want)
		}
		checkInConflict(t, p)
	}
}

// TestDraftMissing: of a file that is not there, only hunks that change something are in conflict.
func TestDraftMissing(t *testing.T) {
	const nothing = "@@ -1,2 +1,2 @@\n a\n b\n"
	for patch, want := range map[string]int{
		"--- a/f\n+++ b/f\n" + nothing + nothing:                                     0,
		"--- a/f\n+++ b/f\n" + nothing + "@@ -8 +8 @@\n-c\n+d\n" + nothing + nothing: 1,
	} {
		p, err := draft(t, patch, Text{Missing: true})
		if _, stale := errors.AsType[*StaleError](err); !stale {
			t.Errorf("%q: %v", patch, err)
		}
		if want == 0 {
			if p != nil {
				t.Errorf("%q: %+v", patch, p)
			}
			continue
		}
		checkInConflict(t, p)
		if len(p.Hunks) != want {
			t.Errorf("%q: %s", patch, short(p))
		}
	}
}

// TestDraftTooSlow: a hunk for which not all of the file was looked at has no place.
func TestDraftTooSlow(t *testing.T) {
	files, err := ParsePatch("--- a/f\n+++ b/f\n@@\n a\n-b\n+c\n")
	if err != nil {
		t.Fatal(err)
	}
	p, _ := files[0].placer(Text{Body: strings.Repeat("a\nb\n", 10)})
	p.steps = 3
	p.run()
	if f := p.fits[0]; f.placed() || f.reason != "the file's lines repeat too often to find its place" {
		t.Errorf("%+v", f)
	}
}

// TestDraftMergesUnlikeEdits: in a text of lines that are all different, the user's edits and the patch's, on lines of
// their own, are both there in the end, wherever they are; whether the hunks have their numbers or not.
func TestDraftMergesUnlikeEdits(t *testing.T) {
	conflicts, total, tools := 0, 0, 60
	if testing.Short() {
		tools = 5
	}
	for seed := range 2000 {
		r := rand.New(rand.NewPCG(42, uint64(seed)))
		original, modified, current, want := unlikeEdits(r, 10+r.IntN(60))
		patch := Diff(Text{Body: original}, modified).Print("f", "f").Text
		if patch == "" {
			continue
		}
		if r.IntN(2) == 0 {
			patch = mangle(r, patch, noNumbers)
		}
		p, err := draft(t, patch, Text{Body: current})
		if _, ok := errors.AsType[*StaleError](err); ok {
			continue
		}
		if err != nil {
			t.Fatal(seed, err)
		}
		checkPlaced(t, p)
		lost := 0
		for _, h := range p.Hunks {
			if total++; h.State == Conflict {
				lost++
			}
		}
		conflicts += lost
		if seed < tools {
			if out, ok := tryGitApply(t, current, patch); ok && (lost > 0 || p.Modified != out) {
				t.Fatalf("seed %d: %d conflicts, %q\ngit apply gives %q\n%s", seed, lost, p.Modified, out, patch)
			}
		}
		if lost == 0 && p.Modified != want {
			t.Fatalf("seed %d:\n%s\ngives %q\nwant %q", seed, patch, p.Modified, want)
		}
	}
	if conflicts > total/5 {
		t.Errorf("%d of %d hunks have no place", conflicts, total)
	}
}

// tryGitApply lets git apply a patch to a file f, if it does.
func tryGitApply(t *testing.T, body, patch string) (string, bool) {
	t.Helper()
	dir := t.TempDir()
	tree{"f": {raw: body}}.lay(t, dir)
	_, err := git(t, dir, patch, "apply", "--whitespace=nowarn", "-")
	return readTree(t, dir)["f"].raw, err == nil
}

// unlikeEdits is a text of lines that are all different, with edits of the agent's, of the user's, and of both.
func unlikeEdits(r *rand.Rand, n int) (original, modified, current, both string) {
	var texts [4]strings.Builder
	last := 0
	for i := range n {
		line := fmt.Sprintf("a line called %d\n", i)
		l := [4]string{line, line, line, line}
		k := r.IntN(20)
		if last++; k < 4 && last > 2 {
			last = 0
			who, text := 1, fmt.Sprintf("the agent's %d\n", i)
			if k > 1 {
				who, text = 2, fmt.Sprintf("the user's %d\n", i)
			}
			if k%2 == 1 {
				text += line
			}
			l[who], l[3] = text, text
		}
		for j := range l {
			texts[j].WriteString(l[j])
		}
	}
	return texts[0].String(), texts[1].String(), texts[2].String(), texts[3].String()
}
