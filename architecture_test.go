// Package architecture keeps the picture of ARCHITECTURE.md.
package architecture

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "nvim-agent-diff/"

// arrows are the imports that ARCHITECTURE.md allows: for each folder, what of this module and of the libraries it may use.
// The standard library is free, but for hunks, which is pure.
var arrows = map[string][]string{
	"hunks":               {"github.com/bluekeyes/go-gitdiff/gitdiff", "znkr.io/diff"},
	"review":              {"nvim-agent-diff/hunks"},
	"visible":             {},
	"lua":                 {},
	"bridge":              {"nvim-agent-diff/hunks", "nvim-agent-diff/review", "nvim-agent-diff/lua", "nvim-agent-diff/visible", "github.com/neovim/go-client"},
	"policy":              {"nvim-agent-diff/review", "nvim-agent-diff/visible", "github.com/pelletier/go-toml/v2", "github.com/bmatcuk/doublestar/v4", "golang.org/x/text"},
	"tools":               {"nvim-agent-diff/hunks", "nvim-agent-diff/review", "nvim-agent-diff/policy", "github.com/modelcontextprotocol/go-sdk", "github.com/google/jsonschema-go"},
	"setup":               {"nvim-agent-diff/hunks", "github.com/tailscale/hujson", "github.com/pelletier/go-toml/v2"},
	"agents":              {"nvim-agent-diff/hunks", "nvim-agent-diff/review", "nvim-agent-diff/visible"},
	"screen":              {"github.com/neovim/go-client"},
	"demo":                {"nvim-agent-diff/screen", "github.com/modelcontextprotocol/go-sdk"},
	"journal":             {"nvim-agent-diff/hunks", "nvim-agent-diff/review", "nvim-agent-diff/visible"},
	"approve":             {"nvim-agent-diff/agents", "nvim-agent-diff/hunks", "nvim-agent-diff/policy", "nvim-agent-diff/review", "nvim-agent-diff/visible"},
	"prompt":              {"nvim-agent-diff/hunks", "nvim-agent-diff/review", "nvim-agent-diff/visible", "github.com/charmbracelet/x/ansi", "golang.org/x/term", "golang.org/x/sys/unix"},
	"cmd/nvim-agent-diff": {"nvim-agent-diff/", "github.com/urfave/cli/v2", "golang.org/x/term", "golang.org/x/sys/unix"},
}

// impure is what hunks has no business with.
var impure = []string{"os", "net", "time", "log", "log/slog", "context", "sync", "io/fs", "math/rand"}

// TestArrows keeps the picture of ARCHITECTURE.md true: tools and bridge never import each other, each library has the
// importers that it is meant to have, and hunks stays pure.
func TestArrows(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		allowed, known := arrows[folder]
		if !known {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		seen++
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if !mayImport(folder, name, allowed) {
				t.Errorf("%s imports %s: ARCHITECTURE.md has no such arrow", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < len(arrows) {
		t.Errorf("only %d files looked at: have the folders moved?", seen)
	}
}

func mayImport(folder, name string, allowed []string) bool {
	standard := !strings.Contains(strings.SplitN(name, "/", 2)[0], ".") && !strings.HasPrefix(name, module)
	if standard {
		if folder != "hunks" {
			return true
		}
		return !slices.Contains(impure, name)
	}
	for _, prefix := range allowed {
		if name == prefix || strings.HasPrefix(name, strings.TrimSuffix(prefix, "/")+"/") {
			return true
		}
	}
	return false
}
