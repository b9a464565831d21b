package policy

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestMemory(t *testing.T) {
	w := newWorld(t)
	p := w.load("", "")
	tests := []struct {
		scope   Scope
		of      Request
		covers  []Request
		not     []Request
		message string
	}{
		{
			ThisFile, w.edit("a/b"),
			[]Request{w.edit("a/b"), w.request(Write, "a/b")},
			[]Request{w.edit("a/b.txt"), w.edit("a/B"), w.request(Read, "a/b"), w.edit("a")},
			"changes of " + w.project + "/a/b",
		},
		{ThisFolder, w.edit("a/b"), []Request{w.edit("a/c"), w.edit("a/d/e")}, []Request{w.edit("ab"), w.edit("b")}, "changes in " + w.project + "/a"},
		{ThisTool, w.edit("a"), []Request{w.edit("z")}, []Request{{Action: Edit, Tool: "write_file", Path: "/a", Root: w.project}}, "edit_file in"},
		{ThisTool, w.edit("a"), nil, []Request{{Action: Edit, Tool: "edit_file", Path: "/o/a", Root: "/o"}}, "edit_file in"},
		{
			ThisCall,
			Request{Action: Edit, Tool: "t", Path: "/a", Key: key("k")},
			[]Request{{Action: Edit, Tool: "t", Path: "/a", Key: key("k")}},
			[]Request{{Action: Edit, Tool: "t", Path: "/a", Key: key("l")}, {Action: Edit, Tool: "u", Path: "/a", Key: key("k")}},
			"t with the same arguments",
		},
	}
	for _, test := range tests {
		for _, always := range []bool{false, true} {
			a, err := w.memory.Remember(test.of, test.scope, always)
			must(t, err)
			for _, r := range test.covers {
				w.decides(p, r, Accept, "approval "+a.ID+": "+test.message)
			}
			for _, r := range test.not {
				if found, ok := w.memory.Find(r); ok {
					t.Errorf("%s covers %v", found, r)
				}
			}
			_, other := NewMemory(w.places.State, NewSession()).Find(test.of)
			if other != always {
				t.Errorf("%s: in another session %v", a, other)
			}
			must(t, w.memory.Revoke(a.ID))
			w.decides(p, test.of, Ask, "")
		}
	}
}

// What is not surely the user's own approval lets nothing through.
func TestMemoryTrust(t *testing.T) {
	w := newWorld(t)
	p := w.load("", "")
	dir := filepath.Join(w.places.State, "approvals")
	a, err := w.memory.Remember(w.edit("a"), ThisFile, true)
	must(t, err)
	file := filepath.Join(dir, a.ID+".json")
	info, err := os.Stat(file)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Error(info.Mode())
	}
	text, err := os.ReadFile(file)
	must(t, err)
	tests := map[string]func(){
		"others may write it": func() { must(t, os.Chmod(file, 0o620)) },
		"a link":              func() { must(t, os.Rename(file, file+".x")); must(t, os.Symlink(file+".x", file)) },
		"a folder":            func() { must(t, os.Remove(file)); must(t, os.Mkdir(file, 0o700)) },
		"no JSON":             func() { must(t, os.WriteFile(file, []byte("{"), 0o600)) },
		"another's name":      func() { must(t, os.WriteFile(file, []byte(strings.Replace(string(text), a.ID, "other", 1)), 0o600)) },
		"no scope": func() {
			must(t, os.WriteFile(file, []byte(strings.Replace(string(text), `"file"`, `"all"`, 1)), 0o600))
		},
	}
	for name, attack := range tests {
		t.Run(name, func(t *testing.T) {
			must(t, os.RemoveAll(file))
			must(t, os.WriteFile(file, text, 0o600))
			w.decides(p, w.edit("a"), Accept, a.ID)
			attack()
			w.decides(p, w.edit("a"), Ask, "")
		})
	}
	for _, id := range []string{"../../config", "", "x/y", "nope0"} {
		if err := w.memory.Revoke(id); err == nil {
			t.Errorf("revoked %q", id)
		}
	}
}

// Servers write at the same time, and those that have ended are forgotten.
func TestMemoryShared(t *testing.T) {
	w := newWorld(t)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			own := NewMemory(w.places.State, NewSession())
			if _, err := own.Remember(w.edit("a"), ThisFile, false); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	list, err := w.memory.List()
	must(t, err)
	if len(list) != 20 {
		t.Errorf("%d approvals", len(list))
	}
	dead := list[0]
	dead.PID = 1 << 30
	must(t, w.memory.write(dead))
	if list, err = w.memory.List(); err != nil || len(list) != 19 {
		t.Errorf("%d approvals, %v", len(list), err)
	}
	if n, err := w.memory.Clear(); n != 19 || err != nil {
		t.Error(n, err)
	}
}

func key(k string) func() string { return func() string { return k } }

func TestKey(t *testing.T) {
	key := func(tool string, args map[string]any) string {
		k, err := Key(tool, args)
		must(t, err)
		return k
	}
	a := key("t", map[string]any{"a": 1.0, "b": map[string]any{"x": "y", "w": nil}})
	if b := key("t", map[string]any{"b": map[string]any{"w": nil, "x": "y"}, "a": 1.0}); a != b {
		t.Error("the order of keys counts")
	}
	for _, other := range []string{key("u", map[string]any{"a": 1.0}), key("t", map[string]any{"a": "1"}), key("t", nil)} {
		if other == a {
			t.Error("another call has the same key")
		}
	}
}
