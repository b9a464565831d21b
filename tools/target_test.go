package tools

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// tree is a project beside others, with links in and out.
func tree(t *testing.T) string {
	top := project(t, map[string]string{
		"proj/a.txt": "a\n", "proj/sub/b.txt": "b\n", "proj/sub/deep/c.txt": "c\n",
		"proj-evil/x.txt": "x\n", "second/a.txt": "other a\n", "second/only.txt": "o\n",
		"proj/binary": "a\x00b", "proj/utf16.txt": "\xff\xfea\x00\n\x00", "proj/empty": "",
		"proj/late.bin": strings.Repeat("x", sniffed) + "\x00",
	})
	for link, to := range map[string]string{
		"proj/in":         "sub/b.txt",
		"proj/out":        "../proj-evil/x.txt",
		"proj/outdir":     "../proj-evil",
		"proj/absolute":   filepath.Join(top, "proj-evil/x.txt"),
		"proj/dangling":   "../nowhere/new.txt",
		"proj/danglingin": "sub/new.txt",
		"proj/loop":       "loop",
		"proj/subdeep":    "sub/deep",
		"proj/second":     "../second/only.txt",
		"alias":           "proj",
	} {
		must(t, os.Symlink(to, filepath.Join(top, link)))
	}
	must(t, syscall.Mkfifo(filepath.Join(top, "proj/fifo"), 0o644))
	return top
}

func TestFindTarget(t *testing.T) {
	top := tree(t)
	long := strings.Repeat("n", 300)
	tests := []struct {
		name, roots, dir, path string
		want                   string // the root and the name in it, or the error's text without the folder's own name
	}{
		{"plain", "proj", "", "a.txt", "proj:a.txt"},
		{"below", "proj", "", "sub/b.txt", "proj:sub/b.txt"},
		{"absolute", "proj", "", "TOP/proj/sub/b.txt", "proj:sub/b.txt"},
		{"absolute by another name", "proj", "", "TOP/alias/a.txt", "proj:a.txt"},
		{"a root by another name", "alias", "", "a.txt", "proj:a.txt"},
		{"not clean", "proj", "", ".//sub/./../a.txt", "proj:a.txt"},
		{"up behind a link is where the link leads", "proj", "", "subdeep/../b.txt", "proj:sub/b.txt"},
		{"new file", "proj", "", "new.txt", "proj:new.txt"},
		{"new file in new folders", "proj", "", "x/y/new.txt", "proj:x/y/new.txt"},
		{"up from a new folder", "proj", "", "x/../a.txt", "proj:a.txt"},
		{"odd name", "proj", "", "-rf x\ny", "proj:-rf x\ny"},
		{"the root itself", "proj", "", ".", "proj:."},
		{"link inside", "proj", "", "in", "proj:sub/b.txt"},
		{"dangling link inside", "proj", "", "danglingin", "proj:sub/new.txt"},
		{"up", "proj", "", "../proj-evil/x.txt", "PathNotInSandboxError: ../proj-evil/x.txt is outside of what this server may change: TOP/proj. Nothing was changed."},
		{"a name that begins like the root's", "proj", "", "TOP/proj-evil/x.txt", "PathNotInSandboxError: TOP/proj-evil/x.txt is outside of what this server may change: TOP/proj. Nothing was changed."},
		{"link out", "proj", "", "out", "PathNotInSandboxError: out is outside"},
		{"absolute link out", "proj", "", "absolute", "PathNotInSandboxError: absolute is outside"},
		{"linked folder out", "proj", "", "outdir/x.txt", "PathNotInSandboxError: outdir/x.txt is outside"},
		{"new file behind a linked folder", "proj", "", "outdir/new.txt", "PathNotInSandboxError: outdir/new.txt is outside"},
		{"dangling link out", "proj", "", "dangling", "PathNotInSandboxError: dangling is outside"},
		{"out by a new folder", "proj", "", "new/../../proj-evil/x.txt", "PathNotInSandboxError: new/../../proj-evil/x.txt is outside"},
		{"absolute elsewhere", "proj", "", "/etc/passwd", "PathNotInSandboxError: /etc/passwd is outside"},
		{"loop", "proj", "", "loop", "tool_failed: loop cannot be reached: too many levels of symbolic links. Nothing was changed."},
		{"through a file", "proj", "", "a.txt/x", "tool_failed: a.txt/x cannot be reached: not a directory. Nothing was changed."},
		{"too long", "proj", "", long, "tool_failed: " + long + " cannot be reached: file name too long. Nothing was changed."},
		{"hostile path in the error", "proj", "", "../x\n\x1b[2J", `PathNotInSandboxError: "../x\n\x1b[2J" is outside`},
		{"no roots", "", "", "a.txt", "PathNotInSandboxError: a.txt is in no project: this server was started in the home folder or above it"},
		{"no roots, absolute", "", "", "TOP/proj/a.txt", "PathNotInSandboxError: TOP/proj/a.txt is in no project"},
		{"first root first", "proj second", "", "a.txt", "proj:a.txt"},
		{"where it exists", "proj second", "", "only.txt", "second:only.txt"},
		{"nowhere: the first", "proj second", "", "new.txt", "proj:new.txt"},
		{"a link from root to root", "proj second", "", "second", "second:only.txt"},
		{"the inner of two roots", "proj proj/sub", "", "sub/b.txt", "proj/sub:b.txt"},
		{"the caller's folder first", "proj", "proj/sub", "b.txt", "proj:sub/b.txt"},
		{"then the root", "proj", "proj/sub", "a.txt", "proj:a.txt"},
		{"new in the caller's folder", "proj", "proj/sub", "new.txt", "proj:sub/new.txt"},
		{"up from the caller's folder", "proj", "proj/sub", "../a.txt", "proj:a.txt"},
		{"a caller outside", "proj", "second", "only.txt", "proj:only.txt"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			full := func(s string) string { return strings.ReplaceAll(s, "TOP", top) }
			var roots []root
			for r := range strings.FieldsSeq(test.roots) {
				opened, err := openRoot(filepath.Join(top, r))
				must(t, err)
				roots = append(roots, opened)
			}
			own := ""
			if test.dir != "" {
				own = filepath.Join(top, test.dir)
			}
			path := full(test.path)
			found, _, err := findTarget(roots, dirs(roots, own), path)
			got := strings.TrimPrefix(string(found.root), top+"/") + ":" + found.name
			if err != nil {
				got = err.Error()
			}
			if got != full(test.want) && (err == nil || !strings.HasPrefix(got, full(test.want))) {
				t.Errorf("%s", got)
			}
			if err == nil && (found.path != path || found.abs != filepath.Join(string(found.root), found.name)) {
				t.Errorf("%+v", found)
			}
		})
	}
}

