package tools

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// patience is how long a test waits for an event that has to come.
const patience = time.Minute

// fakeReviewer is a person: review decides.
type fakeReviewer struct {
	review func(ctx context.Context, p review.Proposal, progress func(string)) (*review.Outcome, error)
}

func (f *fakeReviewer) Review(ctx context.Context, p review.Proposal, progress func(string)) (*review.Outcome, error) {
	return f.review(ctx, p, progress)
}

// Read is the disk, as when no editor has the file.
func (f *fakeReviewer) Read(_ context.Context, abs string) (*review.Document, error) {
	raw, err := os.ReadFile(abs)
	text := hunks.NewText(string(raw))
	text.Missing = err != nil
	return &review.Document{Text: text}, nil
}

// deciding reviews as an editor does: it reads the file from the disk, drafts, and gives every hunk the state.
func deciding(state hunks.State) *fakeReviewer {
	return &fakeReviewer{func(_ context.Context, p review.Proposal, _ func(string)) (*review.Outcome, error) {
		return decide(p, state)
	}}
}

func decide(p review.Proposal, state hunks.State) (*review.Outcome, error) {
	f := p.Files[0]
	raw, err := os.ReadFile(f.Abs)
	text := hunks.NewText(string(raw))
	text.Missing = err != nil
	patch, err := f.Draft(text)
	if err != nil {
		return nil, err
	}
	file := review.FileOutcome{Path: f.Path, Saved: state == hunks.Applied, Notes: patch.Notes}
	for i, h := range patch.Hunks {
		file.Hunks = append(file.Hunks, review.HunkOutcome{Index: i + 1, Header: h.Header(), State: state, Blocks: h.Blocks})
	}
	return &review.Outcome{Files: []review.FileOutcome{file}}, nil
}

// project is a folder with these files. It is the working folder of the test.
func project(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for name, text := range files {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// client is an agent at the other end of a server's streams.
type client struct {
	t      testing.TB
	in     *os.File
	lines  chan string // closed when the server has closed its end
	served chan error  // what Serve returned
}

// serve starts a server for root. The streams are pipes, as between processes.
func serve(t testing.TB, ctx context.Context, r review.Reviewer, root string) *client {
	t.Helper()
	server, err := New(Options{Reviewer: r, Roots: []string{root}, Version: "v1", drainTime: patience})
	must(t, err)
	return connect(t, ctx, server)
}

func connect(t testing.TB, ctx context.Context, server *Server) *client {
	t.Helper()
	serverIn, in, err := os.Pipe()
	must(t, err)
	out, serverOut, err := os.Pipe()
	must(t, err)
	c := &client{t: t, in: in, lines: make(chan string, 1000), served: make(chan error, 1)}
	go func() {
		c.served <- server.Serve(ctx, serverIn, serverOut)
		serverOut.Close()
	}()
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(c.lines)
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				c.lines <- strings.TrimSuffix(line, "\n")
			}
			if err != nil {
				return
			}
		}
	})
	t.Cleanup(func() {
		in.Close()
		reading.Wait()
		out.Close()
	})
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	_, err := io.WriteString(c.in, line+"\n")
	must(c.t, err)
}

// receive is the next line.
func (c *client) receive() string {
	c.t.Helper()
	select {
	case line, ok := <-c.lines:
		if !ok {
			c.t.Fatal("the server has closed its end")
		}
		return line
	case <-time.After(patience):
		c.t.Fatal("the server says nothing")
	}
	return ""
}

// hello is the handshake.
func (c *client) hello() {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	c.receive()
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// callLine is a tools/call.
func callLine(id any, args map[string]any, token any) string {
	return callTool(id, "propose_file_edit", args, token)
}

// callTool is the line of a tools/call; token may be nil.
func callTool(id any, name string, args map[string]any, token any) string {
	params := map[string]any{"name": name, "arguments": args}
	if token != nil {
		params["_meta"] = map[string]any{"progressToken": token}
	}
	return string(mustJSON(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
}

func editArgs(path, original, modified string) map[string]any {
	return map[string]any{"path": path, "original": original, "modified": modified, "description": "why"}
}

// message is what a server sends.
type message struct {
	ID     any
	Method string
	Params struct {
		ProgressToken any
		Progress      float64
		Message       string
	}
	Result struct {
		Content           []struct{ Type, Text string }
		IsError           bool
		Tools             []struct{ Name string }
		StructuredContent json.RawMessage
	}
	Error *struct {
		Code    int
		Message string
	}
}

func (c *client) message() message {
	c.t.Helper()
	var m message
	line := c.receive()
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		c.t.Fatalf("%v: %s", err, line)
	}
	return m
}

func (m message) text() string {
	if len(m.Result.Content) != 1 {
		return ""
	}
	return m.Result.Content[0].Text
}
