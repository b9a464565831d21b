package tools

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/policy"
	"nvim-agent-diff/review"
)

// changeOf is a patch of one line of a file that holds "a".
func changeOf(old, name string) string {
	return fmt.Sprintf("--- %s\n+++ %s\n@@ -1 +1 @@\n-a\n+b\n", old, name)
}

func renameOf(old, name string) string {
	return fmt.Sprintf("diff --git a/%s b/%s\nrename from %s\nrename to %s\n", old, name, old, name)
}

// proposed is what the reviewer gets of a patch: old name, or old name > new name, for each file.
func proposed(t *testing.T, dir, patch string, more ...string) (files []string, err *review.Error) {
	t.Helper()
	see := &fakeReviewer{func(_ context.Context, p review.Proposal, _ func(string)) (*review.Outcome, error) {
		for _, f := range p.Files {
			name := strings.TrimPrefix(f.Abs, dir+"/")
			if f.NewAbs != "" {
				name += " > " + strings.TrimPrefix(f.NewAbs, dir+"/")
			}
			files = append(files, name)
		}
		return &review.Outcome{Files: []review.FileOutcome{{Path: p.Files[0].Path}}}, nil
	}}
	s, newErr := New(Options{Reviewer: see, Roots: append([]string{dir}, more...)})
	must(t, newErr)
	result := call(s, "propose_patch", "patch", patch, "description", "why")
	return files, result.Err
}

func TestProposePatch(t *testing.T) {
	dir := project(t, map[string]string{"f": "a\n", "g": "a\n", "a/inner": "a\n", "b/inner": "a\n", "inner": "a\n", "a/only": "a\n", "sub/f": "a\n"})
	other := project(t, map[string]string{"there": "a\n"})
	must(t, os.Symlink("f", filepath.Join(dir, "soft")))
	must(t, os.Symlink("sub", filepath.Join(dir, "softdir")))
	many := ""
	for i := range maxPatchFiles + 1 {
		many += fmt.Sprintf("--- /dev/null\n+++ b/n%d\n@@ -0,0 +1 @@\n+a\n", i)
	}
	for _, test := range []struct{ name, patch, want string }{
		{"prefixes", changeOf("a/f", "b/f") + changeOf("a/sub/f", "b/sub/f"), "f, sub/f"},
		{"no prefixes", changeOf("f", "f"), "f"},
		{"a folder called a, with prefixes", changeOf("a/inner", "b/inner"), "inner"},
		{"a folder called a, without prefixes", changeOf("a/only", "a/only"), "a/only"},
		{"two files: the old one", changeOf("f", "g"), "f"},
		{"the new one, because only it is there", changeOf("f.py", "g"), "g"},
		{"the new one, because the other is elsewhere", changeOf("/etc/passwd", "g"), "g"},
		{"of two files of one name, the one that is there", changeOf("gone/inner2", "sub/f"), "sub/f"},
		{"none of two", changeOf("x", "y"), "x"},
		{"absolute", changeOf(dir+"/f", dir+"/f"), "f"},
		{"created and renamed", "--- /dev/null\n+++ b/new/x\n@@ -0,0 +1 @@\n+a\n" + renameOf("f", "d/g2"), "new/x, f > d/g2"},
		{"renamed beside it, in the second root", renameOf("there", "thither"), other + "/there > " + other + "/thither"},
		{"twice, by a link", changeOf("f", "f") + changeOf("soft", "soft"), "invalid_args: f and soft are the same file."},
		{"twice, by a folder", changeOf("sub/f", "sub/f") + changeOf("softdir/f", "softdir/f"), "invalid_args: sub/f and softdir/f are the same file."},
		{"renamed onto another of the patch", renameOf("f", "softdir/f") + "diff --git a/sub/f b/sub/f\n" + changeOf("a/sub/f", "b/sub/f"), "invalid_args: softdir/f and sub/f are the same file."},
		{"renamed out", renameOf("f", "../x"), "PathNotInSandboxError: ../x is outside"},
		{"renamed in", renameOf("../x", "x"), "PathNotInSandboxError: ../x is outside"},
		{"out by a prefix", changeOf("a/../../x", "b/../../x"), "PathNotInSandboxError: "},
		{"out by what is a prefix and no folder", changeOf("c/../g", "i/../g"), "PathNotInSandboxError: "},
		{"a link deleted", "--- a/soft\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "tool_failed: soft is a symbolic link"},
		{"renamed to a folder", renameOf("f", "sub"), "tool_failed: sub is a directory"},
		{"too many files", many, fmt.Sprintf("invalid_args: \"patch\" changes %d files", maxPatchFiles+1)},
		{"no patch", "hello", "invalid_args: \"patch\" cannot be used. Line 1 of the patch: no change of a file was found"},
		{"no hunks", "prose\n--- a/f\n+++ b/f\n", "invalid_args: \"patch\" cannot be used. Line 2 of the patch: the file has no hunks."},
	} {
		files, err := proposed(t, dir, test.patch, other)
		got := strings.Join(files, ", ")
		if err != nil {
			got = err.Error()
			if !strings.Contains(got, "Nothing was changed.") {
				t.Errorf("%s: %s", test.name, got)
			}
		}
		if err == nil && got != test.want || !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %s\nwant %s", test.name, got, test.want)
		}
	}
}

