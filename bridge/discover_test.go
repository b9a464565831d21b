package bridge

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nvim-agent-diff/review"
)

// finder searches this home only, with nothing in the environment but what every agent passes on.
func (h *home) finder(env ...string) *Finder {
	return &Finder{
		Env: func(name string) string {
			switch name {
			case "HOME", "LANG", "PATH", "TERM":
				return h.getenv(name)
			}
			return (&home{env: env}).getenv(name)
		},
		folders: &socketFolders{run: []string{h.run}, temp: []string{h.getenv("TMPDIR")}},
		answer:  patience,
	}
}

// in starts a Neovim with a screen in a folder, which it makes.
func (h *home) in(t testing.TB, bin, dir string, args ...string) *instance {
	t.Helper()
	n := h.start(t, bin, makeDir(t, dir), args...)
	n.attachUI(t)
	return n
}

// lua runs a chunk in it.
func (n *instance) lua(t testing.TB, result any, chunk string, args ...any) {
	t.Helper()
	if err := n.dial(t, nil).Lua(within(t), result, chunk, args...); err != nil {
		t.Fatal(err)
	}
}

func writeFile(t testing.TB, name string) string {
	t.Helper()
	makeDir(t, filepath.Dir(name))
	if err := os.WriteFile(name, []byte("text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func wantFound(t testing.TB, f *Finder, file string, want *instance, why string) Found {
	t.Helper()
	found, err := f.Find(within(t), file)
	if err != nil {
		t.Errorf("%s: %v", file, err)
	} else if found.Addr != want.addr || !strings.Contains(found.Why, why) {
		t.Errorf("%s: found %s because %q, want %s because %q\n%+v", file, found.Addr, found.Why, want.addr, why, found.Candidates)
	}
	return found
}

// wantNone wants no Neovim, and an error that says each of these.
func wantNone(t testing.TB, f *Finder, file string, says ...string) {
	t.Helper()
	found, err := f.Find(within(t), file)
	var known *review.Error
	if !errors.As(err, &known) || known.Code != review.EditorUnavailable {
		t.Fatalf("%s: found %q, %v", file, found.Addr, err)
	}
	for _, part := range append(says, "Nothing was changed.") {
		if !strings.Contains(known.Text, part) {
			t.Errorf("%q does not say %q", known.Text, part)
		}
	}
}

func TestFindByWorkingFolder(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		h := newHome(t)
		project, sub, evil := h.dir+"/proj", h.dir+"/proj/sub", h.dir+"/proj-evil"
		outer, inner, other := h.in(t, bin, project), h.in(t, bin, sub), h.in(t, bin, h.dir+"/other")
		f := h.finder()
		wantFound(t, f, writeFile(t, sub+"/a/b.txt"), inner, "it works in "+sub+", the nearest folder above the file")
		wantFound(t, f, sub+"/not/yet/there.txt", inner, "nearest")
		wantFound(t, f, sub, inner, "nearest")
		found := wantFound(t, f, project+"/c.txt", outer, project)
		if len(found.Candidates) != 3 || found.Version == "" || found.PID != outer.pid {
			t.Errorf("candidates %+v", found.Candidates)
		}
		wantNone(t, f, writeFile(t, evil+"/a.txt"), project, sub, other.addr, "and does not have the file loaded", "Start Neovim in "+evil)
		makeDir(t, evil, ".git")
		wantNone(t, f, evil+"/deep/a.txt", "Start Neovim in "+evil+",")

		link := h.dir + "/link"
		if err := os.Symlink(sub, link); err != nil {
			t.Fatal(err)
		}
		wantFound(t, f, link+"/a/b.txt", inner, "nearest")

		other.lua(t, nil, `vim.cmd.tabnew() vim.cmd.tcd(...) vim.cmd.tabprevious()`, makeDir(t, sub, "a"))
		wantFound(t, f, sub+"/a/b.txt", other, sub+"/a")
		outer.lua(t, nil, `vim.cmd.split() vim.cmd.lcd(...) vim.cmd.wincmd('p')`, makeDir(t, sub, "a", "window"))
		wantFound(t, f, sub+"/a/window/b.txt", outer, "a/window")
		other.lua(t, nil, `vim.cmd.cd('/')`)
		wantFound(t, f, "/somewhere/else", other, "it works in /,")
	})
}

func TestNearest(t *testing.T) {
	for _, test := range []struct {
		dirs []string
		file string
		want string
	}{
		{[]string{"/a", "/a/b", "/"}, "/a/b/c", "/a/b"},
		{[]string{"/a/b", "/a"}, "/a/c", "/a"},
		{[]string{"/a/b", "/"}, "/x", "/"},
		{[]string{"/a/b/"}, "/a/b", "/a/b/"},
		{[]string{"/a/b"}, "/a/bc", ""},
		{[]string{"", "a", "."}, "/a", ""},
	} {
		if dir, _ := nearest(test.dirs, test.file); dir != test.want {
			t.Errorf("of %q for %s: %q", test.dirs, test.file, dir)
		}
	}
}

