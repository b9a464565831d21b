// Package test holds the tests that need a real Neovim, the real program and real keys. A test reads as a user's story.
package test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// patience is how long a test waits for an event before it fails. No test waits for it when all is well, so it is more than
// a machine needs that has a lot to do.
const patience = time.Minute

// buildDir is where the program is built, when the first test asks for it.
var buildDir string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "built")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	buildDir = dir
	// Tests that may run beside each other are those that wait: the number of processors says nothing of how many.
	if err := flag.Set("test.parallel", "6"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

var build = sync.OnceValues(func() (string, error) {
	if given := os.Getenv("TEST_PROGRAM"); given != "" {
		return given, nil
	}
	name := filepath.Join(buildDir, "nvim-agent-diff")
	args := []string{"build", "-o", name}
	if raced {
		args = append(args, "-race")
	}
	out, err := exec.Command("go", append(args, "nvim-agent-diff/cmd/nvim-agent-diff")...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go build: %w\n%s", err, out)
	}
	return name, err
})

// program is the nvim-agent-diff under test: $TEST_PROGRAM, as a release's, else one that is built now.
func program(t testing.TB) string {
	t.Helper()
	name, err := build()
	must(t, err)
	return name
}
