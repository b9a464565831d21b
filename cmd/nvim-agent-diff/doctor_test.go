package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// runDoctor is what doctor prints for a person whose home folder is home and who is in the folder dir.
func runDoctor(t *testing.T, home, dir string, args ...string) (out string, err error) {
	t.Helper()
	for _, name := range []string{"NVIM", "NVIM_AGENT_DIFF_ADDR"} {
		t.Setenv(name, "")
	}
	for _, name := range []string{"XDG_RUNTIME_DIR", "TMPDIR"} {
		t.Setenv(name, home)
	}
	t.Setenv("HOME", home)
	t.Chdir(dir)
	var b bytes.Buffer
	app := newApp()
	app.Commands = []*cli.Command{doctorCommand()}
	app.Writer = &b
	err = app.Run(append([]string{"nvim-agent-diff"}, args...))
	return b.String(), err
}

func exitCode(err error) int {
	if exit, ok := err.(cli.ExitCoder); ok { //nolint:errorlint // never wrapped
		return exit.ExitCode()
	}
	return -1
}

func TestDoctorFindsADeadNeovim(t *testing.T) {
	home := t.TempDir()
	out, err := runDoctor(t, home, home, "--nvim", home+"/none", "doctor")
	if exitCode(err) != exitNoEditor || !strings.Contains(err.Error(), "No Neovim answers at "+home+"/none, given by --nvim") {
		t.Errorf("error %v", err)
	}
	for _, want := range []string{
		`(?m)^program   nvim-agent-diff .*, protocol \d+$`, `(?m)^folder    ` + regexp.QuoteMeta(home) + `$`,
		`(?m)^Neovim    none$`, `(?m)^searched  .*/\.local/state/nvim-agent-diff/instances$`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

func TestDoctorOutsideTheRoots(t *testing.T) {
	home, root := t.TempDir(), t.TempDir()
	out, err := runDoctor(t, home, home, "--root", root, "doctor", "--file", home+"/a.txt")
	if exitCode(err) != exitError || !strings.Contains(err.Error(), "PathNotInSandboxError") {
		t.Errorf("error %v", err)
	}
	if !strings.Contains(out, "root      "+root+"\n") {
		t.Errorf("the root is not in\n%s", out)
	}
}

func TestDoctorTriesTheNeovim(t *testing.T) {
	bins := filepath.SplitList(os.Getenv("TEST_NVIMS"))
	if len(bins) == 0 {
		t.Fatal("no Neovim to test with: run `make test`, which finds or fetches one (it sets TEST_NVIMS)")
	}
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, bin := range bins {
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(bin))), func(t *testing.T) {
			home, err := os.MkdirTemp("", "doc") // a socket's path is short
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(home) })
			addr := startNeovim(t, bin, home)
			out, err := runDoctor(t, home, home, "--nvim", addr, "--root", home, "doctor", "--file", "new/a.txt")
			wantDoctor(t, out, err, `file      .*/new/a\.txt`, `Neovim    `+regexp.QuoteMeta(addr), `because   it was given by --nvim`,
				`it is     version 0\.\d+\.\d+, process \d+, screens attached: 0, works in .*`,
				`answers   in \d+\.\d\d ms; 0 reviews`, `plugin    not installed, and not needed: .*`)

			install := exec.Command(bin, "--clean", "--headless", "--server", addr, "--remote-expr",
				"execute('set runtimepath+="+repository+"')")
			install.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
			if said, err := install.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			out, err = runDoctor(t, home, home, "--nvim", addr, "doctor")
			wantDoctor(t, out, err, `plugin    `+regexp.QuoteMeta(repository)+`/lua/agent_diff, protocol \d+`)
		})
	}
}

func wantDoctor(t *testing.T, out string, err error, lines ...string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range lines {
		if !regexp.MustCompile("(?m)^" + want + "$").MatchString(out) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// startNeovim starts one without a screen, and returns its address once it listens.
func startNeovim(t *testing.T, bin, home string) string {
	t.Helper()
	addr := filepath.Join(home, "sock")
	cmd := exec.Command(bin, "--headless", "--clean", "--listen", addr,
		"--cmd", "autocmd VimEnter * lua io.stdout:write('ready') io.stdout:flush()")
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=xterm"}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal("Neovim did not start:", err)
	}
	return addr
}
