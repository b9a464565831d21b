package bridge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhereSocketsAre(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		h := newHome(t)
		project := makeDir(t, h.dir, "proj")
		file := project + "/a.txt"
		set := func(name, value string) {
			for i, entry := range h.env {
				if strings.HasPrefix(entry, name+"=") {
					h.env = append(h.env[:i:i], h.env[i+1:]...)
					break
				}
			}
			if value != "" {
				h.env = append(h.env, name+"="+value)
			}
		}
		set("NVIM_APPNAME", "lazyvim")
		n := h.in(t, bin, project)
		if !strings.Contains(n.addr, "lazyvim.") {
			t.Fatalf("address %s", n.addr)
		}
		wantFound(t, h.finder(), file, n, "nearest")
		n.kill()

		set("XDG_RUNTIME_DIR", "")
		n = h.in(t, bin, project)
		if !strings.HasPrefix(n.addr, h.getenv("TMPDIR")+"/") {
			t.Fatalf("address %s", n.addr)
		}
		wantFound(t, h.finder(), file, n, "nearest")
		// The same folder by another name is the same Neovim.
		link := h.dir + "/tmplink"
		if err := os.Symlink(h.getenv("TMPDIR"), link); err != nil {
			t.Fatal(err)
		}
		f := h.finder()
		f.folders.temp = append(f.folders.temp, link)
		wantOnce := func() {
			t.Helper()
			found, err := f.Find(within(t), file)
			count := 0
			for _, c := range found.Candidates {
				if c.Version != "" {
					count++
				}
			}
			if err != nil || found.PID != n.pid || count != 1 {
				t.Errorf("%v, found %+v", err, found)
			}
		}
		wantOnce()
		n.lua(t, nil, `vim.fn.serverstart(...)`, h.run+"/second.1.1") // neither do two addresses make two of it
		wantOnce()
		n.kill()

		set("XDG_RUNTIME_DIR", h.dir+"/missing")
		n = h.start(t, bin, project)
		if n.addr != "" {
			t.Fatalf("Neovim has the address %s", n.addr)
		}
		wantNone(t, h.finder(), file)
	})
}

// What another user could have put there is no Neovim, whatever its name.
func TestForeignSocketsAreIgnored(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make files of other users")
	}
	h := newHome(t)
	n := h.in(t, anyNvim(t), h.dir)
	f := h.finder()
	folder := makeDir(t, h.getenv("TMPDIR"), "nvim.me", "abc")
	inner := folder + "/nvim.1.0"
	n.lua(t, nil, `vim.fn.serverstop(vim.v.servername) vim.fn.serverstart(...)`, inner)
	n.addr = inner
	wantFound(t, f, h.dir, n, "nearest")
	const nobody = 65534
	for _, name := range []string{inner, folder, filepath.Dir(folder)} {
		if err := os.Lchown(name, nobody, nobody); err != nil {
			t.Fatal(err)
		}
		wantNone(t, f, h.dir, "No running Neovim of this user was found. Looked in: ")
		if err := os.Lchown(name, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	wantNone(t, f, h.dir, "No running Neovim of this user was found. Looked in: ")
	if err := os.Chmod(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(inner, h.dir+"/elsewhere"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(h.dir+"/elsewhere", inner); err != nil {
		t.Fatal(err)
	}
	wantNone(t, f, h.dir, "No running Neovim of this user was found. Looked in: ")
}