func TestFindByLoadedFile(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		h := newHome(t)
		project := makeDir(t, h.dir, "proj")
		file := writeFile(t, project+"/real [id] %#.txt")
		near, far := h.in(t, bin, project), h.in(t, bin, h.dir+"/far")
		f := h.finder()
		edit := func(n *instance, name string) { n.lua(t, nil, `vim.cmd.edit(vim.fn.fnameescape(...))`, name) }

		wantFound(t, f, file, near, "nearest")
		edit(far, file)
		found := wantFound(t, f, file, far, "it has the file loaded")
		for _, c := range found.Candidates {
			if c.Addr == near.addr && c.Passed != "another one has the file loaded" {
				t.Errorf("passed over: %q", c.Passed)
			}
		}
		far.lua(t, nil, `vim.cmd('%bwipeout!')`)
		wantFound(t, f, file, near, "nearest")

		far.lua(t, nil, `vim.fn.bufadd(...)`, file) // a name without a text
		wantFound(t, f, file, near, "nearest")
		far.lua(t, nil, `vim.cmd('%bwipeout!')`) // Neovim knows a file by another name when it has a buffer for it

		for _, link := range []string{h.dir + "/link.txt", h.dir + "/folder/real [id] %#.txt"} {
			target := file
			if filepath.Base(link) == filepath.Base(file) {
				link, target = filepath.Dir(link), project
			}
			if err := os.Symlink(target, link); err != nil {
				t.Fatal(err)
			}
			if target == project {
				link += "/" + filepath.Base(file)
			}
			edit(far, link)
			wantFound(t, f, file, far, "loaded")
			wantFound(t, f, link, far, "loaded")
			far.lua(t, nil, `vim.cmd('%bwipeout!')`)
		}

		edit(far, h.dir+"/folder/new.txt") // through a link, and never written
		wantFound(t, f, project+"/new.txt", far, "loaded")
		far.lua(t, nil, `vim.bo.buftype = 'nofile'`)
		wantFound(t, f, project+"/new.txt", near, "nearest")

		moved := h.dir + "/moved" // and the name that Neovim has for it leads there
		edit(far, writeFile(t, moved+"/a.txt"))
		if err := os.Rename(moved, h.dir+"/proj/moved"); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(h.dir+"/proj/moved", moved); err != nil {
			t.Fatal(err)
		}
		wantFound(t, f, project+"/moved/a.txt", far, "loaded")

		far.lua(t, nil, `vim.cmd('%bwipeout!') vim.cmd('edit foo.cpp')`)
		wantFound(t, f, project+"/foo.c", near, "nearest")
	})
}

func TestFindTheLastUsed(t *testing.T) {
	h := newHome(t)
	dir := h.dir + "/proj"
	bin := anyNvim(t)
	first, second := h.in(t, bin, dir), h.in(t, bin, dir)
	f := h.finder()
	wantLast := func(n, other *instance) {
		t.Helper()
		if found := wantFound(t, f, dir+"/a.txt", n, "and of those that do it was used last"); len(found.Candidates) == 2 {
			for _, c := range found.Candidates {
				if c.Addr == other.addr && c.Passed != "another one like it was used last" {
					t.Errorf("passed over: %q", c.Passed)
				}
			}
		}
	}
	_, _ = f.Find(within(t), dir)
	for _, n := range []*instance{first, second} {
		// Neovim counts in seconds, by a clock that is some milliseconds late.
		for mark := time.Now().Unix(); time.Now().Add(-50*time.Millisecond).Unix() <= mark+1; {
			time.Sleep(10 * time.Millisecond)
		}
		n.lua(t, nil, `vim.cmd('enew!')`)
		other := first
		if n == first {
			other = second
		}
		wantLast(n, other)
		wantLast(n, other) // being asked is no use of it
	}
}

