package test

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A person's own patch is reviewed as an agent's is: all files in one sitting, and the exit code says how it was decided.
func TestReviewCommand(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("a.txt", three())
		s.file("b.txt", "b\n")
		s.open("a.txt")
		patch := "--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n--- /dev/null\n+++ b/c.txt\n@@ -0,0 +1 @@\n+c\n"
		run := s.start(patch, "review", "--description", "tidy up", "-")
		s.see("Description: tidy up")
		s.states(pending, pending)
		s.press("ar")
		s.press("q")
		run.ends(0, "== b.txt\n✓ Changes accepted and applied to b.txt\n", "The file was deleted.", "== c.txt\n✗ REJECTED")
		s.fileIs("a.txt", three())
		if files, _ := filepath.Glob(s.path("*.txt")); len(files) != 1 {
			s.t.Errorf("there are %q", files)
		}
		s.over()
		run = s.start(patch[:strings.Index(patch, "--- /dev/null")], "review", "-")
		run.ends(2, "stale_original")
	})
}

// running is a command under way.
type running struct {
	s        *story
	cmd      *exec.Cmd
	out, err bytes.Buffer
	ended    chan error
}

// start starts the program with an input, in the user's Neovim.
func (s *story) start(stdin string, args ...string) *running {
	s.t.Helper()
	r := &running{s: s, ended: make(chan error, 1)}
	r.cmd = exec.Command(program(s.t), append([]string{"--nvim", s.nvim.Addr(), "--root", s.dir}, args...)...)
	r.cmd.Dir, r.cmd.Env, r.cmd.Stdin = s.dir, append(s.nvim.Env(), "GORACE=atexit_sleep_ms=0"), strings.NewReader(stdin)
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.err
	must(s.t, r.cmd.Start())
	go func() { r.ended <- r.cmd.Wait() }()
	s.t.Cleanup(func() { _ = r.cmd.Process.Kill() })
	return r
}

// ends waits for the end of the command, with an exit code and texts in what it printed.
func (r *running) ends(code int, texts ...string) *running {
	r.s.t.Helper()
	select {
	case err := <-r.ended:
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			r.s.t.Fatal(err)
		}
	case <-time.After(patience):
		r.s.t.Fatalf("the command does not end:\n%s%s", &r.out, &r.err)
	}
	said := r.out.String() + r.err.String()
	if got := r.cmd.ProcessState.ExitCode(); got != code {
		r.s.t.Errorf("exit code %d, should be %d:\n%s", got, code, said)
	}
	for _, text := range texts {
		if !strings.Contains(said, text) {
			r.s.t.Errorf("it should say %q:\n%s", text, said)
		}
	}
	return r
}