func TestCheckText(t *testing.T) {
	top := tree(t)
	r := root(filepath.Join(top, "proj"))
	for path, want := range map[string]string{
		"a.txt":     "",
		"empty":     "",
		"new":       "",
		"utf16.txt": "",
		"late.bin":  "", // as Git, which looks no further
		"binary":    "tool_failed: binary is a binary file. Nothing was changed.",
		"sub":       "tool_failed: sub is a directory. Nothing was changed.",
		"sub/":      "tool_failed: sub/ is a directory. Nothing was changed.",
		"new/":      "tool_failed: new/ names a directory, not a file. Nothing was changed.",
		"a.txt/":    "tool_failed: a.txt/ is a file, not a directory. Nothing was changed.",
		"fifo":      "tool_failed: fifo is not a regular file. Nothing was changed.",
	} {
		found, _, err := findTarget([]root{r}, []string{string(r)}, path)
		must(t, err)
		got := ""
		if err := found.checkText(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// A link that is put in the way while the review waits is not followed.
func TestLinkSwappedIn(t *testing.T) {
	top := tree(t)
	roots := []root{root(filepath.Join(top, "proj"))}
	find := func() (target, error) {
		found, _, err := findTarget(roots, dirs(roots, ""), "a.txt")
		return found, err
	}
	found, err := find()
	must(t, err)
	must(t, found.again(find()))
	for to, want := range map[string]string{
		"../proj-evil/x.txt": "PathNotInSandboxError: a.txt is outside",
		"sub/b.txt":          "tool_failed: a.txt leads to another file than a moment ago. Nothing was changed. Read it again.",
	} {
		must(t, os.Remove(filepath.Join(top, "proj/a.txt")))
		must(t, os.Symlink(to, filepath.Join(top, "proj/a.txt")))
		if err := found.again(find()); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", to, err)
		}
	}
}

func TestWorkingRoots(t *testing.T) {
	top := project(t, map[string]string{
		"home/dotfiles": "", "home/proj/.git/HEAD": "", "home/proj/sub/x": "", "home/linked/.git": "gitdir: ../proj\n", "home/plain/sub/x": "",
		"other/.git/HEAD": "", "other/home2/x": "",
	})
	t.Setenv("HOME", filepath.Join(top, "home"))
	for dir, want := range map[string]string{
		"home/proj/sub":  "home/proj",
		"home/proj":      "home/proj",
		"home/linked":    "home/linked",
		"home/plain/sub": "home/plain/sub",
		"home":           "",
		"":               "", // above the home folder
		"nowhere":        "",
	} {
		got := ""
		for _, r := range workingRoots(filepath.Join(top, dir)) {
			got += strings.TrimPrefix(string(r), top+"/")
		}
		if got != want {
			t.Errorf("%s: %s, not %s", dir, got, want)
		}
	}
	if roots := workingRoots("/"); roots != nil {
		t.Errorf("/ is nobody's project: %v", roots)
	}
	// A home folder that is itself a working tree does not make everything in it one project.
	must(t, os.Mkdir(filepath.Join(top, "home/.git"), 0o755))
	if got := workingRoots(filepath.Join(top, "home/plain")); len(got) != 1 || string(got[0]) != filepath.Join(top, "home/plain") {
		t.Error(got)
	}
}

func TestNamedRoots(t *testing.T) {
	top := project(t, map[string]string{"file": ""})
	t.Setenv("HOME", top)
	roots, err := namedRoots([]string{top, "/"}) // a person may name what nobody else may
	if err != nil || len(roots) != 2 || string(roots[0]) != top || roots[1] != "/" {
		t.Error(roots, err)
	}
	if !roots[1].contains("/etc") || roots[0].contains(top+"x") || !roots[0].contains(top) {
		t.Error("what a root contains")
	}
	for dir, want := range map[string]string{
		filepath.Join(top, "file"): "root " + top + "/file: not a directory",
		"":                         "a root is empty",
		filepath.Join(top, "no"):   "root " + top + "/no: no such file or directory",
	} {
		if _, err := namedRoots([]string{dir}); err == nil || err.Error() != want {
			t.Errorf("%v", err)
		}
	}
}

func TestClientRoots(t *testing.T) {
	top := project(t, map[string]string{"home/x": "", "a b%/x": "", "c/x": ""})
	t.Setenv("HOME", filepath.Join(top, "home"))
	got := clientRoots([]string{
		"file://" + top + "/a%20b%25", "file://localhost" + top + "/c", "file://" + top + "/home", "file:///", "file://" + top,
		"https://example.com/c", "file://elsewhere" + top + "/c", "file://" + top + "/missing", "", "::", "file://" + top + "/c/x",
	})
	if len(got) != 2 || string(got[0]) != top+"/a b%" || string(got[1]) != top+"/c" {
		t.Error(got)
	}
}

func TestShown(t *testing.T) {
	for in, want := range map[string]string{
		"a b/c.go": "a b/c.go", "ä\"'`%": "ä\"'`%", "日本": "日本", "a\nb": `"a\nb"`, "\x1b[1m": `"\x1b[1m"`,
		"a\u202eb": `"a\u202eb"`, "\u200b": `"\u200b"`, "\xff": `"\xff"`, "\u2028": `"\u2028"`, "": "",
	} {
		if got := shown(in); got != want {
			t.Errorf("%q: %s", in, got)
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"a\n\tb": "a\n\tb", "\x1b[2J\r\n": `\x1b[2J\r` + "\n", "a\u202eb": `a\u202eb`, "\u009b": `\u009b`, "é": "é",
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q: %s", in, got)
		}
	}
}
