package test

import (
	"bytes"
	"os"
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
	ended    chan struct{} // closed when it has ended
}

// start starts the program with an input, in the user's Neovim.
func (s *story) start(stdin string, args ...string) *running {
	s.t.Helper()
	r := &running{s: s, ended: make(chan struct{})}
	r.cmd = exec.Command(program(s.t), append([]string{"--nvim", s.nvim.Addr(), "--root", s.dir}, args...)...)
	r.cmd.Stdin = strings.NewReader(stdin)
	r.begin()
	return r
}

// begin starts the command in the project.
func (r *running) begin(env ...string) {
	r.s.t.Helper()
	r.cmd.Dir, r.cmd.Env = r.s.dir, append(append(r.s.nvim.Env(), "GORACE=atexit_sleep_ms=0"), env...)
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.err
	must(r.s.t, r.cmd.Start())
	go func() {
		_ = r.cmd.Wait()
		close(r.ended)
	}()
	r.s.t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		r.wait() // it writes into the folders that are removed next
	})
}

// wait waits for the end of the command.
func (r *running) wait() {
	r.s.t.Helper()
	select {
	case <-r.ended:
	case <-time.After(patience):
		r.s.t.Fatalf("the command does not end:\n%s%s", &r.out, &r.err)
	}
}

// ends waits for the end of the command, with an exit code and texts in what it printed.
func (r *running) ends(code int, texts ...string) *running {
	r.s.t.Helper()
	r.wait()
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

// The calls that a Python program has collected are decided in one sitting, and it does just what was accepted.
func TestApproveExample(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	example, err := filepath.Abs("../docs/approve_example.py")
	must(t, err)
	forEachNvim(t, func(s *story) {
		s.file("numbers.txt", "x\n1\n2\n3\n4\n5\n6\n7\nx\n")
		s.open("numbers.txt")
		r := &running{s: s, ended: make(chan struct{}), cmd: exec.Command(python, example)}
		r.begin("NVIM_AGENT_DIFF="+program(s.t), "NVIM_AGENT_DIFF_ADDR="+s.nvim.Addr())
		s.see("3 calls wait for your approval")
		s.see("Note: deploy (call_3): this is a call, and no file")
		s.see("Deploy what was changed")
		s.states(pending, pending, pending, pending)
		s.press("rarrq") // not hello.txt; one of the two places; the deployment not
		r.ends(0, `"call_1": "✗ REJECTED: User explicitly declined changes to hello.txt`, `"call_2": "numbers.txt was edited\nThe user has reviewed`, `1 of 2 hunks applied`)
		s.fileIs("numbers.txt", "y\n1\n2\n3\n4\n5\n6\n7\nx\n")
		if _, err := os.Stat(s.path("hello.txt")); !os.IsNotExist(err) {
			s.t.Errorf("hello.txt: %v", err)
		}
		s.over()
		s.start(`{"requests": [{"tool_call_id": "a"}]}`, "approve").ends(2, "requests[0].tool_name: is missing")
	})
}
