package setup

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// seeds are the configuration files of the golden tests.
func seeds(f *testing.F, pattern string) {
	f.Helper()
	files, err := filepath.Glob("testdata/*/*/before/home/" + pattern)
	must(f, err)
	if len(files) < 3 {
		f.Fatalf("only %d files", len(files))
	}
	for _, path := range files {
		raw, err := os.ReadFile(path)
		must(f, err)
		f.Add(raw)
	}
}

// putAndTake puts entries into a text, twice, and takes them out of what came of it.
func putAndTake(t *testing.T, read format, raw []byte, entries []entry) (after []byte) {
	t.Helper()
	d, err := read("file", raw)
	if err != nil || anyOf(entries, d) {
		t.Skip("broken, or ours already")
	}
	for range 2 {
		for _, e := range entries {
			if e.put(d) != nil {
				t.Skip("something else has the place")
			}
		}
	}
	for _, e := range entries {
		if here, differs := e.find(d); !here || differs != "" {
			t.Errorf("put, and then %v %q in\n%s", here, differs, d.text())
		}
	}
	if d, err = read("file", d.text()); err != nil {
		t.Fatalf("it is broken then: %v", err)
	}
	d.remember(raw)
	for _, e := range entries {
		e.take(d)
	}
	return d.text()
}

// Whatever a user's file holds, it holds the same when we have come and gone.
func FuzzJSON(f *testing.F) {
	seeds(f, ".*/*.json*")
	seeds(f, ".claude/*.json")
	m := &Machine{Program: "/p/nvim-agent-diff", Home: "/h", Project: "/p", Getenv: func(string) string { return "" }}
	entries := append(gemini.targets(m, false)[0].entries(nil), claudeCode.targets(m, true)[1].entries(nil)...)
	f.Fuzz(func(t *testing.T, raw []byte) {
		after := putAndTake(t, jsonFormat, raw, entries)
		was, err := parseJSON("file", raw)
		must(t, err)
		is, err := parseJSON("file", after)
		if err != nil {
			t.Fatalf("%v in\n%s", err, after)
		}
		if !reflect.DeepEqual(decode(&was.root), decode(&is.root)) {
			t.Errorf("it was\n%s\nand is\n%s", raw, after)
		}
	})
}

func FuzzTOML(f *testing.F) {
	seeds(f, ".codex/*.toml")
	m := &Machine{Program: "/p/nvim-agent-diff", Home: "/h", Getenv: func(string) string { return "" }}
	hooks, err := jsonFormat("hooks.json", nil)
	must(f, err)
	entries := codex.targets(m, false)[1].entries([]document{hooks})
	f.Fuzz(func(t *testing.T, raw []byte) {
		after := putAndTake(t, tomlFormat, raw, entries)
		var was, is map[string]any
		must(t, toml.Unmarshal(bytes.TrimPrefix(raw, []byte(byteOrderMark)), &was))
		must(t, toml.Unmarshal(bytes.TrimPrefix(after, []byte(byteOrderMark)), &is))
		for _, all := range []map[string]any{was, is} { // a table without keys goes with the last one in it
			without(all, []string{"mcp_servers", "none"})
			without(all, []string{"hooks", "state", "none"})
		}
		if !reflect.DeepEqual(was, is) {
			t.Errorf("it was\n%s\nand is\n%s", raw, after)
		}
	})
}
