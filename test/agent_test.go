package test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// agent is a plain MCP client: it writes and reads lines of JSON-RPC over the stdio of a real server process, with no
// code shared with the program.
type agent struct {
	t      testing.TB
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr *log
	ended  chan struct{} // closed when the process has been reaped

	mu       sync.Mutex
	ids      int
	calls    map[string]*call
	notes    []note
	refusals int           // answers to lines that are no messages that are still to come
	changed  chan struct{} // closed and renewed at every message
}

// note is a notification of the server's.
type note struct {
	Method string
	Params struct {
		ProgressToken any
		Progress      float64
		Message       string
	}
}

// call is a tool's call under way.
type call struct {
	a      *agent
	id     string
	done   chan struct{}
	answer message
	at     time.Time // when it came
}

type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// startAgent starts `nvim-agent-diff ARGS... mcp` and shakes hands.
func startAgent(t testing.TB, dir string, env []string, args ...string) *agent {
	t.Helper()
	return startNamed(t, "story", dir, env, args...)
}

// startNamed is startAgent with what the agent calls itself.
func startNamed(t testing.TB, name, dir string, env []string, args ...string) *agent {
	t.Helper()
	a := &agent{t: t, stderr: &log{}, ended: make(chan struct{}), calls: map[string]*call{}, changed: make(chan struct{})}
	a.cmd = exec.Command(program(t), append(args, "mcp")...)
	a.cmd.Dir, a.cmd.Stderr = dir, a.stderr
	a.cmd.Env = append(env, "GORACE=atexit_sleep_ms=0") // with the race detector a program else sleeps a second when it ends
	stdin, err := a.cmd.StdinPipe()
	must(t, err)
	a.stdin = stdin
	stdout, err := a.cmd.StdoutPipe()
	must(t, err)
	must(t, a.cmd.Start())
	go a.read(stdout)
	t.Cleanup(a.end)

	hello := a.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": name, "version": "1"},
	})
	if answer := hello.wait(); answer.Error != nil || answer.Result == nil {
		t.Fatalf("initialize: %+v", answer)
	}
	a.notify("notifications/initialized", map[string]any{})
	return a
}

func (a *agent) read(stdout io.Reader) {
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			a.take(line)
		}
		if err != nil {
			break
		}
	}
	_ = a.cmd.Wait()
	close(a.ended)
}

func (a *agent) take(line []byte) {
	var m message
	err := json.Unmarshal(line, &m)
	a.mu.Lock()
	defer a.mu.Unlock()
	defer func() { close(a.changed); a.changed = make(chan struct{}) }()
	switch {
	case err != nil:
		a.t.Errorf("the server wrote a line that is no JSON: %q", line)
	case m.Method != "" && m.ID == nil:
		n := note{Method: m.Method}
		_ = json.Unmarshal(m.Params, &n.Params)
		a.notes = append(a.notes, n)
	case m.Method == "":
		c := a.calls[string(m.ID)]
		if c == nil && m.Error != nil && a.refusals > 0 {
			a.refusals--
			return
		}
		if c == nil {
			a.t.Errorf("an answer nobody waits for: %s", line)
			return
		}
		delete(a.calls, string(m.ID))
		c.answer, c.at = m, time.Now()
		close(c.done)
	}
}

// write sends one line as it is.
func (a *agent) write(line []byte) {
	if _, err := a.stdin.Write(append(line, '\n')); err != nil {
		a.t.Errorf("writing to the server: %v", err)
	}
}

// refused sends a line that is no message, and waits for the error that answers it.
func (a *agent) refused(line []byte) {
	a.t.Helper()
	a.mu.Lock()
	a.refusals++
	a.mu.Unlock()
	a.write(line)
	timeout := time.After(patience)
	for {
		a.mu.Lock()
		open, changed := a.refusals > 0, a.changed
		a.mu.Unlock()
		if !open {
			return
		}
		select {
		case <-changed:
		case <-timeout:
			a.t.Fatalf("no answer to %.80q", line)
		}
	}
}

// memory is what the system counts for the server's process, in bytes: "VmHWM" its peak, "VmRSS" what it holds now.
func (a *agent) memory(what string) int {
	a.t.Helper()
	return memoryOf(a.t, a.cmd.Process.Pid, what)
}

func memoryOf(t testing.TB, pid int, what string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)
	_, rest, _ := strings.Cut(string(status), what+":")
	var kb int
	_, err = fmt.Sscanf(rest, "%d kB", &kb)
	must(t, err)
	return kb << 10
}

