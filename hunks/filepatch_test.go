package hunks

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// brief writes file patches short: what happens to which file, and the hunks as "START:LINES".
func brief(files []FilePatch) string {
	var out []string
	for _, f := range files {
		s := string(f.Kind) + " " + f.OldName
		if f.NewName != f.OldName {
			s += ">" + f.NewName
		}
		if f.OldMode != 0 || f.NewMode != 0 {
			s += fmt.Sprintf(" %o>%o", f.OldMode, f.NewMode)
		}
		for _, h := range f.Hunks {
			s += fmt.Sprintf(" %d", h.Start)
			if len(h.Anchors) > 0 {
				s += fmt.Sprintf("%q", h.Anchors)
			}
			s += ":"
			for _, l := range h.Lines {
				s += strings.ReplaceAll(l.String(), "\n", "$")
			}
			if h.AtEnd {
				s += "EOF"
			}
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func TestParsePatch(t *testing.T) {
	const body = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
	for _, test := range []struct{ name, patch, want string }{
		{"git", "diff --git a/f b/f\nindex 1234567..89abcde 100644\n--- a/f\n+++ b/f\n" + body, "modify f 100644>0 1: a$-b$+c$"},
		{"plain", "--- a/f\n+++ b/f\n" + body, "modify f 1: a$-b$+c$"},
		{"without prefixes", "--- d/f\n+++ d/f\n" + body, "modify d/f 1: a$-b$+c$"},
		{"prefix on the old side", "--- a/d/f\n+++ d/f\n" + body, "modify d/f 1: a$-b$+c$"},
		{"prefix on the new side", "--- d/f\n+++ b/d/f\n" + body, "modify d/f 1: a$-b$+c$"},
		{"a/ twice", "--- a/d/f\n+++ a/d/f\n" + body, "modify d/f 1: a$-b$+c$"},
		{"mnemonic prefixes", "diff --git c/d/f w/d/f\n--- c/d/f\n+++ w/d/f\n" + body, "modify d/f 1: a$-b$+c$"},
		{"no prefix in a folder like one", "diff --git c/f c/f\n--- c/f\n+++ c/f\n" + body, "modify c/f 1: a$-b$+c$"},
		{"a folder inside the prefix", "--- a/b/f\n+++ b/b/f\n" + body, "modify b/f 1: a$-b$+c$"},
		{"absolute", "--- /home/me/f\n+++ /home/me/f\n" + body, "modify /home/me/f 1: a$-b$+c$"},
		{"absolute with prefixes", "--- a//home/me/f\n+++ b//home/me/f\n" + body, "modify /home/me/f 1: a$-b$+c$"},
		{"dot", "--- ./f\n+++ ./f\n" + body, "modify f 1: a$-b$+c$"},
		{"out of the folder", "--- a/../f\n+++ b/../f\n" + body, "modify ../f 1: a$-b$+c$"},
		{"time behind a TAB", "--- f\t2024-01-01 10:00:00.000000000 +0000\n+++ f\t2024-01-02 10:00:00.000000000 +0000\n" + body, "modify f 1: a$-b$+c$"},
		{"time behind a space", "--- a/my f 2024-01-01 10:00:00\n+++ b/my f 2024-01-01 10:00:00\n" + body, "modify my f 1: a$-b$+c$"},
		{"spaces", "--- a/my f\t\n+++ b/my f\t\n" + body, "modify my f 1: a$-b$+c$"},
		{"spaces, no TAB", "--- a/my f\n+++ b/my f \n" + body, "modify my f 1: a$-b$+c$"},
		{"quoted", "--- \"a/\\303\\274 \\\"q\\\"\\\\\"\n+++ \"b/\\303\\274 \\\"q\\\"\\\\\"\n" + body, "modify ü \"q\"\\ 1: a$-b$+c$"},
		{"quoted for nothing", "--- \"a/f\"\n+++ \"b/f\"\n" + body, "modify f 1: a$-b$+c$"},
		{"backup", "--- f.orig\n+++ f\n" + body, "modify f 1: a$-b$+c$"},
		{"two files", "--- d/f\t2024-01-01\n+++ e/g\t2024-01-01\n" + body, "modify d/f>e/g 1: a$-b$+c$"},
		{"two folders", "diff -ru old/d/f new/d/f\n--- old/d/f\t2024-01-01\n+++ new/d/f\t2024-01-01\n" + body, "modify d/f 1: a$-b$+c$"},
		{"only ---", "--- a/f\n" + body, "modify f 1: a$-b$+c$"},
		{"only +++", "+++ b/f\n" + body, "modify f 1: a$-b$+c$"},
		{"only diff --git", "diff --git a/f b/f\n" + body, "modify f 1: a$-b$+c$"},
		{"svn", "Index: f\n===================================================================\n--- f\t(revision 1)\n+++ f\t(working copy)\n" + body, "modify f 1: a$-b$+c$"},

		{"create", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", "create >f 1:+a$"},
		{"create, git", "diff --git a/f b/f\nnew file mode 100755\nindex 0000000..1234567\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", "create >f 0>100755 1:+a$"},
		{"create empty", "diff --git a/d e/f b/d e/f\nnew file mode 100644\nindex 0000000..e69de29\n", "create >d e/f 0>100644"},
		{"create in b without prefix", "diff --git b/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", "create >f 0>100644 1:+a$"},
		{"create in src without prefix", "--- /dev/null\n+++ src/f\n@@ -0,0 +1 @@\n+a\n", "create >src/f 1:+a$"},
		{"create with a bare empty line", "--- /dev/null\n+++ b/f\n@@ -0,0 +1,3 @@\n+a\n\n+b\n", "create >f 0:+a$+$+b$"},
		{"create by time", "--- f\t1970-01-01 00:00:00.000000000 +0000\n+++ f\t2024-01-02 10:00:00.000000000 +0000\n@@ -0,0 +1 @@\n+a\n", "create >f 1:+a$"},
		{"create by time elsewhere", "--- f\t1969-12-31 19:00:00.000000000 -0500\n+++ f\t2024-01-02 10:00:00.000000000 +0000\n@@ -0,0 +1 @@\n+a\n", "create >f 1:+a$"},
		{"create in another folder", "diff -ruN old/d/f new/d/f\n--- old/d/f\t1970-01-01 00:00:00.000000000 +0000\n+++ new/d/f\t2024-01-02 10:00:00.000000000 +0000\n@@ -0,0 +1 @@\n+a\n", "create >d/f 1:+a$"},
		{"delete in another folder", "--- old/f\t2024-01-02 10:00:00.000000000 +0000\n+++ new/f\t1970-01-01 00:00:00.000000000 +0000\n@@ -1 +0,0 @@\n-a\n", "delete f> 1:-a$"},
		{"create by time east of it", "--- f\t1970-01-01 01:00:00 +0100\n+++ f\t2024-01-02 10:00:00 +0100\n@@ -0,0 +1 @@\n+a\n", "create >f 1:+a$"},
		{"a time that is no such", "--- f\t1970-01-01 01:00:00 +0000\n+++ f\t2024-01-02 10:00:00 +0000\n@@ -1 +1,2 @@\n a\n+b\n", "modify f 1: a$+b$"},
		{"a/dev/null", "--- a/dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", "create >f 1:+a$"},
		{"delete", "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "delete f> 1:-a$"},
		{"delete, git", "diff --git a/f b/f\ndeleted file mode 100644\nindex 1234567..0000000\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "delete f> 100644>0 1:-a$"},
		{"delete without lines", "diff --git a/f b/f\ndeleted file mode 100644\n", "delete f> 100644>0"},
		{"mode", "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", "modify f 100644>100755"},
		{"short mode", "diff --git a/f b/f\nold mode 644\nnew mode 0755\n", "modify f 100644>100755"},
		{"rename", "diff --git a/old f b/d/new\nsimilarity index 100%\nrename from old f\nrename to d/new\n", "rename old f>d/new"},
		{"rename and change", "diff --git a/f b/g\nsimilarity index 90%\nrename from f\nrename to g\nindex 1234567..89abcde 100644\n--- a/f\n+++ b/g\n" + body, "rename f>g 100644>0 1: a$-b$+c$"},
		{"rename, quoted", "diff --git \"a/\\303\\274\" b/u\nrename from \"\\303\\274\"\nrename to u\n", "rename ü>u"},
		{"rename without diff --git", "rename from f\nrename to g\n--- a/f\n+++ b/g\n" + body, "rename f>g 1: a$-b$+c$"},
		{"rename with prefixes", "diff --git a/f b/g\nrename from a/f\nrename to b/g\n", "rename f>g"},
		{"rename from folder a to b", "diff --git a/a/f b/b/f\nrename from a/f\nrename to b/f\n", "rename a/f>b/f"},
		{"rename by names only", "--- a/f\n+++ b/g\n" + body, "rename f>g 1: a$-b$+c$"},
		{"rename by git names only", "diff --git a/f b/g\n--- a/f\n+++ b/g\n" + body, "rename f>g 1: a$-b$+c$"},

		{"counts too high", "--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n", "modify f 1: a$-b$+c$"},
		{"counts too low", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n a\n-b\n+c\n d\n", "modify f 1: a$-b$+c$ d$"},
		{"counts too low, next file", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n a\n-b\n+c\n d\n--- a/g\n+++ b/g\n" + body, "modify f 1: a$-b$+c$ d$; modify g 1: a$-b$+c$"},
		{"counts too low, before a bare line", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\n+d\n", "modify f 1: a$-b$+c$ $+d$"},
		{"counts too low, before a line without its space", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\nc\n+d\n", "modify f 1:-a$+b$ c$+d$"},
		{"no numbers", "--- a/f\n+++ b/f\n@@\n a\n-b\n+c\n@@\n-d\n", "modify f 0: a$-b$+c$ 0:-d$"},
		{"dots", "--- a/f\n+++ b/f\n@@ ... @@\n a\n-b\n+c\n@@ ... @@ func f()\n-d\n", "modify f 0: a$-b$+c$ 0[\"func f()\"]:-d$"},
		{"only a name", "--- a/f\n+++ b/f\n@@ func f() @@\n-b\n@@ func g()\n-d\n", "modify f 0[\"func f()\"]:-b$ 0[\"func g()\"]:-d$"},
		{"old range only", "--- a/f\n+++ b/f\n@@ -7,2 @@\n a\n-b\n+c\n", "modify f 7: a$-b$+c$"},
		{"name behind the ranges", "--- a/f\n+++ b/f\n@@ -7,2 +7,2 @@ func f()\n a\n-b\n+c\n", "modify f 7[\"func f()\"]: a$-b$+c$"},
		{"no header at all", "--- a/f\n+++ b/f\n a\n-b\n+c\n", "modify f 0: a$-b$+c$"},
		{"huge number", "--- a/f\n+++ b/f\n@@ -99999999999999999999,2 +1,2 @@\n a\n-b\n+c\n", "modify f 0[\"-99999999999999999999,2 +1,2\"]: a$-b$+c$"},
		{"no context", "--- a/f\n+++ b/f\n@@ -5,0 +6 @@\n+a\n@@ -9 +9,0 @@\n-b\n", "modify f 6:+a$ 9:-b$"},
		{"bare empty lines", "--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\n\n-b\n+c\n\n d\n", "modify f 1: $-b$+c$ $ d$"},
		{"bare empty lines at the end, counted", "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n-b\n+c\n\n\n\n--- a/g\n+++ b/g\n" + body, "modify f 1:-b$+c$ $ $; modify g 1: a$-b$+c$"},
		{"bare empty lines at the end, not counted", "--- a/f\n+++ b/f\n@@\n-b\n+c\n\n\n", "modify f 0:-b$+c$"},
		{"a context line without its space", "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\nb\n-c\n+d\n", "modify f 1: a$ b$-c$+d$"},
		{"the same, not counted", "--- a/f\n+++ b/f\n@@\n a\nb\n-c\n+d\n", "modify f 0: a$ b$-c$+d$"},
		{"no newline", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ Kein Zeilenumbruch\n", "modify f 1:-a+b"},
		{"no newline, not counted", "--- a/f\n+++ b/f\n@@\n-a\n\\ No newline at end of file\n+b\n", "modify f 0:-a+b$"},
		{"all in CRLF", strings.ReplaceAll("diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n\n-b\n\\ No newline at end of file\n+c\n", "\n", "\r\n"), "modify f 1: a$ $-b+c$"},
		{"content in CRLF", "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\r\n\r\n-b\r\n+c\r\n", "modify f 1: a\r$ \r$-b\r$+c\r$"},
		{"no final newline of the patch", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c", "modify f 1: a$-b$+c$"},

		{"looks like a header, counted", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n--- a/x\n+++ b/x\n@@ -9 +9 @@\n-a\n+b\n", "modify f 1: a$--- a/x$+++ b/x$ 9:-a$+b$"},
		{"a comment removed", "--- a/f\n+++ b/f\n@@\n a\n--- a comment\n+++ b\n c\n", "modify f 0: a$--- a comment$+++ b$ c$"},
		{"a header in the hunk and another file", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n--- x\n+++ x\n--- a/g\n+++ b/g\n" + body, "modify f 1: a$--- x$+++ x$; modify g 1: a$-b$+c$"},
		{"prose", "Here is the patch:\n\n--- a/f\n+++ b/f\n" + body + "\nIt does:\n- this\n+ that\n", "modify f 1: a$-b$+c$"},
		{"fence", "Here:\n```diff\n--- a/f\n+++ b/f\n@@\n a\n-b\n+c\n```\n\nIt does:\n- this\n", "modify f 0: a$-b$+c$"},
		{"fence in the file", "--- a/f.md\n+++ b/f.md\n@@\n a\n```\n-b\n+c\n", "modify f.md 0: a$ ```$-b$+c$"},
		{"two fences", "```diff\n--- a/f\n+++ b/f\n" + body + "```\nand\n```diff\n--- a/g\n+++ b/g\n" + body + "```\n", "modify f 1: a$-b$+c$; modify g 1: a$-b$+c$"},
		{"mail", "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nSubject: x\n\n---\n f | 2 +-\n\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n" + body + "-- \n2.39.5\n\n", "modify f 1: a$-b$+c$"},
		{"mail with wrong counts", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n a\n-b\n+c\n-- \n2.39.5\n", "modify f 1: a$-b$+c$"},
		{"merged", "--- a/f\n+++ b/f\n" + body + "--- a/f\n+++ b/f\n@@ -9 +9 @@\n-x\n+y\n", "modify f 1: a$-b$+c$ 9:-x$+y$"},
		{"merged with a mode", "diff --git a/f b/f\n--- a/f\n+++ b/f\n" + body + "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", "modify f 100644>100755 1: a$-b$+c$"},
		{"git header, then another file without one", "diff --git a/f b/g\nrename from f\nrename to g\n--- a/h\n+++ b/h\n" + body, "rename f>g; modify h 1: a$-b$+c$"},
		{"stat-dirty", "diff --git a/f b/f\ndiff --git a/g b/g\n--- a/g\n+++ b/g\n" + body, "modify f; modify g 1: a$-b$+c$"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files, err := ParsePatch(test.patch)
			if err != nil {
				t.Fatal(err)
			}
			if got := brief(files); got != test.want {
				t.Errorf("%s\nwant %s", got, test.want)
			}
		})
	}
}

func TestParsePatchErrors(t *testing.T) {
	const body = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
	for _, test := range []struct {
		name, patch string
		kind        PatchErrorKind
		line        int
		reason      string
	}{
		{"empty", "", PatchSyntax, 1, "no change of a file was found"},
		{"prose", "Please change a to b.\n", PatchSyntax, 1, "no change of a file was found"},
		{"hunk without a file", "prose\n" + body, PatchSyntax, 2, "before any file name"},
		{"names without a hunk", "--- a/f\n+++ b/f\n", PatchSyntax, 1, "no hunks"},
		{"hunk without lines", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n@@ -2 +2 @@\n-a\n", PatchSyntax, 3, "no lines"},
		{"nothing created", "--- /dev/null\n+++ b/f\n", PatchSyntax, 1, "no hunks"},
		{"/dev/null twice", "--- /dev/null\n+++ /dev/null\n" + body, PatchSyntax, 1, "both created and deleted"},
		{"no name", "--- \n+++ b/f\n" + body, PatchSyntax, 1, "no file name"},
		{"bad quotes", "--- \"a/\\q\"\n+++ b/f\n" + body, PatchSyntax, 1, "cannot be read"},
		{"two names, and one of them again", "--- d/f\n+++ e/g\n" + body + "--- d/f\n+++ h\n" + body, PatchDuplicate, 7, "from line 1 on"},
		{"half a rename", "diff --git a/f b/g\nrename from f\n", PatchSyntax, 1, "only one of the two names"},
		{"another rename", "diff --git a/f b/g\nrename from f\nrename to g\n--- a/f\n+++ b/h\n" + body, PatchSyntax, 5, "otherwise"},
		{"created from something", "--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n a\n+b\n", PatchSyntax, 3, "created"},
		{"deleted to something", "--- a/f\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", PatchSyntax, 3, "deleted"},
		{"binary", "diff --git a/f b/f\nindex 1..2 100644\nBinary files a/f and b/f differ\n", PatchBinary, 3, "binary"},
		{"binary patch", "--- a/g\n+++ b/g\n" + body + "diff --git a/f b/f\nindex 1..2 100644\nGIT binary patch\nliteral 1\nIc$}\n", PatchBinary, 9, "binary"},
		{"symbolic link", "diff --git a/f b/f\nnew file mode 120000\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+g\n\\ No newline at end of file\n", PatchUnsupported, 2, "symbolic link"},
		{"submodule", "diff --git a/f b/f\nindex 1234567..89abcde 160000\n--- a/f\n+++ b/f\n" + body, PatchUnsupported, 2, "submodule"},
		{"mode", "diff --git a/f b/f\nold mode 9\nnew mode 100644\n", PatchSyntax, 2, "no file mode"},
		{"copy", "diff --git a/f b/g\nsimilarity index 100%\ncopy from f\ncopy to g\n", PatchUnsupported, 3, "copies"},
		{"merge", "diff --cc f\nindex 1,2..3\n--- a/f\n+++ b/f\n@@@ -1,2 -1,2 +1,2 @@@\n", PatchUnsupported, 1, "merge"},
		{"merge hunk", "--- a/f\n+++ b/f\n@@@ -1,2 -1,2 +1,2 @@@\n  a\n", PatchUnsupported, 3, "merge"},
		{"context diff", "*** a/f\n--- b/f\n***************\n*** 1,2 ****\n", PatchUnsupported, 1, "context diff"},
		{"search and replace", "f\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", PatchSyntax, 2, "no diff"},
		{"twice", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n--- a/f\n+++ b/f\n" + body, PatchDuplicate, 5, "from line 1 on"},
		{"renamed and changed", "diff --git a/f b/g\nrename from f\nrename to g\n--- a/f\n+++ b/g\n" + body + "--- a/g\n+++ b/g\n" + body, PatchDuplicate, 10, "g"},
		{"fence within a hunk", "```diff\n--- a/f\n+++ b/f\n@@\n a\n```\n-b\n+c\n```\n", PatchSyntax, 6, "goes on"},
		{"two syntaxes", "--- a/f\n+++ b/f\n" + body + "*** Delete File: g\n", PatchSyntax, 7, "another syntax"},
		{"too large", strings.Repeat("x", maxPatchSize+1), PatchTooLarge, 1, "bytes"},
		{"too many files", strings.Repeat("diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", maxPatchFiles+1), PatchTooLarge, 3*maxPatchFiles + 1, "files"},
		{"too many hunks", "--- a/f\n+++ b/f\n" + strings.Repeat("@@\n-a\n", maxPatchHunks+1), PatchTooLarge, 3 + 2*maxPatchHunks, "hunks"},
		{"long name", "--- a/" + strings.Repeat("x", maxHeaderLine) + "\n+++ b/f\n" + body, PatchSyntax, 1, "too long"},

		{"Codex: no hunks", "*** Begin Patch\n*** Update File: f\n*** End Patch\n", PatchSyntax, 2, "no hunks"},
		{"Codex: no name", "*** Begin Patch\n*** Update File: \n@@\n-a\n*** End Patch\n", PatchSyntax, 2, "no file name"},
		{"Codex: added without +", "*** Begin Patch\n*** Add File: f\n+a\nb\n*** End Patch\n", PatchSyntax, 4, "does not begin with +"},
		{"Codex: unknown", "*** Begin Patch\n*** Add File: f\n+a\n*** Copy File: g\n*** End Patch\n", PatchSyntax, 4, "none of those"},
		{"Codex: a change outside", "*** Begin Patch\n*** Delete File: f\n@@\n-a\n*** End Patch\n", PatchSyntax, 3, "before any file"},
		{"Codex: twice", "*** Begin Patch\n*** Delete File: f\n*** Add File: f\n+a\n*** End Patch\n", PatchDuplicate, 3, "from line 2 on"},
		{"Codex: then unified", "*** Begin Patch\n*** Update File: f\n@@\n-a\ndiff --git a/g b/g\n--- a/g\n+++ b/g\n" + body, PatchSyntax, 5, "begins so"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files, err := ParsePatch(test.patch)
			var e *PatchError
			if !errors.As(err, &e) {
				t.Fatalf("%v, %s", err, brief(files))
			}
			if e.Kind != test.kind || e.Line != test.line || !strings.Contains(e.Reason, test.reason) || e.Advice == "" {
				t.Errorf("%s, %+v", e.Kind, e)
			}
		})
	}
}

func TestParseCodex(t *testing.T) {
	for _, test := range []struct{ name, patch, want string }{
		{
			"all kinds", "*** Begin Patch\n*** Add File: d/new\n+a\n+\n+b\n*** Update File: f\n@@ func f()\n a\n-b\n+c\n*** Delete File: gone\n*** End Patch\n",
			"create >d/new 1:+a$+$+b$; modify f 0[\"func f()\"]: a$-b$+c$; delete gone>",
		},
		{"move", "*** Begin Patch\n*** Update File: f\n*** Move to: d/g\n@@\n-a\n+b\n*** End Patch", "rename f>d/g 0:-a$+b$"},
		{"move only", "*** Begin Patch\n*** Update File: f\n*** Move to: g\n*** End Patch\n", "rename f>g"},
		{"nested anchors", "*** Begin Patch\n*** Update File: f\n@@ class A\n@@   def f(self):\n-a\n+b\n*** End Patch\n", `modify f 0["class A" "def f(self):"]:-a$+b$`},
		{"end of file", "*** Begin Patch\n*** Update File: f\n@@\n a\n+b\n*** End of File\n*** End Patch\n", "modify f 0: a$+b$EOF"},
		{"no @@", "*** Begin Patch\n*** Update File: f\n a\n-b\n+c\n*** End Patch\n", "modify f 0: a$-b$+c$"},
		{"two hunks, bare lines", "*** Begin Patch\n*** Update File: f\n@@\n a\n\n-b\n@@\n+c\n d\n\n*** End Patch\n", "modify f 0: a$ $-b$ 0:+c$ d$"},
		{"heredoc", "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch\nEOF\n", "modify f 0:-a$+b$"},
		{"no end", "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\nEOF", "modify f 0:-a$+b$"},
		{"no begin", "*** Update File: f\n@@\n-a\n+b\n", "modify f 0:-a$+b$"},
		{"with numbers and names", "*** Begin Patch\n*** Update File: f\n--- a/f\n+++ b/f\n@@ -3,1 +3,1 @@\n-a\n+b\n*** End Patch\n", "modify f 3:-a$+b$"},
		{"a unified diff in it", "*** Begin Patch\n--- a/f\n+++ b/f\n@@ -3,1 +3,1 @@\n-a\n+b\n*** End Patch\n", "modify f 3:-a$+b$"},
		{"fence and CRLF", "```\r\n*** Begin Patch\r\n*** Add File: f\r\n+a\r\n*** End Patch\r\n```\r\n", "create >f 1:+a$"},
		{"bare lines at the end of a file", "*** Begin Patch\n*** Add File: f\n+a\n\n+b\n\n\n*** End Patch\n", "create >f 1:+a$+$+b$"},
		{"an empty file", "*** Begin Patch\n*** Add File: f\n*** End Patch\n", "create >f"},
		{
			"marks as content", "*** Begin Patch\n*** Add File: f\n+*** End Patch\n*** Update File: g\n@@\n *** Begin Patch\n-*** End Patch\n*** End Patch\n",
			"create >f 1:+*** End Patch$; modify g 0: *** Begin Patch$-*** End Patch$",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			files, err := ParsePatch(test.patch)
			if err != nil {
				t.Fatal(err)
			}
			if got := brief(files); got != test.want {
				t.Errorf("%s\nwant %s", got, test.want)
			}
		})
	}
}

// FuzzParsePatch: whatever comes, no panic; and what was read says what lines it is made of.
func FuzzParsePatch(f *testing.F) {
	f.Add("diff --git a/f b/f\nold mode 100644\nnew mode 100755\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@ g\n a\n-b\n+c\n", "a\nb\n")
	f.Add("--- a/f\r\n+++ b/f\r\n@@\r\n-a\r\n+b\r\n", "a\r\n")
	f.Add("```\n*** Begin Patch\n*** Update File: f\n*** Move to: g\n@@ x\n a\n+b\n*** End of File\n*** End Patch\n```", "x\na")
	f.Add("--- \"a/\\303\\274\"\t1970-01-01 00:00:00.0 +0000\n+++ b/f\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n", "")
	f.Add("rename from a\nrename to b\n--- a/a\n+++ b/b\n@@ -5,0 +6 @@\n+x\n", "1\n2\n3\n4\n5\n6\n")
	f.Add("+++ 0\n@@\n \n@@\n ", "0") // hunks that change nothing
	f.Add("--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n\\ No newline at end of file\n+b\n", "")
	f.Fuzz(func(t *testing.T, patch, file string) {
		files, err := ParsePatch(patch)
		if bad, ok := errors.AsType[*PatchError](err); ok {
			if bad.Line < 1 || bad.Line > CountLines(patch)+1 || bad.Reason == "" || bad.Advice == "" {
				t.Errorf("%+v", bad)
			}
			return
		}
		if err != nil || len(files) == 0 {
			t.Fatal(len(files), err)
		}
		for _, fp := range files {
			if fp.OldName == "" && fp.NewName == "" || fp.Line < 1 {
				t.Errorf("%+v", fp)
			}
			for _, current := range []Text{NewText(file), {Missing: true}} {
				checkDraft(t, fp, current)
			}
		}
	})
}

// checkDraft drafts a patch and checks what can be checked without knowing what it should be.
func checkDraft(t *testing.T, f FilePatch, current Text) {
	t.Helper()
	p, err := f.Draft(current)
	var stale *StaleError
	switch {
	case errors.As(err, &stale):
		if stale.Error() == "" {
			t.Error("no reason")
		}
		if p == nil && !slices.ContainsFunc(f.Hunks, func(h RawHunk) bool { return h.changes() }) {
			return
		}
		checkInConflict(t, p)
	case err != nil:
		if !errors.Is(err, ErrNothing) {
			t.Error(err)
		}
	default:
		if p.Base != current {
			t.Errorf("base %+v", p.Base)
		}
		checkPlaced(t, p)
		checkLines(t, f, p)
		checkSpans(t, p, p.PrintGit("old", "new"), "new")
	}
}

// checkLines checks that nothing is removed or added that the patch does not remove or add.
func checkLines(t *testing.T, f FilePatch, p *Patch) {
	t.Helper()
	if f.Kind == Create || f.Kind == Delete {
		return
	}
	said := map[string]int{}
	key := func(op gitdiff.LineOp, line string) string {
		return op.String() + strings.TrimPrefix(strings.TrimRight(line, "\r\n"), byteOrderMark)
	}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op != gitdiff.OpContext {
				said[key(l.Op, l.Line)]++
			}
		}
	}
	end := func(line string) bool { return !strings.HasSuffix(line, "\n") }
	for _, h := range p.Hunks {
		if h.State == Conflict {
			continue
		}
		for _, b := range h.Blocks {
			for _, s := range b.Old {
				if said[key(gitdiff.OpDelete, s)] == 0 && !end(s) && !end(b.New[max(0, len(b.New)-1)]) {
					t.Errorf("%q is removed", s)
				}
			}
			for _, s := range b.New {
				if said[key(gitdiff.OpAdd, s)] == 0 && !end(s) && (len(b.Old) == 0 || !end(b.Old[len(b.Old)-1])) {
					t.Errorf("%q is added", s)
				}
			}
		}
	}
}
