package bridge

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/neovim/go-client/nvim"
)

// patience is how long a test waits for something that must happen. It decides no test that passes.
const patience = time.Minute

// eachNvim runs a test in each Neovim that `make test` names in $TEST_NVIMS.
func eachNvim(t *testing.T, test func(t *testing.T, bin string)) {
	for _, bin := range testNvims(t) {
		t.Run(nvimVersion(t, bin), func(t *testing.T) { test(t, bin) })
	}
}

// anyNvim is one Neovim, for what does not depend on the version.
func anyNvim(t testing.TB) string { return testNvims(t)[0] }

func testNvims(t testing.TB) []string {
	t.Helper()
	bins := filepath.SplitList(os.Getenv("TEST_NVIMS"))
	if len(bins) == 0 {
		t.Fatal("no Neovim to test with: run `make test`, which finds or fetches one (it sets TEST_NVIMS)")
	}
	return bins
}

func nvimVersion(t testing.TB, bin string) string {
	t.Helper()
	out, err := exec.Command(bin, "--version").Output()
	if err != nil {
		t.Fatalf("%s --version: %v", bin, err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimPrefix(line, "NVIM ")
}

// home is the world of a test: a home folder, and everything else that is found from it or from the environment.
type home struct {
	dir string // short: a socket's path has at most 107 bytes
	run string // $XDG_RUNTIME_DIR
	env []string
}

func newHome(t testing.TB) *home {
	t.Helper()
	dir, err := os.MkdirTemp("", "nad")
	if err != nil {
		t.Fatal(err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	h := &home{dir: dir, run: makeDir(t, dir, "run")}
	h.env = []string{
		"HOME=" + dir, "XDG_RUNTIME_DIR=" + h.run, "TMPDIR=" + makeDir(t, dir, "tmp"), "PATH=" + os.Getenv("PATH"),
		"LANG=C.UTF-8", "TERM=xterm", "XDG_CONFIG_HOME=" + dir + "/.config", "XDG_DATA_HOME=" + dir + "/.local/share",
		"XDG_STATE_HOME=" + dir + "/.local/state", "XDG_CACHE_HOME=" + dir + "/.cache",
	}
	return h
}

func makeDir(t testing.TB, elem ...string) string {
	t.Helper()
	dir := filepath.Join(elem...)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// getenv is the environment of the home, as a Finder reads it.
func (h *home) getenv(name string) string {
	for _, entry := range h.env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// instance is a Neovim that a test started.
type instance struct {
	addr string
	pid  int
	cmd  *exec.Cmd
}

// start starts a headless Neovim in the folder cwd and waits until it has started. It listens at v:servername when args
// do not say otherwise.
func (h *home) start(t testing.TB, bin, cwd string, args ...string) *instance {
	t.Helper()
	ready := `autocmd VimEnter * ++once lua vim.schedule(function() io.stdout:write(vim.v.servername, "\n") io.stdout:flush() end)`
	all := append([]string{"--headless", "--clean", "--cmd", ready}, args...)
	cmd := exec.Command(bin, all...)
	cmd.Dir = cwd
	cmd.Env = h.env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	n := &instance{cmd: cmd, pid: cmd.Process.Pid}
	t.Cleanup(n.kill)
	giveUp := time.AfterFunc(patience, n.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !giveUp.Stop() {
		t.Fatalf("Neovim did not start: %v", err)
	}
	n.addr = strings.TrimSpace(line)
	return n
}

// kill is kill -9, and waits until it is dead.
func (n *instance) kill() {
	_ = n.cmd.Process.Kill()
	_ = n.cmd.Wait()
}

// attachUI attaches a screen, as a terminal does; the test's end detaches it.
func (n *instance) attachUI(t testing.TB) {
	t.Helper()
	ui, err := nvim.Dial(n.addr, nvim.DialLogf(func(string, ...any) {}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ui.Close() })
	if err := ui.AttachUI(80, 24, map[string]any{}); err != nil {
		t.Fatal(err)
	}
}

// dial connects a client to it.
func (n *instance) dial(t testing.TB, onNotify func(string, []any)) *Client {
	t.Helper()
	c, err := Dial(t.Context(), n.addr, onNotify)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// within is a context for something that must happen.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// await waits for something that must happen.
func await[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not happen", what)
		panic("unreachable")
	}
}
