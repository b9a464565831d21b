package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// patience is how long a test waits for an event that has to come.
const patience = time.Minute

// within fails when something took longer than is promised, or rather several times as long: nobody knows what else the
// machine does. TEST_TIMES=exact is for one that does nothing else.
func within(t *testing.T, limit time.Duration, since time.Time) {
	t.Helper()
	allowed := limit
	if os.Getenv("TEST_TIMES") != "exact" {
		allowed *= 10
	}
	if took := time.Since(since); took > allowed {
		t.Errorf("it took %v, %v are promised", took, limit)
	}
}

// asProgram makes this test's binary the program, with a reviewer that decides as the variable says.
const asProgram = "NVIM_AGENT_DIFF_TEST_REVIEW"

func TestMain(m *testing.M) {
	if how := os.Getenv(asProgram); how != "" {
		if how != asItself {
			reviewerOf = func(*cli.Context) (review.Reviewer, func()) { return person(how), func() {} }
		}
		os.Exit(run(os.Args))
	}
	os.Exit(m.Run())
}

// asked is what a person who holds says when it is their turn.
const asked = "asked\n"

// person reviews: "applied" and "rejected" decide so, "hold" waits until the call is cancelled, "stuck" for ever.
type person string

func (how person) Review(ctx context.Context, p review.Proposal, _ func(string)) (*review.Outcome, error) {
	f := p.Files[0]
	raw, err := os.ReadFile(f.Abs)
	text := hunks.NewText(string(raw))
	text.Missing = err != nil
	patch, err := f.Draft(text)
	if err != nil {
		return nil, err
	}
	switch how {
	case "unavailable":
		return nil, review.Errorf(review.EditorUnavailable, "No Neovim was found. Nothing was changed.")
	case "hold":
		_, _ = io.WriteString(os.Stderr, asked)
		<-ctx.Done()
		return nil, review.Errorf(review.Cancelled, "Nothing was changed.")
	case "stuck":
		select {}
	}
	out := review.FileOutcome{Path: f.Path, UserDiff: "+\x1b[2J\n"}
	for i, h := range patch.Hunks {
		out.Hunks = append(out.Hunks, review.HunkOutcome{Index: i + 1, Header: h.Header(), State: hunks.State(how)})
	}
	return &review.Outcome{Files: []review.FileOutcome{out}}, nil
}

func (person) Read(context.Context, string) (*review.Document, error) { panic("not used") }

