package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// asItself makes this test's binary the program, with its own reviewers.
const asItself = "itself"

// onPty runs the program of the folder dir on a pseudo-terminal, without any Neovim. What stdin, stdout and stderr are not
// set to is the terminal.
func onPty(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := program(t, dir, asItself, args...)
	home := t.TempDir()
	cmd.Env = []string{
		asProgram + "=" + asItself, "HOME=" + home, "XDG_RUNTIME_DIR=" + home, "TMPDIR=" + home, "PATH=" + home, "LANG=C.UTF-8",
		"NO_COLOR=1", "GORACE=atexit_sleep_ms=0",
	}
	return cmd
}

// converse starts the program, types each answer when its question is there, and waits for the end.
func converse(t *testing.T, cmd *exec.Cmd, answers ...string) (screen string, code int) {
	t.Helper()
	terminal := 0 // which of the program's files is the terminal
	if cmd.Stdin != nil {
		terminal = 2
	}
	master, err := pty.StartWithAttrs(cmd, nil, &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: terminal})
	must(t, err)
	defer master.Close()
	pieces := make(chan string, 100)
	go func() {
		defer close(pieces)
		buffer := make([]byte, 4096)
		for {
			n, err := master.Read(buffer)
			if err != nil {
				return
			}
			pieces <- string(buffer[:n])
		}
	}()
	var all strings.Builder
	unread, deadline := "", time.After(patience)
	for open := true; open; {
		var piece string
		select {
		case piece, open = <-pieces:
		case <-deadline:
			_ = cmd.Process.Kill()
			t.Fatalf("the program does not end:\n%s", all.String())
		}
		all.WriteString(piece)
		unread += piece
		if _, rest, found := strings.Cut(unread, "] "); found && len(answers) > 0 {
			_, err := io.WriteString(master, answers[0])
			must(t, err)
			unread, answers = rest, answers[1:]
		}
	}
	_ = cmd.Wait()
	return strings.ReplaceAll(all.String(), "\r\n", "\n"), cmd.ProcessState.ExitCode()
}

func TestProposeOnTerminal(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		args         []string
		code         int
		want, holds  string
	}{
		{"accepted", "y\n", nil, 0, "✓ Changes accepted and applied to f\n\nThe file has been updated with your proposed changes. The file has been saved.\n", "new\n"},
		{"asked for", "y\n", []string{"--ui", "prompt"}, 0, "✓ Changes accepted", "new\n"},
		{"rejected", "n\n", nil, 1, "✗ REJECTED: User explicitly declined changes to f\n", "old\n"},
		{"interrupted", "\x03", nil, 130, "cancelled: The review was interrupted. Nothing was changed.\n", "old\n"},
		{"end of input", "\x04", nil, 2, "cancelled: The terminal ended before there was a decision: EOF. Nothing was changed.\n", "old\n"},
		{"no Neovim", "", []string{"--ui", "nvim"}, 3, "editor_unavailable: ", "old\n"},
		{"wrong place", "", []string{"--ui", "vim"}, 2, `--ui "vim" is none of auto, nvim, prompt`, "old\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := project(t, map[string]string{"f": "old\n", "m": "new\n"})
			cmd := onPty(t, dir, append([]string{"--root", dir, "propose", "--file", "f", "--modified", "m"}, tt.args...)...)
			screen, code := converse(t, cmd, tt.answer)
			raw, err := os.ReadFile(filepath.Join(dir, "f"))
			must(t, err)
			if code != tt.code || !strings.Contains(screen, tt.want) || string(raw) != tt.holds {
				t.Errorf("exit code %d, file %q:\n%s", code, raw, screen)
			}
		})
	}
}

// TestAnswersNotOnTerminal asks on the terminal although stdout is for a program.
func TestAnswersNotOnTerminal(t *testing.T) {
	dir := project(t, map[string]string{"f": "old\n"})
	cmd := onPty(t, dir, "--root", dir, "propose", "--file", "f", "--modified", "-", "--json")
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout = strings.NewReader("new\n"), &out
	screen, code := converse(t, cmd, "y\n")
	if code != 0 || !strings.HasPrefix(out.String(), "{\n  \"message\": \"✓ Changes accepted") || strings.Contains(screen, "message") {
		t.Errorf("exit code %d, %s:\n%s", code, out.String(), screen)
	}
}

// TestNotAtTerminal does not write into a terminal that only happens to be there: an agent's, which catches all output.
func TestNotAtTerminal(t *testing.T) {
	for _, ui := range []string{"auto", "prompt"} {
		dir := project(t, map[string]string{"f": "old\n", "m": "new\n"})
		cmd := onPty(t, dir, "--root", dir, "propose", "--file", "f", "--modified", "m", "--ui", ui)
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		screen, code := converse(t, cmd)
		if code != exitNoEditor || screen != "" || !strings.Contains(said.String(), "editor_unavailable: ") {
			t.Errorf("%s: exit code %d, %q:\n%s", ui, code, said.String(), screen)
		}
	}
}

const twoFiles = `diff --git a/f b/f
--- a/f
+++ b/f
@@ -1 +1 @@
-old
+new
diff --git a/dir/g b/dir/g
new file mode 100644
--- /dev/null
+++ b/dir/g
@@ -0,0 +1 @@
+g
`

