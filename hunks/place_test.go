package hunks

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// poem is a text of n lines that are all different.
func poem(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, "this is line number %d\n", i+1)
	}
	return out.String()
}

// poemWith is a poem with one line replaced by text.
func poemWith(n, line int, text string) string {
	return strings.Replace(poem(n), fmt.Sprintf("this is line number %d\n", line), text, 1)
}

// TestPlace is long because of its table.
func TestPlace(t *testing.T) {
	p20 := poem(20)
	changed := poemWith(20, 10, "changed\n")
	for _, test := range []struct {
		name               string
		current            Text
		original, modified string
		want               string // Modified
		note               string // part of the notes, "" for none
	}{
		{"equal", Text{Body: p20}, p20, changed, changed, ""},
		{"new file", Text{Missing: true}, "", "a\n", "a\n", ""},
		{"empty file", Text{}, "", "a\n", "a\n", ""},
		{"emptied", Text{Body: "a\n"}, "a\n", "", "", ""},
		{"CRLF file, LF proposal", Text{Body: "a\nb\n", CRLF: true}, "a\nb\n", "a\nB\n", "a\nB\n", "got CRLF"},
		{"CRLF file, CRLF proposal", Text{Body: "a\nb\n", CRLF: true}, "a\r\nb\r\n", "a\r\nB\r\n", "a\nB\n", ""},
		{"CRLF file, mixed proposal", Text{Body: "a\nb\n", CRLF: true}, "a\nb\n", "a\r\nB\n", "a\nB\n", "got CRLF"},
		{"LF file, CRLF proposal", Text{Body: "a\nb\n"}, "a\r\nb\r\n", "a\r\nB\r\n", "a\nB\n", "got LF"},
		{"LF file to CRLF", Text{Body: "a\nb\n"}, "a\nb\n", "a\r\nb\r\n", "a\r\nb\r\n", ""},
		{"mixed file", Text{Body: "a\r\nb\n"}, "a\r\nb\n", "a\r\nB\n", "a\r\nB\n", ""},
		{"mark in the proposal", Text{Body: "a\n", BOM: true}, "\uFEFFa\n", "\uFEFFb\n", "b\n", ""},
		{"mark only in the file", Text{Body: "a\n", BOM: true}, "a\n", "b\n", "b\n", ""},
		{"mark only in the proposal", Text{Body: "a\n"}, "a\n", "\uFEFFb\n", "\uFEFFb\n", ""},
		{"no final newline, original has one", Text{Body: "a\nb"}, "a\nb\n", "a\nB\n", "a\nB", "no final newline"},
		{"no final newline, modified neither", Text{Body: "a\nb"}, "a\nb\n", "a\nB", "a\nB", "no final newline"},
		{"no final newline, added", Text{Body: "a\nb"}, "a\nb", "a\nb\n", "a\nb\n", ""},
		{"no final newline, all but an empty line removed", Text{Body: "a"}, "a\n", "\n", "\n", "no final newline"},
		{"final newline, proposal without", Text{Body: "a\nb\n"}, "a\nb", "a\nB", "a\nB\n", "newline was kept"},
		{"final newline, original without", Text{Body: "a\nb\n"}, "a\nb", "a\nB\n", "a\nB\n", ""},
		{"final newline, emptied", Text{Body: "a\nb\n"}, "a\nb", "", "", ""},
		{"final newline dropped", Text{Body: "a\nb\n"}, "a\nb\n", "a\nb", "a\nb", ""},
		{"snippet of whole lines", Text{Body: "a\nb\nc\n"}, "b\n", "B\nB\n", "a\nB\nB\nc\n", ""},
		{"snippet in a line", Text{Body: "a\nfoo bar\nc\n"}, "oo b", "OO B", "a\nfOO Bar\nc\n", ""},
		{"snippet without newline", Text{Body: "a\nb\nc\n"}, "b", "B", "a\nB\nc\n", ""},
		{"snippet, newline forgotten", Text{Body: "a\nb\nc\n"}, "b\n", "B", "a\nB\nc\n", "lacked the newline"},
		{"snippet at the end, newline dropped", Text{Body: "a\nb\n"}, "b\n", "B", "a\nB", ""},
		{"snippet removed", Text{Body: "a\nb\nc\n"}, "b\n", "", "a\nc\n", ""},
		{"snippet at an end without newline", Text{Body: "a\nb"}, "b\n", "B\n", "a\nB", "no final newline"},
		{"snippet, CRLF", Text{Body: "a\nb\nc\n", CRLF: true}, "b\r\nc", "B\r\nc", "a\nB\nc\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := Place(test.current, test.original, test.modified)
			if err != nil {
				t.Fatal(err)
			}
			if p.Modified != test.want {
				t.Errorf("%q, want %q", p.Modified, test.want)
			}
			notes := strings.Join(p.Notes, "|")
			if !strings.Contains(notes, test.note) || test.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, test.note)
			}
			if p.Base != test.current {
				t.Errorf("base %+v", p.Base)
			}
			checkPure(t, p)
			checkTools(t, p)
		})
	}
}