// program is the program in the folder dir.
func program(t *testing.T, dir, how string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Dir = dir
	// With the race detector a program sleeps for a second before it ends.
	cmd.Env = append(os.Environ(), asProgram+"="+how, "HOME="+t.TempDir(), "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	return cmd
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

func TestCommandLine(t *testing.T) {
	const acceptedHead = "✓ Changes accepted and applied to "
	tests := []struct {
		name, how, args, stdin string
		code                   int
		out, err               string // what they begin with
	}{
		{"accepted", "applied", "propose --file f --modified m", "", 0, acceptedHead + "f\n", ""},
		{"rejected", "rejected", "propose --file f --modified m", "", 1, "✗ REJECTED: User explicitly declined changes to f\n", ""},
		{"modified from stdin", "applied", "propose --file f --modified -", "new\n", 0, acceptedHead, ""},
		{"original from stdin", "applied", "propose --file f --modified m --original -", "a\nb\n", 0, acceptedHead, ""},
		{
			"another original", "applied", "propose --file f --modified m --original other", "", 2, "",
			"nvim-agent-diff: stale_original: In f: ",
		},
		{"a new file", "applied", "propose --file new/x --modified m --description why", "", 0, acceptedHead + "new/x\n", ""},
		{"in the folder where the person is", "applied", "--root .. propose --file f --modified m", "", 0, acceptedHead + "f\n", ""},
		{
			"as JSON", "rejected", "propose --file f --modified m --json", "", 1,
			"{\n  \"message\": \"✗ REJECTED: User explicitly declined changes to f\\n", "",
		},
		{
			"no change", "applied", "propose --file f --modified f", "", 2, "",
			"nvim-agent-diff: nothing_to_change: f already holds this text. Nothing was changed.\n",
		},
		{
			"no editor", "unavailable", "propose --file f --modified m", "", 3, "",
			"nvim-agent-diff: editor_unavailable: No Neovim was found. Nothing was changed.\n",
		},
		{
			"outside", "applied", "propose --file /etc/passwd --modified m", "", 2, "",
			"nvim-agent-diff: PathNotInSandboxError: /etc/passwd is outside of what this server may change: ",
		},
		{"a directory", "applied", "propose --file sub --modified m", "", 2, "", "nvim-agent-diff: tool_failed: sub is a directory."},
		{
			"not UTF-8", "applied", "propose --file f --modified latin1", "", 2, "",
			`nvim-agent-diff: invalid_args: "modified" is not valid UTF-8.`,
		},
		{
			"no modified", "applied", "propose --file f --modified missing", "", 2, "",
			"nvim-agent-diff: --modified: open missing: no such file or directory\n",
		},
		{
			"no original", "applied", "propose --file f --modified m --original missing", "", 2, "",
			"nvim-agent-diff: --original: open missing: no such file or directory\n",
		},
		{
			"stdin twice", "applied", "propose --file f --modified - --original -", "", 2, "",
			"nvim-agent-diff: only one of --original and --modified can be stdin\n",
		},
		{"no flag", "applied", "propose --file f", "", 2, "", "nvim-agent-diff: --modified is missing; see nvim-agent-diff propose --help\n"},
		{"no file", "applied", "propose --modified m", "", 2, "", "nvim-agent-diff: --file is missing; see nvim-agent-diff propose --help\n"},
		{
			"unknown flag", "applied", "propose --files f", "", 2, "",
			"nvim-agent-diff: flag provided but not defined: -files; see nvim-agent-diff propose --help\n",
		},
		{
			"unknown global flag", "applied", "--neovim x mcp", "", 2, "",
			"nvim-agent-diff: flag provided but not defined: -neovim; see nvim-agent-diff --help\n",
		},
		{"unknown command", "applied", "propos", "", 2, "", `nvim-agent-diff: unknown command "propos"; there are: `},
		{"no command", "applied", "", "", 2, "", "NAME:\n   nvim-agent-diff - "},
		{
			"an argument too many", "applied", "mcp now", "", 2, "",
			"nvim-agent-diff: unexpected argument \"now\"; see nvim-agent-diff mcp --help\n",
		},
		{
			"log level", "applied", "--log-level loud version", "", 2, "",
			"nvim-agent-diff: --log-level \"loud\" is none of debug, info, warn, error\n",
		},
		{"no root", "applied", "--root missing mcp", "", 2, "", "nvim-agent-diff: root missing: no such file or directory\n"},
		{"version", "applied", "version", "", 0, "nvim-agent-diff ", ""},
		{"help", "applied", "--help", "", 0, "NAME:\n   nvim-agent-diff - ", ""},
		{"help for a command", "applied", "propose --help", "", 0, "NAME:\n   nvim-agent-diff propose - ", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(project(t, map[string]string{
				"here/f": "a\nb\n", "here/m": "a\nc\n", "here/other": "x\ny\n", "here/latin1": "\xe9\n", "here/sub/x": "", "f": "above\n",
			}), "here")
			var out, errs strings.Builder
			cmd := program(t, dir, test.how, strings.Fields(test.args)...)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(test.stdin), &out, &errs
			err := cmd.Run()
			if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok || ok && exit.ExitCode() != test.code || !ok && test.code != 0 {
				t.Errorf("%v, not exit code %d", err, test.code)
			}
			for text, want := range map[string]string{out.String(): test.out, errs.String(): test.err} {
				if !strings.HasPrefix(text, want) || want == "" && text != "" {
					t.Errorf("%q\ndoes not begin with\n%q", text, want)
				}
			}
		})
	}
}

// agentProcess is `nvim-agent-diff mcp` with one call open.
func agentProcess(t *testing.T, how string, first ...string) (cmd *exec.Cmd, stdin io.WriteCloser, lines <-chan string) {
	t.Helper()
	cmd = program(t, project(t, map[string]string{"f": "a\n"}), how, "--log-level", "debug", "mcp")
	var errs strings.Builder
	cmd.Stderr = &errs
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(errs.String())
		}
	})
	stdin, err := cmd.StdinPipe()
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	received := make(chan string, 100)
	go func() {
		defer close(received)
		for in := bufio.NewScanner(stdout); in.Scan(); {
			received <- in.Text()
		}
	}()
	for _, line := range append([]string{`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`}, first...) {
		_, err := io.WriteString(stdin, line+"\n")
		must(t, err)
	}
	return cmd, stdin, received
}

const openCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"propose_file_edit",` +
	`"arguments":{"path":"f","original":"a\n","modified":"b\n","description":""}}}`

// ping is answered after the calls before it have begun: requests are handled in order.
const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`

// Whatever ends the program, a call that is open is answered first, and nobody has to kill it.
func TestMCPEnds(t *testing.T) {
	ends := map[string]func(cmd *exec.Cmd, stdin io.Closer) error{
		"stdin closed": func(_ *exec.Cmd, stdin io.Closer) error { return stdin.Close() },
		"SIGTERM":      func(cmd *exec.Cmd, _ io.Closer) error { return cmd.Process.Signal(syscall.SIGTERM) },
		"SIGINT":       func(cmd *exec.Cmd, _ io.Closer) error { return cmd.Process.Signal(syscall.SIGINT) },
	}
	for name, end := range ends {
		for how, limit := range map[string]time.Duration{"hold": time.Second, "stuck": 2 * time.Second} {
			t.Run(name+" "+how, func(t *testing.T) {
				cmd, stdin, lines := agentProcess(t, how, openCall, ping)
				for range 2 { // the handshake and the ping
					if !json.Valid([]byte(<-lines)) {
						t.Fatal("no answer")
					}
				}
				start := time.Now()
				must(t, end(cmd, stdin))
				var last string
				for line := range lines {
					last = line
				}
				err := cmd.Wait()
				within(t, limit, start)
				if answered := strings.Contains(last, "cancelled: Nothing was changed."); answered != (how == "hold") {
					t.Errorf("the last word: %s", last)
				}
				if how == "hold" && err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// An agent that is killed takes both ends of the streams with it.
func TestMCPAgentKilled(t *testing.T) {
	cmd := program(t, project(t, map[string]string{"f": "a\n"}), "hold", "mcp")
	in, agentIn, err := os.Pipe()
	must(t, err)
	agentOut, out, err := os.Pipe()
	must(t, err)
	cmd.Stdin, cmd.Stdout = in, out
	must(t, cmd.Start())
	must(t, in.Close())
	must(t, out.Close())
	_, err = io.WriteString(agentIn, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
		`"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`+"\n"+openCall+"\n"+ping+"\n")
	must(t, err)
	lines := bufio.NewReader(agentOut)
	for range 2 {
		_, err := lines.ReadString('\n')
		must(t, err)
	}
	must(t, agentOut.Close())
	must(t, agentIn.Close())
	start := time.Now()
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && !exit.Exited() {
		t.Errorf("killed by a signal: %v", err)
	}
	within(t, time.Second, start)
}

// A person at the command line interrupts.
func TestProposeInterrupted(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd := program(t, project(t, map[string]string{"f": "a\n", "m": "b\n"}), "hold", "propose", "--file", "f", "--modified", "m")
		stderr, err := cmd.StderrPipe()
		must(t, err)
		must(t, cmd.Start())
		_, err = io.ReadFull(stderr, make([]byte, len(asked)))
		must(t, err)
		must(t, cmd.Process.Signal(sig))
		said, err := io.ReadAll(stderr)
		must(t, err)
		isInterrupted(t, cmd)
		if string(said) != "nvim-agent-diff: cancelled: Nothing was changed.\n" {
			t.Errorf("%s", said)
		}
	}
}

// isInterrupted waits for a program that was told to end.
func isInterrupted(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != exitInterrupted {
			t.Errorf("%v: %v", cmd.Args, err)
		}
	case <-time.After(patience):
		t.Fatalf("%v does not end", cmd.Args)
	}
}

// A person at the command line interrupts while the program waits for the end of its input.
func TestReadingInterrupted(t *testing.T) {
	for _, args := range []string{"propose --file f --modified -", "review", "approve"} {
		cmd := program(t, project(t, map[string]string{"f": "a\n"}), "hold", strings.Fields(args)...)
		var errs strings.Builder
		cmd.Stderr = &errs
		in, err := cmd.StdinPipe()
		must(t, err)
		must(t, cmd.Start())
		// It is more than a pipe holds, and is read when the program already listens for signals.
		_, err = io.WriteString(in, strings.Repeat("x", 1<<20))
		must(t, err)
		must(t, cmd.Process.Signal(os.Interrupt))
		isInterrupted(t, cmd)
		if !strings.HasSuffix(errs.String(), ": interrupted. Nothing was changed\n") {
			t.Errorf("%s: %s", args, &errs)
		}
	}
}
