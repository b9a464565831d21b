package test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The agent is killed while a shell is between it and its hook, as setup writes it: the shell lives on, but nobody reads the
// answer any more.
func TestHookBehindShell(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		s.open("a.txt")
		out, in, err := os.Pipe()
		must(s.t, err)
		sh := exec.Command("sh", "-c", `"$0" "$@" || exit 2`, program(s.t), "--nvim", s.nvim.Addr(), "--root", s.dir, "hook", "claude-code")
		sh.Dir, sh.Env, sh.Stdout = s.dir, s.nvim.Env(), in
		sh.Stdin = strings.NewReader(s.told(hookEvent("PreToolUse", "Edit",
			map[string]any{"file_path": "a.txt", "old_string": "line 4", "new_string": "FOUR"})))
		must(s.t, sh.Start())
		must(s.t, in.Close())
		s.see("Progress: 0/1 applied")
		must(s.t, out.Close())
		s.see("The agent is gone")
		s.press("q")
		s.over()
		_ = sh.Wait()
		s.fileIs("a.txt", three())
	})
}
