package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// holding is a reviewer whose reviews last until they are told to end.
type holding struct {
	fakeReviewer
	opened  chan review.Proposal
	ended   chan error // the cause of a review's context
	release chan struct{}
}

func newHolding() *holding {
	h := &holding{opened: make(chan review.Proposal, 100), ended: make(chan error, 100), release: make(chan struct{})}
	h.review = func(ctx context.Context, p review.Proposal, progress func(string)) (*review.Outcome, error) {
		progress("It is shown")
		h.opened <- p
		select {
		case <-ctx.Done():
			h.ended <- context.Cause(ctx)
			return nil, review.Errorf(review.Cancelled, "Hunk 1 of 2 had been applied.")
		case <-h.release:
			return decide(p, hunks.Applied)
		}
	}
	return h
}

func wait[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatal("it does not happen")
		panic("unreachable")
	}
}

func TestProgress(t *testing.T) {
	dir := project(t, map[string]string{"f": "a\n"})
	h := newHolding()
	server, err := New(Options{Reviewer: h, Roots: []string{dir}, progressEvery: time.Millisecond})
	must(t, err)
	c := connect(t, t.Context(), server)
	c.hello()
	c.send(callLine(1, editArgs("f", "a\n", "b\n"), "token"))
	last, shown := 0.0, false
	for i := 0; i < 5 || !shown; i++ {
		m := c.message()
		if m.Method != "notifications/progress" || m.Params.ProgressToken != "token" || m.Params.Progress <= last {
			t.Fatalf("after %v: %+v", last, m)
		}
		last, shown = m.Params.Progress, m.Params.Message == "It is shown"
		if !shown && m.Params.Message != waiting {
			t.Errorf("message %q", m.Params.Message)
		}
	}
	close(h.release)
	m := c.message()
	for m.Method != "" { // what was on the way
		m = c.message()
	}
	if m.ID != 1.0 {
		t.Errorf("%+v", m)
	}
	// After the answer there is none, and without a token there is none at all.
	c.send(callLine(2, editArgs("f", "a\n", "b\n"), nil))
	if m := c.message(); m.ID != 2.0 {
		t.Errorf("%+v", m)
	}
}