func (a *agent) send(m map[string]any) {
	a.t.Helper()
	m["jsonrpc"] = "2.0"
	line, err := json.Marshal(m)
	must(a.t, err)
	a.write(line)
}

// expect prepares for the answer to a request that is about to be written.
func (a *agent) expect() *call {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ids++
	c := &call{a: a, id: fmt.Sprint(a.ids), done: make(chan struct{})}
	a.calls[c.id] = c
	return c
}

func (a *agent) request(method string, params map[string]any) *call {
	a.t.Helper()
	c := a.expect()
	a.send(map[string]any{"id": json.Number(c.id), "method": method, "params": params})
	return c
}

func (a *agent) notify(method string, params map[string]any) {
	a.t.Helper()
	a.send(map[string]any{"method": method, "params": params})
}

// call calls a tool, and asks for progress with the token "p" and the request's id.
func (a *agent) call(tool string, args map[string]any) *call {
	a.t.Helper()
	c := a.expect()
	a.send(map[string]any{"id": json.Number(c.id), "method": "tools/call", "params": map[string]any{
		"name": tool, "arguments": args, "_meta": map[string]any{"progressToken": "p" + c.id},
	}})
	return c
}

// cancel takes the call back. The protocol wants no answer then, but allows one.
func (c *call) cancel() {
	c.a.notify("notifications/cancelled", map[string]any{"requestId": json.Number(c.id), "reason": "test"})
}

// wait is the answer.
func (c *call) wait() message {
	c.a.t.Helper()
	select {
	case <-c.done:
	case <-time.After(patience):
		c.a.t.Fatalf("no answer to call %s within %v; the server says:\n%s", c.id, patience, c.a.stderr)
	case <-c.a.ended:
		select {
		case <-c.done: // its last words
		default:
			c.a.t.Fatalf("the server has ended without an answer to call %s; it says:\n%s", c.id, c.a.stderr)
		}
	}
	return c.answer
}

// open tells whether the answer is not there yet.
func (c *call) open() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// progress waits for a progress notification of the call whose message contains a text.
func (c *call) progress(text string) {
	c.a.t.Helper()
	timeout := time.After(patience)
	for {
		c.a.mu.Lock()
		notes, changed, open := c.a.notes, c.a.changed, c.open()
		c.a.mu.Unlock()
		for _, n := range notes {
			if n.Method == "notifications/progress" && n.Params.ProgressToken == "p"+c.id &&
				strings.Contains(n.Params.Message, text) {
				return
			}
		}
		if !open {
			c.a.t.Fatalf("no progress %q; there was %+v, and the answer: %s", text, notes, c.result().Text)
		}
		select {
		case <-changed:
		case <-timeout:
			c.a.t.Fatalf("no progress %q; there was %+v", text, notes)
		}
	}
}

// hangUp closes the server's stdin, as an agent that ends does, and waits for the server to end by itself.
func (a *agent) hangUp() {
	a.t.Helper()
	_ = a.stdin.Close()
	a.gone(patience)
}

// signal sends the server a signal.
func (a *agent) signal(s syscall.Signal) { _ = a.cmd.Process.Signal(s) }

// stop makes the server stand still, and waits until it does; what makes it go on is returned.
func (a *agent) stop() (goOn func()) {
	a.t.Helper()
	pid := a.cmd.Process.Pid
	must(a.t, syscall.Kill(pid, syscall.SIGSTOP))
	stands := func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") T ")
	}
	for !stands() {
		time.Sleep(time.Millisecond)
	}
	return func() { must(a.t, syscall.Kill(pid, syscall.SIGCONT)) }
}

// gone waits until the server has ended.
func (a *agent) gone(within time.Duration) {
	a.t.Helper()
	select {
	case <-a.ended:
	case <-time.After(within):
		a.t.Errorf("the server has not ended within %v; it says:\n%s", within, a.stderr)
	}
}

func (a *agent) end() {
	_ = a.stdin.Close()
	select {
	case <-a.ended:
	case <-time.After(patience):
		a.t.Errorf("the server did not end when its stdin was closed; it says:\n%s", a.stderr)
		_ = a.cmd.Process.Kill()
		<-a.ended
	}
	if out := a.stderr.String(); strings.Contains(out, "DATA RACE") || strings.Contains(out, "panic:") {
		a.t.Errorf("the server says:\n%s", out)
	} else if a.t.Failed() {
		a.t.Logf("the server says:\n%s", out)
	}
}

// log collects what a process writes.
type log struct {
	mu  sync.Mutex
	buf strings.Builder
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