// What a patch wants is compared with the file as it is, its mode too.
func TestDraftOfPatch(t *testing.T) {
	dir := project(t, map[string]string{"run": "a\n", "to": ""})
	must(t, os.Chmod(filepath.Join(dir, "run"), 0o755))
	from := target{path: "run", abs: filepath.Join(dir, "run")}
	to := target{path: "to", abs: filepath.Join(dir, "to")}
	for _, test := range []struct{ name, patch, want string }{
		{"the mode that it has", "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n", "nothing_to_change: run already holds"},
		{"another mode", "diff --git a/run b/run\nold mode 100755\nnew mode 100644\n", "new mode 100644 pending"},
		{"a mode that Git does not know", "diff --git a/run b/run\nold mode 100755\nnew mode 100600\n", "new mode 100644 pending"},
		{"onto a file", renameOf("run", "to"), "rename to to conflict"},
		{"no place", "--- run\n+++ run\n@@ -1 +1 @@\n-x\n+y\n", "@@ -1 +1 @@ conflict, stale_original: In run: the hunk has no place"},
		{"deleted, with other lines", "--- a/run\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "deleted file mode 100755 conflict, stale_original: In run: the patch deletes the file"},
	} {
		files, err := hunks.ParsePatch(test.patch)
		must(t, err)
		at := from
		if files[0].Kind == hunks.Rename {
			at.to = &to
		}
		patch, err := draftPatch(files[0], at, hunks.NewText("a\n"))
		var got []string
		if patch != nil {
			for i := range patch.Whole {
				got = append(got, patch.Whole[i].Header("to")+" "+string(patch.Whole[i].State))
			}
			if patch.Owner() == nil {
				for _, h := range patch.Hunks {
					got = append(got, h.Header()+" "+string(h.State))
				}
			}
		}
		if err != nil {
			got = append(got, err.Error())
		}
		if s := strings.Join(got, ", "); !strings.HasPrefix(s, test.want) {
			t.Errorf("%s: %s\nwant %s", test.name, s, test.want)
		}
	}
}

// The policy is asked about both places of a file that is renamed.
func TestRenameByPolicy(t *testing.T) {
	dir := project(t, map[string]string{"f": "a\n", "gen/f": "a\n", "secret/f": "a\n"})
	s, _ := guarded(t, dir, "deny = [\"secret/\"]\n[roots.gen]\npath = \""+dir+"/gen\"\nmode = \"ro\"\n")
	for patch, want := range map[string]string{
		renameOf("f", "gen/x"):    "PathNotWritableError: ",
		renameOf("gen/f", "x"):    "PathNotWritableError: ",
		renameOf("f", "secret/x"): "fs_denied: ",
		renameOf("secret/f", "x"): "fs_denied: ",
	} {
		answers(t, call(s, "propose_patch", "patch", patch, "description", ""), want)
	}
	// Also when it comes another way than by the tools.
	places := review.File{Abs: "/x", NewAbs: "/y", NewPath: "y"}.Places()
	if !slices.ContainsFunc(places, func(f review.File) bool { return f.Abs == "/y" && f.Path == "y" }) || len(places) != 2 {
		t.Errorf("%+v", places)
	}
	var reviewer review.Reviewer = &policy.Reviewer{Next: &fakeReviewer{}, Guard: s.guard}
	_, err := reviewer.Review(t.Context(), review.Proposal{Root: dir, Files: []review.File{{
		Path: "f", Abs: dir + "/f", NewPath: "gen/x", NewAbs: dir + "/gen/x",
	}}}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "PathNotWritableError: ") {
		t.Error(err)
	}
}
