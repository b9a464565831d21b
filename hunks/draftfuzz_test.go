package hunks

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzDraft: what Print writes is read, and means the same; with another line above the file too, or says so.
func FuzzDraft(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nB\nc\n", "f", false, false, false)
	f.Add("a\nb", "a\nb\nc", "d/my f", true, false, false)
	f.Add("-- a\n++ b\n@@ -1 +1 @@\n", "--- a\n+++ b\n@@ -1 +1 @@\n", "a/b\n", false, true, false)
	f.Add("", "x\n", "ü", false, false, true)
	f.Fuzz(func(t *testing.T, body, modified, name string, crlf, bom, missing bool) {
		base := Text{Body: body, CRLF: crlf && strings.Contains(body, "\n"), BOM: bom && body != "" && modified != ""}
		if missing {
			base = Text{Missing: true}
		}
		if !utf8.ValidString(name) || strings.TrimSpace(name) == "" || strings.Contains(name, "\x00") || len(name) > 1000 ||
			name != cleanName(name) || name == "dev/null" {
			name = "f"
		}
		patch := Diff(base, modified).Print(name, name).Text
		if patch == "" {
			return
		}
		files, err := ParsePatch(patch)
		if err != nil || len(files) != 1 || files[0].Name() != name {
			t.Fatalf("%v, %s\n%s", err, brief(files), patch)
		}
		p, err := files[0].Draft(base)
		if errors.Is(err, ErrNothing) && base.Body == modified {
			return
		}
		if err != nil || p.Modified != modified {
			t.Fatalf("%v, %+v\n%s", err, p, patch)
		}
		checkPlaced(t, p)
		if !missing {
			base.Body = "something new\n" + base.Body
			checkDraft(t, files[0], base)
		}
	})
}

func BenchmarkDraft(b *testing.B) {
	original, modified := bigTexts(100_000)
	patch := Diff(Text{Body: original}, modified).Print("f", "f").Text
	current := Text{Body: "one more\n" + original}
	b.ReportAllocs()
	b.SetBytes(int64(len(patch)))
	for b.Loop() {
		files, err := ParsePatch(patch)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := files[0].Draft(current); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDraftHostile has texts made to be slow.
func BenchmarkDraftHostile(b *testing.B) {
	same := strings.Repeat("a\nb\n", 50_000)
	long := strings.Repeat(" a\n b\n", 25_000)
	head := "--- a/f\n+++ b/f\n"
	for _, test := range []struct{ name, patch, body string }{
		{"hunks that fit everywhere", head + strings.Repeat("@@\n a\n-b\n+c\n a\n", 20_000), same},
		{"hunks that nearly fit everywhere", head + strings.Repeat("@@\n a\n b\n a\n b\n a\n-b\n+c\n x\n", 20_000), same},
		{"long hunks that nearly fit", head + strings.Repeat("@@\n"+long+"-a\n-a\n+c\n"+long, 20), same},
		{"anchors", head + strings.Repeat("@@ a\n", 1_000_000) + " a\n-b\n+c\n", same},
		{"anchors of many hunks", head + strings.Repeat("@@ x\n@@ a\n a\n-b\n+c\n", 20_000), "x\n" + same},
		{"no hunk ends", head + strings.Repeat("@@ -1,900000000 +1,900000000 @@\n-a\nprose\n\n", 20_000), same},
		{"blank lines", head + "@@ -1,4 +1,3 @@\n-a\n" + strings.Repeat("\n", 10_000_000), same},
		{"names", strings.Repeat("diff --git a/"+strings.Repeat("x y/", 4000)+"\nold mode 100644\nnew mode 100755\n", 900), same},
		{"one line", head + "@@\n-" + strings.Repeat("a", 15_000_000), same},
	} {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if files, err := ParsePatch(test.patch); err == nil {
					_, _ = files[0].Draft(Text{Body: test.body})
				}
			}
		})
	}
}
