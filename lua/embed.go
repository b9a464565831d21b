// Package lua carries the editor's side of the program, so that any running Neovim can review, plugin installed or not.
package lua

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed agent_diff/*.lua
var sources embed.FS

// Bootstrap is the chunk that a server runs first in a Neovim. Its arguments are the protocol number and the modules; it
// returns what it found there, see its comments.
//
//go:embed bootstrap.lua
var Bootstrap string

// Modules returns the source of every module by its name in require(), as "agent_diff.view".
func Modules() (map[string]string, error) {
	modules := map[string]string{}
	err := fs.WalkDir(sources, "agent_diff", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		source, err := sources.ReadFile(file)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(path.Base(file), ".lua")
		if name == "init" {
			modules["agent_diff"] = string(source)
		} else {
			modules["agent_diff."+name] = string(source)
		}
		return nil
	})
	return modules, err
}
