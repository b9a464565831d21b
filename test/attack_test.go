package test

import (
	"os"
	"path/filepath"
	"testing"
)

// An agent attacks the policy: it tries to change the rules, to forge a yes, and to get around a no. Nothing of that works
// without a person's yes.
func TestAttackOnPolicy(t *testing.T) {
	forEachNvim(t, func(s *story) {
		config := "mode = 'auto_approve'\ndeny = ['secret/']\n[roots.home]\npath = '" + s.nvim.Home() + "'\n[roots.notes]\npath = '" + s.dir + "/notes'\n"
		s.rules(config)
		s.file("secret/key", "SECRET\n")
		s.file("notes/n.txt", "n\n")
		s.file("rules.toml", "deny = ['secret/']\n")
		must(s.t, os.Symlink("rules.toml", s.path(".nvim-agent-diff.toml")))
		must(s.t, os.Symlink("secret", s.path("harmless")))
		s.agent = s.another()
		write := func(path, content string) *call {
			c := s.agent.call("write_file", map[string]any{"path": path, "content": content})
			s.calls = append(s.calls, c)
			return c
		}
		loose := "mode = 'auto_approve'\nallow = ['**']\n"
		state := filepath.Join(s.nvim.Home(), ".local", "state", "nvim-agent-diff", "approvals")
		for _, path := range []string{
			".nvim-agent-diff.toml", "rules.toml", ".NVIM-agent-diff.toml", "notes/../.nvim-agent-diff.toml", "sub/.nvim-agent-diff.toml",
			filepath.Join(state, "forged.json"), "home/.config/nvim-agent-diff/config.toml",
		} {
			c := write(path, loose)
			s.see("Progress: 0/")
			s.waiting(c)
			s.press("R")
			c.result().rejected(path)
			s.over()
		}
		// By a patch: deleting the rules, and renaming something onto their name.
		for _, patch := range []string{
			"--- a/rules.toml\n+++ /dev/null\n@@ -1 +0,0 @@\n-deny = ['secret/']\n",
			"diff --git a/notes/n.txt b/x/.nvim-agent-diff.toml\nrename from notes/n.txt\nrename to x/.nvim-agent-diff.toml\n",
		} {
			c := s.proposePatch(patch, "")
			s.see("Progress: 0/1")
			s.press("R")
			c.result().says("REJECTED")
			s.over()
		}
		// What is denied, by other names.
		for _, path := range []string{"secret/key", "SECRET/key", "harmless/key", "notes/../secret/key", s.path("secret/key"), "./secret//key", "secret/new"} {
			write(path, "x\n").result().failed("fs_denied").silent("SECRET\n")
			if path != "secret/new" {
				s.agent.call("read_file", map[string]any{"path": path}).result().failed("fs_denied").silent("SECRET\n")
			}
		}
		write("notes/../../outside", "x\n").result().failed("PathNotInSandboxError")
		// Names that are patterns, or code, are names.
		for _, path := range []string{"[s]ecret", "%a+", "*", "';vim.cmd.quit()--", "{secret,x}"} {
			write(path, "x\n").result().accepted(path, true)
			s.fileIs(path, "x\n")
		}

		// Whoever has written it: a project's file does not loosen, and what it cannot say is not let through.
		s.rules("mode = 'interactive'\n")
		s.file("rules.toml", loose)
		c := write("a.txt", "a\n")
		s.see("Progress: 0/1")
		s.press("R")
		c.result().rejected("a.txt")
		s.file("rules.toml", loose+"denied = []\n")
		write("a.txt", "a\n").result().failed("fs_denied").says(".nvim-agent-diff.toml:3")
		s.file("secret/key", "SECRET\n")
		s.fileIs(filepath.Join(s.nvim.Home(), ".config", "nvim-agent-diff", "config.toml"), "mode = 'interactive'\n")
		if entries, err := os.ReadDir(state); err == nil && len(entries) > 0 {
			s.t.Error("an approval was forged")
		}
	})
}

// Between the check and the use somebody swaps the folder for a link to one that is denied: before the file is read, and
// before it is written, as late as that can be done.
func TestAttackRaced(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.rules("mode = 'auto_approve'\ndeny = ['secret/']")
		s.file("secret/x", "SECRET\n")
		s.file("open/x", "0\n")
		s.lua(nil, `
			local dir = ...
			local swap = function()
				vim.uv.fs_rename(dir .. '/open', dir .. '/away')
				vim.uv.fs_symlink('secret', dir .. '/open')
			end
			vim.api.nvim_create_autocmd({ 'BufReadPre', 'BufWritePre' }, { pattern = '*/open/*', callback = function(event)
				if event.event == vim.g.swap_at then swap() end
			end })`, s.dir)
		for _, at := range []string{"BufReadPre", "BufWritePre"} {
			s.lua(nil, `vim.g.swap_at = ...`, at)
			s.agent = s.another()
			r := s.agent.call("write_file", map[string]any{"path": "open/x", "content": "1\n"}).result().silent("SECRET")
			if at == "BufReadPre" {
				r.failed("tool_failed").says("leads to another file than when it was allowed", "Nothing was changed.")
			} else {
				r.accepted("open/x", false).says("leads to another place")
			}
			s.fileIs("secret/x", "SECRET\n")
			s.fileIs("away/x", "0\n")
			s.lua(nil, `vim.cmd('silent! %bwipeout!')`)
			must(s.t, os.Remove(s.path("open")))
			must(s.t, os.Rename(s.path("away"), s.path("open")))
		}
	})
}
