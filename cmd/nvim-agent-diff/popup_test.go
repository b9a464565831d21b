package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// onPopup is a popup whose terminal is a pseudo-terminal of the test. When the question is there, do is called.
func onPopup(t *testing.T, do func(terminal io.Writer, holder *os.Process)) *popup {
	t.Helper()
	return &popup{start: func(_ context.Context, command ...string) (func() error, error) {
		holder := exec.Command(command[0], command[1:]...)
		holder.Env = []string{asProgram + "=" + asItself, "HOME=" + t.TempDir(), "TERM=dumb", "GORACE=atexit_sleep_ms=0"}
		master, err := pty.Start(holder)
		if err != nil {
			return nil, err
		}
		go func() {
			var seen strings.Builder
			buffer := make([]byte, 4096)
			for asked := false; ; {
				n, err := master.Read(buffer)
				if err != nil {
					return
				}
				seen.Write(buffer[:n])
				if !asked && strings.Contains(seen.String(), "Apply this edit?") {
					asked = true
					do(master, holder.Process)
				}
			}
		}()
		t.Cleanup(func() { _ = master.Close() })
		return holder.Wait, nil
	}}
}

// A popup's terminal is handed over to the hook, which asks there; when the popup is closed, nobody has decided.
func TestPopup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	must(t, os.WriteFile(path, []byte("one\n"), 0o600))
	proposal := func() review.Proposal {
		return review.Proposal{Tool: "Edit", TextOnly: true, Root: filepath.Dir(path), Files: []review.File{{
			Path: "f", Abs: path, Name: "f",
			Draft: func(current hunks.Text) (*hunks.Patch, error) { return hunks.Diff(current, "two\n"), nil },
		}}}
	}
	say := func(answer string) func(io.Writer, *os.Process) {
		return func(terminal io.Writer, _ *os.Process) { _, _ = io.WriteString(terminal, answer+"\r") }
	}
	for answer, want := range map[string]string{"y": "two\n", "n": "one\n"} {
		out, err := onPopup(t, say(answer)).Review(t.Context(), proposal(), nil)
		if err != nil || out.Files[0].Text.Raw() != want {
			t.Errorf("%s: %+v, %v", answer, out, err)
		}
	}
	code := func(err error) review.Code {
		known, _ := errors.AsType[*review.Error](err)
		if known == nil {
			return ""
		}
		return known.Code
	}
	closed := onPopup(t, func(_ io.Writer, holder *os.Process) { _ = holder.Kill() })
	if out, err := closed.Review(t.Context(), proposal(), nil); code(err) != review.Cancelled {
		t.Errorf("the popup is closed: %+v, %v", out, err)
	}
	for name, p := range map[string]review.Reviewer{
		"it does not start": &popup{start: func(context.Context, ...string) (func() error, error) { return nil, errors.New("no tmux") }},
		"it ends at once": &popup{start: func(context.Context, ...string) (func() error, error) {
			return func() error { return errors.New("no current client") }, nil
		}},
		"no tmux": newPopup(func(string) string { return "" }),
	} {
		if _, err := p.Review(t.Context(), proposal(), nil); code(err) != review.EditorUnavailable || !strings.Contains(err.Error(), "Nothing was changed.") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if raw, _ := os.ReadFile(path); string(raw) != "one\n" {
		t.Errorf("the file holds %q", raw)
	}
}
