package bridge

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// withRegistry makes a Neovim keep the registry as the plugin does.
func withRegistry(t testing.TB) []string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--cmd", "set runtimepath+=" + root, "--cmd", "lua require('agent_diff.registry').start()"}
}

func (h *home) entry(n *instance) string {
	return h.dir + "/.local/state/nvim-agent-diff/instances/" + strconv.Itoa(n.pid) + ".json"
}

func TestRegistry(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		h := newHome(t)
		project, odd := makeDir(t, h.dir, "proj"), h.dir+"/odd.sock"
		n := h.in(t, bin, project, append(withRegistry(t), "--listen", odd)...)
		// Nothing else leads there: neither the name nor the folder of its socket.
		if found := wantFound(t, h.finder(), project+"/a.txt", n, "nearest"); found.Source != "registry" {
			t.Errorf("source %q", found.Source)
		}
		info, err := os.Stat(h.entry(n))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v", info.Mode())
		}
		var e struct {
			registryEntry
			Protocol int
		}
		read := func() {
			text, err := os.ReadFile(h.entry(n))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &e); err != nil {
				t.Fatal(err)
			}
		}
		if read(); e.Addr != odd || e.PID != n.pid || e.Cwd != project || e.Protocol == 0 {
			t.Errorf("entry %+v", e)
		}
		other := makeDir(t, h.dir, "other")
		n.lua(t, nil, `vim.cmd.cd(...)`, other)
		if read(); e.Cwd != other {
			t.Errorf("after :cd: %+v", e)
		}
		c := n.dial(t, nil)
		hangAtPrompt(t, c)
		wantFound(t, h.finder(), other+"/a.txt", n, "it works in "+other)
		if _, err := c.v.Input("q"); err != nil {
			t.Fatal(err)
		}
		_ = c.Lua(within(t), nil, `vim.cmd('qall!')`)
		await(t, "the end", c.Done())
		_ = n.cmd.Wait()
		if _, err := os.Stat(h.entry(n)); !os.IsNotExist(err) {
			t.Errorf("the entry of a Neovim that was left: %v", err)
		}
	})
}

func TestRegistryGivesAnAddress(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		h := newHome(t)
		for i, entry := range h.env {
			if strings.HasPrefix(entry, "XDG_RUNTIME_DIR=") {
				h.env[i] = "XDG_RUNTIME_DIR=" + h.dir + "/missing"
			}
		}
		n := h.in(t, bin, h.dir, withRegistry(t)...)
		wantFound(t, h.finder(), h.dir+"/a.txt", n, "nearest")
		n.kill()
		wantNone(t, h.finder(), h.dir+"/a.txt", "it has ended")

		// The next one removes what a killed one left, but nothing of another machine.
		left := h.entry(n)
		foreign := filepath.Join(filepath.Dir(left), "999999999.json")
		if err := os.WriteFile(foreign, []byte(`{"addr":"/x","pid":999999999,"host":"another"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		h.in(t, bin, h.dir, withRegistry(t)...)
		for _, name := range []string{left, filepath.Dir(left) + "/nvim." + strconv.Itoa(n.pid) + ".0"} {
			if _, err := os.Lstat(name); !os.IsNotExist(err) {
				t.Errorf("%s was left: %v", name, err)
			}
		}
		if _, err := os.Stat(foreign); err != nil {
			t.Error(err)
		}
	})
}

// Whatever is in the registry, a search survives it.
func TestRegistryGarbage(t *testing.T) {
	h := newHome(t)
	dir := makeDir(t, h.dir, ".local/state/nvim-agent-diff/instances")
	for name, text := range map[string]string{
		"1.json": "", "2.json": "{", "3.json": `{"addr":7}`, "4.json": `{"addr":"","pid":4}`, "5.json": `{"addr":"/dev/null"}`,
		"6.json": `{"addr":"127.0.0.1:1","pid":6,"cwd":"relative"}`, "7.json": "null", "8.txt": `{"addr":"/x"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	makeDir(t, dir, "9.json")
	wantNone(t, h.finder(), h.dir, "- 127.0.0.1:1 (registry): it has ended")
}

// An entry may name a socket that anybody could put in the place of Neovim's: it is passed over.
func TestRegistryOfAnUnsafeFolder(t *testing.T) {
	h := newHome(t)
	dir, sockets := makeDir(t, h.dir, ".local/state/nvim-agent-diff/instances"), makeDir(t, h.dir, "sockets")
	listener, err := net.Listen("unix", filepath.Join(sockets, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	entry := fmt.Sprintf(`{"addr":%q,"pid":1}`, listener.Addr())
	if err := os.WriteFile(filepath.Join(dir, "1.json"), []byte(entry), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[os.FileMode]int{0o700: 1, 0o777: 0} {
		if err := os.Chmod(sockets, mode); err != nil {
			t.Fatal(err)
		}
		if found := registered(h.dir); len(found) != want {
			t.Errorf("%o: %+v", mode, found)
		}
	}
}