func TestCancel(t *testing.T) {
	dir := project(t, map[string]string{"f": "a\n"})
	h := newHolding()
	c := serve(t, t.Context(), h, dir)
	c.hello()
	c.send(callLine(1, editArgs("f", "a\n", "b\n"), nil))
	c.send(callLine("two", editArgs("f", "a\n", "c\n"), nil))
	wait(t, h.opened)
	wait(t, h.opened)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"two","reason":"no time"}}`)
	if cause := wait(t, h.ended); !errors.Is(cause, context.Canceled) {
		t.Error(cause)
	}
	// Cancelling it again, and what nobody asked, ends no other.
	for _, id := range []string{`"two"`, "99", "null"} {
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	}
	c.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	if m := c.message(); m.ID != 3.0 {
		t.Errorf("%+v", m)
	}
	h.release <- struct{}{}
	if m := c.message(); m.ID != 1.0 || m.Result.IsError {
		t.Errorf("%+v", m)
	}
	// The agent hears no more of what it cancelled, as the protocol wants it.
	must(t, c.in.Close())
	for line := range c.lines {
		t.Error(line)
	}
}

// However a session ends, the reviews end first, and their calls are answered.
func TestEnd(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(c *client, cancel func())
	}{
		{"stdin closed", func(c *client, _ func()) { must(c.t, c.in.Close()) }},
		{"a signal", func(_ *client, cancel func()) { cancel() }},
		{"both", func(c *client, cancel func()) { cancel(); must(c.t, c.in.Close()) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := project(t, map[string]string{"f": "a\n"})
			h := newHolding()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			server, err := New(Options{Reviewer: h, Roots: []string{dir}, drainTime: time.Hour})
			must(t, err)
			c := connect(t, ctx, server)
			c.hello()
			for i := range 3 {
				c.send(callLine(i, editArgs("f", "a\n", "b\n"), "token"))
				wait(t, h.opened)
			}
			test.end(c, cancel)
			answered := map[any]bool{}
			for range 3 {
				if cause := wait(t, h.ended); !errors.Is(cause, review.ErrAgentGone) {
					t.Error(cause)
				}
				m := c.message()
				answered[m.ID] = strings.HasPrefix(m.text(), "cancelled: ")
			}
			if !answered[0.0] || !answered[1.0] || !answered[2.0] {
				t.Error(answered)
			}
			if err := wait(t, c.served); err != nil {
				t.Error(err)
			}
		})
	}
}

// A call that does not end keeps the program no longer than an agent waits.
func TestEndStuck(t *testing.T) {
	dir := project(t, map[string]string{"f": "a\n"})
	opened, release := make(chan bool), make(chan bool)
	defer close(release)
	person := &fakeReviewer{func(context.Context, review.Proposal, func(string)) (*review.Outcome, error) {
		opened <- true
		<-release
		return nil, review.Errorf(review.Cancelled, "At last.")
	}}
	server, err := New(Options{Reviewer: person, Roots: []string{dir}, drainTime: 50 * time.Millisecond})
	must(t, err)
	c := connect(t, t.Context(), server)
	c.hello()
	c.send(callLine(1, editArgs("f", "a\n", "b\n"), nil))
	wait(t, opened)
	must(t, c.in.Close())
	if err := wait(t, c.served); !errors.Is(err, errStuck) {
		t.Error(err)
	}
}

// What was asked before stdin was closed is answered: `echo REQUEST | nvim-agent-diff mcp` shows something.
func TestEndAfterRequests(t *testing.T) {
	for range 20 {
		c := serve(t, t.Context(), deciding(hunks.Applied), project(t, nil))
		c.hello()
		for i := range 10 {
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, i))
		}
		must(t, c.in.Close())
		for range 10 {
			c.message()
		}
		must(t, wait(t, c.served))
	}
}

// An agent that reads no more does not hold the reviews.
func TestEndUnread(t *testing.T) {
	dir := project(t, map[string]string{"f": "a\n"})
	h := newHolding()
	server, err := New(Options{Reviewer: h, Roots: []string{dir}})
	must(t, err)
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe() // holds nothing
	served := make(chan error, 1)
	go func() { served <- server.Serve(t.Context(), serverIn, serverOut) }()
	send := func(line string) { _, err := io.WriteString(in, line+"\n"); must(t, err) }
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	buf := make([]byte, 1<<16)
	_, err = out.Read(buf)
	must(t, err)
	send(callLine(2, editArgs("f", "a\n", "b\n"), nil))
	wait(t, h.opened)
	must(t, in.Close())
	if cause := wait(t, h.ended); !errors.Is(cause, review.ErrAgentGone) {
		t.Error(cause)
	}
	if err := wait(t, served); !errors.Is(err, errStuck) {
		t.Error(err)
	}
	must(t, out.Close())
}

// The agent's end of our output is closed: the reviews end as the next word to it fails.
func TestOutputClosed(t *testing.T) {
	dir := project(t, map[string]string{"f": "a\n"})
	h := newHolding()
	server, err := New(Options{Reviewer: h, Roots: []string{dir}, progressEvery: time.Millisecond})
	must(t, err)
	serverIn, in := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- server.Serve(t.Context(), serverIn, failing{}) }()
	_, err = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":1,`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},`+
		`"name":"propose_file_edit","arguments":`+string(mustJSON(editArgs("f", "a\n", "b\n")))+"}}\n")
	must(t, err)
	wait(t, h.opened)
	if cause := wait(t, h.ended); cause == nil {
		t.Error("no cause")
	}
	must(t, in.Close())
	_ = wait(t, served) // the broken stream, or nothing
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

// Calls of one session run at the same time, each with its own arguments.
func TestConcurrentCalls(t *testing.T) {
	dir := project(t, map[string]string{"f": "a\n"})
	h := newHolding()
	c := serve(t, t.Context(), h, dir)
	c.hello()
	const n = 20
	for i := range n {
		args := editArgs("f", "a\n", "b\n")
		args["description"] = fmt.Sprint(i)
		c.send(callLine(i, args, nil))
	}
	seen := map[string]bool{}
	for range n {
		seen[wait(t, h.opened).Description] = true
	}
	if len(seen) != n {
		t.Error(seen)
	}
	close(h.release)
	answered := map[any]bool{}
	for range n {
		m := c.message()
		answered[m.ID] = !m.Result.IsError
	}
	if len(answered) != n {
		t.Error(answered)
	}
}

// A call of any size is answered, and the session goes on.
func TestHugeCalls(t *testing.T) {
	c := serve(t, t.Context(), deciding(hunks.Applied), project(t, map[string]string{"f": "a\n"}))
	c.hello()
	huge := strings.Repeat("x", maxText+1)
	var sending sync.WaitGroup
	sending.Go(func() {
		c.send(callLine(1, editArgs("f", "a\n", huge), nil))
		c.send(`{"jsonrpc":"2.0","id":2,"method":"x","params":{"x":"` + huge + `"}}`)
		c.send(huge)
		c.send(callLine(3, editArgs("f", "a\n", huge[1:]), nil))
	})
	if m := c.message(); m.ID != 1.0 || m.text() != `invalid_args: "modified" is larger than 16 MiB. Nothing was changed.` {
		t.Errorf("%+v", m)
	}
	if m := c.message(); m.ID != 2.0 || m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("%+v", m)
	}
	if m := c.message(); m.ID != nil || m.Error == nil || m.Error.Code != -32700 {
		t.Errorf("%+v", m)
	}
	if m := c.message(); m.ID != 3.0 || m.Result.IsError {
		t.Errorf("%+v", m)
	}
	sending.Wait()
}

// The proposal that the reviewer gets.
func TestProposal(t *testing.T) {
	dir := project(t, map[string]string{"sub/f": "a\n"})
	h := newHolding()
	c := serve(t, t.Context(), h, dir)
	c.hello()
	c.send(callLine(1, editArgs("sub/../sub/f", "a\n", "b\n"), nil))
	p := wait(t, h.opened)
	if p.Tool != "propose_file_edit" || p.Agent != "test" || p.Description != "why" || p.Root != dir || p.TextOnly || len(p.Files) != 1 {
		t.Fatalf("%+v", p)
	}
	if f := p.Files[0]; f.Path != "sub/../sub/f" || f.Abs != dir+"/sub/f" || f.Name != "sub/f" {
		t.Errorf("%+v", f)
	}
	// The file has changed until the review's turn: what counts is what is there then.
	patch, err := p.Files[0].Draft(hunks.NewText("0\na\n"))
	if err != nil || patch.Modified != "0\nb\n" {
		t.Errorf("%+v, %v", patch, err)
	}
	close(h.release)
}

// A link that is put in the way while the review waits for its turn is not followed.
func TestProposalOfSwappedLink(t *testing.T) {
	top := tree(t)
	h := newHolding()
	c := serve(t, t.Context(), h, filepath.Join(top, "proj"))
	c.hello()
	c.send(callLine(1, editArgs("a.txt", "a\n", "b\n"), nil))
	wait(t, h.opened)
	must(t, os.Remove(filepath.Join(top, "proj/a.txt")))
	must(t, os.Symlink("../proj-evil/x.txt", filepath.Join(top, "proj/a.txt")))
	close(h.release)
	if m := c.message(); !m.Result.IsError || !strings.HasPrefix(m.text(), "PathNotInSandboxError: a.txt is outside") {
		t.Errorf("%+v", m)
	}
}

// While a review is open, a call holds its texts no longer than the reviewer does.
func TestTextsAreLetGo(t *testing.T) {
	const size = 15 << 20
	dir := project(t, map[string]string{"f": "a\n"})
	drafted, release := make(chan bool), make(chan bool)
	c := serve(t, t.Context(), &fakeReviewer{func(_ context.Context, p review.Proposal, _ func(string)) (*review.Outcome, error) {
		if _, err := p.Files[0].Draft(hunks.NewText("other\n")); err == nil {
			t.Error("the texts are stale")
		}
		p.Files[0].Draft, p.Key = nil, nil
		drafted <- true
		<-release
		runtime.KeepAlive(p)
		return nil, review.Errorf(review.Cancelled, "x")
	}}, dir)
	c.hello()
	held := func() uint64 {
		var m runtime.MemStats
		for range 3 { // a sync.Pool lets go of what it holds the second time
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	line := callLine(1, editArgs("f", strings.Repeat("o", size), strings.Repeat("m", size)), nil)
	before := held()
	c.send(line)
	wait(t, drafted)
	if grown := int64(held()) - int64(before); grown > size/2 {
		t.Errorf("%d MB are held", grown>>20)
	}
	runtime.KeepAlive(line)
	release <- true
	c.message()
}