func TestPlaceNothing(t *testing.T) {
	for _, test := range []struct {
		name               string
		current            Text
		original, modified string
	}{
		{"equal", Text{Body: "a\n"}, "x\n", "x\n"},
		{"there already", Text{Body: "a\n"}, "x\n", "a\n"},
		{"there already, original is not unique", Text{Body: "a\na\n"}, "a\n", "a\na\n"},
		{"there but for CRLF", Text{Body: "a\n", CRLF: true}, "x\n", "a\r\n"},
		{"there but for the mark", Text{Body: "a\n", BOM: true}, "x\n", "\uFEFFa\n"},
		{"only the unseen newline", Text{Body: "a\nb"}, "a\nb\n", "a\nb"},
		{"drifted, and there", Text{Body: "new\n" + poemWith(20, 10, "changed\n")}, poem(20), poemWith(20, 10, "changed\n")},
		{"a snippet that was replaced before", Text{Body: "zero\nthis is one\nTWO\nthree\n"}, "this is one\ntwo\n", "this is one\nTWO\n"},
		{"both empty", Text{}, "", ""},
	} {
		if p, err := Place(test.current, test.original, test.modified); !errors.Is(err, ErrNothing) {
			t.Errorf("%s: %v, %+v", test.name, err, p)
		}
	}
}

func TestPlaceStale(t *testing.T) {
	long := strings.Repeat("x", 200)
	for _, test := range []struct {
		name               string
		current            Text
		original, modified string
		want               string
	}{
		{"not empty", Text{Body: "a\nb\n"}, "", "c\n", "original is empty, but the file is not: it has 2 lines."},
		{"missing", Text{Missing: true}, "a\n", "b\n", "original is not empty, but the file does not exist."},
		{"empty", Text{}, "a\n", "b\n", "original is not empty, but the file is."},
		{"several", Text{Body: "a\nb\na\n"}, "a\n", "c\n", "original occurs 2 times in the file, at lines 1, 3: give the whole file, or more of the text around it."},
		{"overlapping", Text{Body: "aaa\n"}, "aa", "c", "original occurs 2 times in the file, at line 1: give the whole file, or more of the text around it."},
		{"many", Text{Body: strings.Repeat("a\n", 9)}, "a", "c", "original occurs 9 times in the file, at lines 1, 2, 3, 4, 5, ...: give the whole file, or more of the text around it."},
		{"very many", Text{Body: strings.Repeat("a", 2000)}, "a", "c", "original occurs 1000 or more times in the file, at line 1, ...: give the whole file, or more of the text around it."},
		{"none of it", Text{Body: "a\nb\n"}, "x\n", "y\n", `original does not match the file: none of its lines are there. Line 1: original has "x", the file has "a".`},
		{"one line", Text{Body: "1\n2\nb c\n4\n"}, "2\nb  c\n4\n", "2\nB\n4\n", `original does not match the file. Line 3: original has "b  c", the file has "b c".`},
		{"tabs", Text{Body: "1\n\tb\n"}, "1\n    b\n", "1\nB\n", `original does not match the file. Line 2: original has "    b", the file has "\tb".`},
		{"past the end", Text{Body: "1\n"}, "1\nb\n", "1\nB\n", `original does not match the file. Line 2: original has "b", the file has no such line.`},
		{"a brace that is there", Text{Body: "a\n}\nb\n"}, "]\n", "}\n", `original does not match the file: none of its lines are there. Line 1: original has "]", the file has "a".`},
		{"emptied, of another file", Text{Body: "this is something else\n"}, "a line\nanother line\n", "", `original does not match the file: none of its lines are there. Line 1: original has "a line", the file has "this is something else". Line 2: original has "another line", the file has no such line.`},
		{"above the file", Text{Body: "b\nc\nd\n"}, "a\nb\nC\nd\n", "x\n", `original does not match the file. Line 1: original has "a", the file has no such line.`},
		{
			"only a newline",
			Text{Body: "a\nb"},
			"a\nb\nc\n", "a\nb\nC\n",
			`original does not match the file. Line 2: original has "b" with a newline, the file has "b" without a newline. Line 3: original has "c", the file has no such line.`,
		},
		{
			"long, of wide characters",
			Text{Body: "1\n" + strings.Repeat("é", 40) + "a" + strings.Repeat("é", 80) + "\n"},
			"1\n" + strings.Repeat("é", 40) + "b\n", "1\n",
			`original does not match the file. Line 2: original has "` + strings.Repeat("é", 40) + `b", the file has …"` +
				strings.Repeat("é", 13) + "a" + strings.Repeat("é", 80) + `".`,
		},
		{"long", Text{Body: "1\n" + long + "\n"}, "1\n" + long + "y\n", "1\n", `original does not match the file. Line 2: original has …"` +
			strings.Repeat("x", 25) + `y", the file has "` + strings.Repeat("x", 100) + `"….`},
	} {
		p, err := Place(test.current, test.original, test.modified)
		var stale *StaleError
		if !errors.As(err, &stale) {
			t.Errorf("%s: %v, %+v", test.name, err, p)
			continue
		}
		if got := stale.Error(); got != test.want {
			t.Errorf("%s: %s\nwant %s", test.name, got, test.want)
		}
	}
}

func FuzzPlace(f *testing.F) {
	f.Add(poem(20), poem(19), poemWith(19, 5, "x\n"), false, false)
	f.Add("a\nb", "b\n", "c\n", true, false)
	f.Add("a\na\n", "a\n", "b", false, true)
	f.Fuzz(func(t *testing.T, current, original, modified string, crlf, bom bool) {
		p, err := Place(Text{Body: current, CRLF: crlf, BOM: bom}, original, modified)
		var stale *StaleError
		switch {
		case errors.As(err, &stale):
			if stale.Error() == "" {
				t.Error("no reason")
			}
		case err != nil:
			if !errors.Is(err, ErrNothing) {
				t.Error(err)
			}
		default:
			checkPlaced(t, p)
		}
	})
}

func BenchmarkPlaceEqual(b *testing.B) {
	original, modified := bigTexts(100_000)
	current := Text{Body: strings.Clone(original)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Place(current, original, modified); err != nil {
			b.Fatal(err)
		}
	}
}
