package test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nvim-agent-diff/screen/screentest"
)

// Without a terminal the demo plays itself, shows every step, and ends with 0.
func TestDemo(t *testing.T) {
	screentest.Each(t, func(t *testing.T, nvim string) {
		demo := exec.Command(program(t), "demo")
		demo.Env = append(demo.Environ(), "NVIM_BIN="+nvim, "GORACE=atexit_sleep_ms=0")
		out, err := demo.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		rest := string(out)
		for _, text := range []string{
			"inventory.go before", `return fmt.Errorf("no such item")`,
			"The agent calls propose_file_edit",
			"Progress: 0/5 applied, 0 rejected, 5 pending",
			"[APPLIED]", "[REJECTED]", "Finish anyway?",
			"inventory.go after", "ErrSoldOut",
			"✓ Changes accepted and applied to inventory.go", "The file has been saved.",
			"4 of 5 hunks applied, 1 rejected, 0 undecided, 0 in conflict.",
			"All of it happened",
		} {
			_, after, found := strings.Cut(rest, text)
			if !found {
				t.Fatalf("the demo should show %q next:\n%s", text, out)
			}
			rest = after
		}
	})
}

// A person has seen enough.
func TestDemoInterrupted(t *testing.T) {
	demo := exec.Command(program(t), "demo")
	demo.Env = append(demo.Environ(), "NVIM_BIN="+screentest.Nvims(t)[0], "GORACE=atexit_sleep_ms=0")
	out, err := demo.StdoutPipe()
	must(t, err)
	must(t, demo.Start())
	for lines := bufio.NewScanner(out); lines.Scan() && !strings.Contains(lines.Text(), "The agent calls"); {
	}
	must(t, demo.Process.Signal(os.Interrupt))
	_, err = io.Copy(io.Discard, out)
	must(t, err)
	if _ = demo.Wait(); demo.ProcessState.ExitCode() != 130 {
		t.Error(demo.ProcessState)
	}
}

// A demo that cannot show anything says why, and fails.
func TestDemoWithoutNeovim(t *testing.T) {
	demo := exec.Command(program(t), "demo")
	demo.Env = append(demo.Environ(), "NVIM_BIN="+filepath.Join(t.TempDir(), "nvim"))
	out, err := demo.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "Neovim 0.10 or newer") {
		t.Errorf("%v\n%s", err, out)
	}
}
