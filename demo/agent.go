package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// agent is the other side: an MCP client that has started our server, as an LLM's harness does.
type agent struct {
	session *mcp.ClientSession
	stderr  *output
	calls   context.Context // of the open call
	cancel  context.CancelFunc
}

// answer is what the agent is told.
type answer struct {
	Text     string
	IsError  bool
	Decision string
	Saved    bool
	Hunks    struct{ Total, Applied, Rejected, Pending, Conflict int }
}

// pending is a call that waits for a person.
type pending struct {
	done   chan struct{}
	answer *answer
	err    error
}

// startAgent starts the server for the Neovim at an address, over stdio, and shakes hands.
func (d *demo) startAgent(ctx context.Context, addr string, env []string) (*agent, error) {
	a := &agent{stderr: &output{}}
	server := exec.CommandContext(ctx, d.Program, "--nvim", addr, "--root", d.dir, "mcp")
	server.Dir, server.Env, server.Stderr = d.dir, env, a.stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "demo-agent", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: server, TerminateDuration: 2 * time.Second}, nil)
	if err != nil {
		return nil, fmt.Errorf("starting the server: %w\n%s", err, a.stderr)
	}
	a.session = session
	a.calls, a.cancel = context.WithCancel(ctx)
	return a, nil
}

// propose calls the tool. The call stays open until the review ends.
func (a *agent) propose() *pending {
	p := &pending{done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.answer, p.err = a.call(a.calls)
	}()
	return p
}

func (a *agent) call(ctx context.Context) (*answer, error) {
	params := &mcp.CallToolParams{Name: "propose_file_edit", Arguments: map[string]any{
		"path": fileName, "original": before, "modified": proposed, "description": description,
	}}
	result, err := a.session.CallTool(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("the call failed: %w\n%s", err, a.stderr)
	}
	told := &answer{IsError: result.IsError}
	for _, part := range result.Content {
		if text, ok := part.(*mcp.TextContent); ok {
			told.Text += text.Text
		}
	}
	if result.StructuredContent != nil {
		raw, err := json.Marshal(result.StructuredContent)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(raw, told); err != nil {
			return nil, fmt.Errorf("the structured result is not of the declared form: %w", err)
		}
	}
	return told, nil
}

// wait is the answer, when it is there.
func (p *pending) wait(ctx context.Context) (*answer, error) {
	select {
	case <-p.done:
		return p.answer, p.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// isOpen tells whether the call still waits.
func (p *pending) isOpen() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// close ends the agent and its server. A call that is still open is taken back.
func (a *agent) close() {
	a.cancel()
	_ = a.session.Close()
}

// output collects what the server says.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}
