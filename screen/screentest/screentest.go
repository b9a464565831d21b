// Package screentest gives tests the real Neovims to run on.
package screentest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"nvim-agent-diff/screen"
)

// Each runs a test on every Neovim of $TEST_NVIMS at the same time, a list of programs separated by colons. Without the
// list the test fails: a test of ours without a Neovim shows nothing.
func Each(t *testing.T, test func(t *testing.T, nvim string)) {
	t.Helper()
	for _, nvim := range Nvims(t) {
		t.Run(name(nvim), func(t *testing.T) {
			t.Parallel() // a test waits more than it computes
			test(t, nvim)
		})
	}
}

// Nvims is the list in $TEST_NVIMS.
func Nvims(t testing.TB) []string {
	t.Helper()
	list := filepath.SplitList(os.Getenv("TEST_NVIMS"))
	if len(list) == 0 {
		t.Fatal("no Neovim to test with: run `make test`, which gets them, or set TEST_NVIMS to programs separated by colons")
	}
	return list
}

// names are the versions of the Neovims that were asked already.
var names sync.Map

// name is the version of a Neovim, as "nvim-0.10.4".
func name(nvim string) string {
	known, ok := names.Load(nvim)
	if !ok {
		known, _ = names.LoadOrStore(nvim, ask(nvim))
	}
	return known.(string)
}

func ask(nvim string) string {
	out, err := exec.Command(nvim, "--version").Output()
	if err != nil {
		return filepath.Base(nvim)
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return "nvim-" + strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(first), "NVIM "), "v")
}

// Start starts a Neovim for as long as the test lasts. When the test fails, its log shows the screen. SCREEN_LAG=50ms in
// the environment has every test see each frame, and hear each event, that much later: one that takes what was for what is
// then fails.
func Start(t testing.TB, opts screen.Options) *screen.Screen {
	t.Helper()
	if lag := os.Getenv("SCREEN_LAG"); lag != "" {
		var err error
		if opts.Lag, err = time.ParseDuration(lag); err != nil {
			t.Fatalf("SCREEN_LAG: %v", err)
		}
	}
	s, err := screen.Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the last screen:\n%s", s.Text())
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