// TestReviewOnTerminal reviews a patch of several files, from stdin and from a file, in a folder of the project.
func TestReviewOnTerminal(t *testing.T) {
	dir := project(t, map[string]string{"f": "old\n", "sub/x": "", "the.patch": twoFiles})
	cmd := onPty(t, filepath.Join(dir, "sub"), "--root", dir, "review")
	cmd.Stdin = strings.NewReader(twoFiles)
	screen, code := converse(t, cmd, "n\n", "n\n")
	if code != exitRejected || !strings.Contains(screen, "== f\n✗ REJECTED") || !strings.Contains(screen, "== dir/g\n✗ REJECTED") {
		t.Errorf("exit code %d:\n%s", code, screen)
	}
	screen, code = converse(t, onPty(t, dir, "--root", dir, "review", "the.patch"), "n\n", "y\n")
	raw, err := os.ReadFile(filepath.Join(dir, "dir/g"))
	if err != nil || string(raw) != "g\n" || code != 0 || !strings.Contains(screen, "Description: the.patch") || !strings.Contains(screen, "The file was created.") {
		t.Errorf("exit code %d, %q, %v:\n%s", code, raw, err, screen)
	}
	// What the policy lets through is reviewed all the same: that is what the person has asked for.
	cmd = onPty(t, dir, "--root", dir, "review", "the.patch")
	must(t, os.WriteFile(filepath.Join(dir, "config"), []byte("mode = \"auto_approve\"\n"), 0o600))
	must(t, os.MkdirAll(filepath.Join(dir, "nvim-agent-diff"), 0o755))
	must(t, os.Rename(filepath.Join(dir, "config"), filepath.Join(dir, "nvim-agent-diff/config.toml")))
	cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+dir)
	if screen, code = converse(t, cmd, "n\n"); code != exitRejected {
		t.Errorf("exit code %d:\n%s", code, screen)
	}
	for args, want := range map[string]string{
		"":             "the patch is missing: ",
		"a b":          "review takes one patch",
		"none":         "the patch: open none: no such file or directory",
		"f":            `invalid_args: "patch" cannot be used. Line 1 of the patch: `,
		"sub/../there": "the patch: open sub/../there",
	} {
		screen, code := converse(t, onPty(t, dir, append([]string{"review"}, strings.Fields(args)...)...))
		if code != exitError || !strings.Contains(screen, want) {
			t.Errorf("%s: exit code %d:\n%s", args, code, screen)
		}
	}
}

// TestApproveOnTerminal asks a person about all calls of a batch, and is exit code 3 where there is nobody.
func TestApproveOnTerminal(t *testing.T) {
	const calls = `{"requests": [
		{"tool_call_id": "1", "tool_name": "write_file", "args": {"path": "f", "content": "new\n"}},
		{"tool_call_id": "2", "tool_name": "send_mail", "args": {"to": "\u001b[2J"}, "summary": "tell them"}]}`
	dir := project(t, map[string]string{"f": "old\n"})
	cmd := onPty(t, dir, "--root", dir, "approve")
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout = strings.NewReader(calls), &out
	screen, code := converse(t, cmd, "n\n", "y\n")
	if code != 0 || !strings.Contains(out.String(), `"1": {`+"\n"+`      "approved": false`) || !strings.Contains(out.String(), `"2": {`+"\n"+`      "approved": true`) {
		t.Errorf("exit code %d, %s:\n%s", code, out.String(), screen)
	}
	if !strings.Contains(screen, "  tell them") || !strings.Contains(screen, "Let this call run? [y/n") || strings.Contains(screen, "will create") || strings.Contains(screen, "\x1b[2J") {
		t.Errorf("%q", screen)
	}
	nobody := onPty(t, dir, "--root", dir, "approve")
	out.Reset()
	nobody.Stdin, nobody.Stdout = strings.NewReader(calls), &out
	if err := nobody.Run(); nobody.ProcessState.ExitCode() != exitNoEditor || out.Len() > 0 {
		t.Errorf("%v: %s", err, out.String())
	}
}

// A file's text does not drive the terminal.
func TestDiffOnTerminal(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a"), []byte("one\x1b]0;title\a\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "b"), []byte("two\n"), 0o600))
	screen, code := converse(t, onPty(t, dir, "diff", "a", "b"))
	if code != exitDiffers || strings.ContainsAny(screen, "\x1b\a") || !strings.Contains(screen, `-one\x1b]0;title\a`) {
		t.Errorf("%d %q", code, screen)
	}
}

// A Neovim that ends by itself before it can be reached is no more than none.
func TestOwnNeovimThatEnds(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "f"), []byte("one\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "m"), []byte("two\n"), 0o600))
	ends := filepath.Join(dir, "nvim")
	must(t, os.WriteFile(ends, []byte("#!/bin/sh\n"), 0o700))
	cmd := onPty(t, dir, "propose", "--file", "f", "--modified", "m")
	cmd.Env = append(cmd.Env, "NVIM_BIN="+ends)
	screen, code := converse(t, cmd)
	if code != exitNoEditor || !strings.Contains(screen, "Neovim ended before it listened: exit status 0. Nothing was changed.") {
		t.Errorf("%d %q", code, screen)
	}
}

// Nor does what a project's files hold: the lines that a person is asked about could be hidden by it.
func TestForeignProjectOnTerminal(t *testing.T) {
	dir := project(t, map[string]string{
		".git/HEAD": "", ".mcp.json": "{\n// \x1b[2Kmark\n\"mcpServers\": {\"nvim-diff\": {\"command\": \"\\u001b[2Kmark\"}}}\n",
	})
	for _, args := range []string{"setup claude-code --project --dry-run", "doctor", "setup"} {
		screen, _ := converse(t, onPty(t, dir, strings.Fields(args)...))
		if strings.Contains(screen, "\x1b") || args != "setup" && !strings.Contains(screen, `\x1b[2Kmark`) {
			t.Errorf("%s: %q", args, screen)
		}
	}
}
