package tools

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nvim-agent-diff/review"
)

// serverName is the server's name in a client's list of tools. It has no underscore: one client splits names there.
const serverName = "nvim-diff"

const instructions = `To edit, write or create a file, use only the tools of this server: the user reviews the diff in Neovim, hunk by hunk, before it is applied.
- A call waits until the user has decided. That can take minutes or hours: wait for it, and do not send it again.
- Read the result: the user may have applied only some hunks, or edited them. Read the file again before the next edit.
- A rejection is final. Do not try the same change again, and do not make it by other means.
- Give file contents exactly as they are: nothing is un-escaped, and no line numbers or ellipses are understood.`

// progressEvery is how often a waiting call says that it waits. The client with the shortest patience gives up after 60 s.
const progressEvery = 5 * time.Second

// waiting is the progress before the reviewer has said anything.
const waiting = "Waiting for the review in Neovim"

var errStuck = errors.New("calls were still open when the server had to end")

// drainTime is how long calls may take to answer after their reviews were told to end. An agent kills its servers after 2 s.
const drainTime = time.Second

// Serve speaks MCP over the two streams until in ends or ctx does. The open reviews are ended first, then their calls are
// answered; all that takes drainTime at most. in is closed.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	reviews, endReviews := context.WithCancelCause(context.WithoutCancel(ctx))
	defer endReviews(nil)
	ended := make(chan struct{})
	conn := newConnection(in, out, func() {
		endReviews(review.ErrAgentGone)
		close(ended)
	})
	defer func() { _ = conn.Close() }()
	session := &session{server: s, reviews: reviews}
	done := make(chan error, 1)
	go func() { done <- session.mcpServer().Run(context.WithoutCancel(ctx), conn) }()

	defer context.AfterFunc(ctx, conn.stop)()
	select {
	case err := <-done: // the stream broke
		return err
	case <-ended:
	}
	select {
	case err := <-done:
		return err
	case <-time.After(s.drain):
		return errStuck
	}
}

// session is what one client has asked for.
type session struct {
	server  *Server
	reviews context.Context // ends when the session does, before the SDK's contexts
	roots   rootsQuery
}

// mcpServer is the SDK's server with our tools.
func (s *session) mcpServer() *mcp.Server {
	server := mcp.NewServer(
		&mcp.Implementation{Name: serverName, Title: "nvim-agent-diff", Version: s.server.version},
		&mcp.ServerOptions{
			Instructions: instructions,
			Logger:       s.server.log,
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
			InitializedHandler: func(_ context.Context, r *mcp.InitializedRequest) {
				s.roots.ask(s.reviews, r.Session)
			},
			RootsListChangedHandler: func(_ context.Context, r *mcp.RootsListChangedRequest) { //nolint:staticcheck // see rootsQuery
				s.roots.ask(s.reviews, r.Session)
			},
		})
	rules := s.server.Policy(s.reviews)
	for _, t := range registry {
		if granted, _ := rules.Granted(t.name); !granted {
			continue
		}
		server.AddTool(t.declare(), func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.call(ctx, t, r), nil
		})
	}
	return server
}

// declare is the tool as agents see it. Editing tools have no readOnlyHint: it would let clients call several at once and
// pass over their own approval.
func (t *tool) declare() *mcp.Tool {
	changes, no := !t.readOnly, false
	return &mcp.Tool{
		Meta:         mcp.Meta{"anthropic/alwaysLoad": true}, // not behind a search for tools
		Name:         t.name,
		Title:        t.title,
		Description:  t.description,
		InputSchema:  t.inputSchema(),
		OutputSchema: json.RawMessage(t.output),
		Annotations:  &mcp.ToolAnnotations{ReadOnlyHint: t.readOnly, DestructiveHint: &changes, OpenWorldHint: &no},
	}
}

// call answers a tools/call.
func (s *session) call(ctx context.Context, t *tool, r *mcp.CallToolRequest) *mcp.CallToolResult {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.reviews, func() { cancel(context.Cause(s.reviews)) })()

	var latest atomic.Pointer[string]
	stop := s.notifyProgress(ctx, r, &latest)
	defer stop() // no progress after the answer
	result := s.server.Call(ctx, Call{
		Tool:        t.name,
		Arguments:   attached(r),
		Agent:       agentName(r.Session),
		Progress:    func(text string) { latest.Store(&text) },
		clientRoots: func(ctx context.Context) []root { return s.roots.get(ctx, s.reviews, r.Session) },
	})
	answer := &mcp.CallToolResult{
		Content: []mcp.Content{&mcp.TextContent{Text: result.Text}},
		IsError: result.Err != nil,
	}
	if result.Structure != nil {
		answer.StructuredContent = result.Structure
	}
	return answer
}

// agentName is what the calling program calls itself.
func agentName(session *mcp.ServerSession) string {
	p := session.InitializeParams()
	if p == nil || p.ClientInfo == nil {
		return ""
	}
	if p.ClientInfo.Title != "" {
		return p.ClientInfo.Title
	}
	return p.ClientInfo.Name
}

// notifyProgress says from time to time that the call waits, and why, if the client wants to know. stop ends that, and
// returns when the last notification is out.
func (s *session) notifyProgress(ctx context.Context, r *mcp.CallToolRequest, latest *atomic.Pointer[string]) (stop func()) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	stopped := make(chan struct{})
	start := time.Now()
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(s.server.every)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-ticker.C:
				message := waiting
				if text := latest.Load(); text != nil {
					message = *text
				}
				// An error means that the connection is broken, which ends the call.
				_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: token, Message: message, Progress: now.Sub(start).Round(time.Millisecond).Seconds(),
				})
			}
		}
	}()
	return func() {
		cancel()
		<-stopped
	}
}