func TestFindGiven(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		h := newHome(t)
		project := makeDir(t, h.dir, "proj")
		near := h.in(t, bin, project)
		headless := h.start(t, bin, h.dir)
		file := project + "/a.txt"

		f := h.finder()
		f.Addr = headless.addr
		wantFound(t, f, file, headless, "it was given by --nvim")
		wantFound(t, h.finder("NVIM_AGENT_DIFF_ADDR="+headless.addr), file, headless, "it was given by NVIM_AGENT_DIFF_ADDR")
		elsewhere := h.in(t, bin, h.dir+"/elsewhere")
		wantFound(t, h.finder("NVIM="+elsewhere.addr), file, elsewhere, "the agent runs in it ($NVIM)")

		// A search passes over what has no screen, and what is dead.
		wantNone(t, h.finder(), h.dir+"/a.txt", "- "+headless.addr, "it has no screen attached")
		dead := h.dir + "/dead.sock"
		wantFound(t, h.finder("NVIM="+dead), file, near, "nearest")
		f.Addr = dead
		wantNone(t, f, file, dead, "--nvim", "there is no such socket")
		wantNone(t, h.finder("NVIM_AGENT_DIFF_ADDR="+dead), file, dead, "NVIM_AGENT_DIFF_ADDR")
		headless.kill()
		wantNone(t, h.finder("NVIM_AGENT_DIFF_ADDR="+headless.addr), file, "nobody listens there")

		near.lua(t, nil, `local has = vim.fn.has
			vim.fn.has = function(what)
				local version = what:match('^nvim%-(.*)')
				if not version then return has(what) end
				return vim.version.ge('0.9.5', vim.version.parse(version, { strict = false })) and 1 or 0
			end`)
		wantNone(t, h.finder(), file, near.addr, "too old (0.9.5; 0.10 or newer is needed)")
		f.Addr = near.addr
		wantNone(t, f, file, "--nvim", "too old (0.9.5; 0.10 or newer is needed)")
		near.kill()
		elsewhere.kill()
		wantNone(t, h.finder(), file, "it has ended", "Start Neovim in "+project)
	})
}

func TestFindAtPrompt(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		h := newHome(t)
		project := makeDir(t, h.dir, "proj")
		n, other := h.in(t, bin, project), h.in(t, bin, h.dir)
		hangAtPrompt(t, n.dial(t, nil))
		found := wantFound(t, h.finder(), project+"/a.txt", n, "it works in "+project)
		if !found.AtPrompt {
			t.Error("it is not said to be at a prompt")
		}
		wantNone(t, h.finder(), "/a.txt", n.addr, "waits at a prompt and cannot say")
		other.lua(t, nil, `vim.cmd.edit(...)`, project+"/a.txt")
		wantFound(t, h.finder(), project+"/a.txt", other, "loaded")
		wantFound(t, h.finder("NVIM="+n.addr), "/a.txt", n, "the agent runs in it")
	})
}

// One that does not answer neither delays the search beyond the limit nor hinders it.
func TestFindSuspended(t *testing.T) {
	h := newHome(t)
	project := makeDir(t, h.dir, "proj")
	stopped, other := h.in(t, anyNvim(t), project), h.in(t, anyNvim(t), h.dir)
	if err := syscall.Kill(stopped.pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	f := h.finder()
	f.answer = 3 * time.Second // the other one may take that long
	wantFound(t, f, project+"/a.txt", other, "it works in "+h.dir)
	f.answer = 0
	wantNone(t, f, "/a.txt", stopped.addr, "did not answer within 300 ms: it is suspended")
	f.Addr = stopped.addr
	wantFound(t, f, "/a.txt", stopped, "given by --nvim")
}

func TestFindANewOneAfterTheOldOneDied(t *testing.T) {
	h := newHome(t)
	dir := h.dir + "/proj"
	f := h.finder()
	wantNone(t, f, dir+"/a.txt", "No running Neovim of this user was found. Looked in: ")
	for range 2 {
		n := h.in(t, anyNvim(t), dir)
		wantFound(t, f, dir+"/a.txt", n, "nearest")
		n.kill()
	}
	wantNone(t, f, dir+"/a.txt", "it has ended (nobody listens there)")
}

func TestFindCancelled(t *testing.T) {
	h := newHome(t)
	h.in(t, anyNvim(t), h.dir)
	_, err := h.finder().Find(expired(), h.dir)
	var known *review.Error
	if !errors.As(err, &known) || known.Code != review.Cancelled {
		t.Errorf("got %v", err)
	}
	if context.Cause(t.Context()) != nil {
		t.Error("the test's own context ended")
	}
}

func BenchmarkFindOneOf3(b *testing.B) {
	h := newHome(b)
	bin := anyNvim(b)
	n := h.in(b, bin, h.dir+"/proj")
	h.in(b, bin, h.dir+"/other")
	h.in(b, bin, h.dir)
	f := h.finder()
	n.lua(b, nil, `for i = 1, 50 do vim.fn.bufload(vim.fn.bufadd(... .. i)) end`, h.dir+"/proj/file")
	for b.Loop() {
		if found, err := f.Find(b.Context(), h.dir+"/proj/a.txt"); err != nil || found.Addr != n.addr {
			b.Fatal(found, err)
		}
	}
}

func BenchmarkFindGiven(b *testing.B) {
	h := newHome(b)
	f := h.finder()
	f.Addr = h.start(b, anyNvim(b), h.dir).addr
	for b.Loop() {
		if _, err := f.Find(b.Context(), h.dir); err != nil {
			b.Fatal(err)
		}
	}
}
