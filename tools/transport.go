package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connection is the SDK's connection to an agent over two streams. The SDK's own ends the session over a line that is no
// JSON or is too large, holds large messages many times, and drops the answers of the calls that are open when the agent
// closes its end.
type connection struct {
	in  io.ReadCloser
	out io.Writer
	// ended is called once, when the agent has closed its end or stop was called, and before the SDK learns of it.
	ended    func()
	incoming chan incoming
	stopping chan struct{} // closed by stop
	closed   chan struct{} // closed by Close

	stopOnce, closeOnce, endOnce sync.Once

	writing sync.Mutex

	mu   sync.Mutex
	open map[jsonrpc.ID]bool // the requests that have no answer yet: whether the agent has cancelled it
	idle chan struct{}       // not nil while drain waits; closed when open is empty
}

type incoming struct {
	message jsonrpc.Message
	err     error
}

func newConnection(in io.ReadCloser, out io.Writer, ended func()) *connection {
	return &connection{
		in: in, out: out, ended: ended, open: map[jsonrpc.ID]bool{},
		incoming: make(chan incoming), stopping: make(chan struct{}), closed: make(chan struct{}),
	}
}

// Connect implements mcp.Transport.
func (c *connection) Connect(context.Context) (mcp.Connection, error) {
	go c.receive()
	return c, nil
}

// SessionID implements mcp.Connection.
func (c *connection) SessionID() string { return "" }

// receive reads frames until the stream ends.
func (c *connection) receive() {
	p := parser{lines: newLineReader(c.in)}
	for {
		f, err := p.frame()
		var m jsonrpc.Message
		if err == nil {
			if m = c.decode(f); m == nil {
				continue
			}
		}
		select {
		case c.incoming <- incoming{m, err}:
		case <-c.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

// decode makes a message of a frame. One that is none is answered, and nil.
func (c *connection) decode(f *frame) jsonrpc.Message {
	switch {
	case errors.Is(f.err, errSyntax):
		c.refuse(f.id, jsonrpc.CodeParseError, "Parse error: "+f.err.Error())
		return nil
	case f.err != nil:
		c.refuse(f.id, jsonrpc.CodeInvalidRequest, "Invalid request: "+f.err.Error())
		return nil
	}
	m, err := jsonrpc.DecodeMessage(f.envelope)
	if err != nil {
		code := int64(jsonrpc.CodeInvalidRequest)
		if !json.Valid(f.envelope) {
			code = jsonrpc.CodeParseError
		}
		c.refuse(f.id, code, err.Error())
		return nil
	}
	if req, ok := m.(*jsonrpc.Request); ok && f.args != nil {
		req.Extra = attach(f.args)
	}
	return m
}

// argumentsKey is where a call's arguments are in the one place of a request that the SDK hands on unseen.
const argumentsKey = "nvim-agent-diff/arguments"

func attach(args *Arguments) *mcp.RequestExtra {
	return &mcp.RequestExtra{TokenInfo: &auth.TokenInfo{Extra: map[string]any{argumentsKey: args}}}
}

// attached is the call's arguments, whether they came through a connection or by another transport.
func attached(req *mcp.CallToolRequest) Arguments {
	if req.Extra != nil && req.Extra.TokenInfo != nil {
		if args, ok := req.Extra.TokenInfo.Extra[argumentsKey].(*Arguments); ok {
			return *args
		}
	}
	return parseArguments(req.Params.Arguments)
}

// refuse answers a line that is no message. An id of null says that the line has none, or none that could be read.
func (c *connection) refuse(id []byte, code int64, text string) {
	if id == nil {
		id = []byte("null")
	}
	line, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", id, &jsonrpc.Error{Code: code, Message: text}})
	if err == nil {
		_ = c.writeLine(line) // a broken stream ends the session by itself
	}
}

// Read implements mcp.Connection.
func (c *connection) Read(context.Context) (jsonrpc.Message, error) {
	select {
	case in := <-c.incoming:
		if in.err != nil {
			return nil, c.end(in.err)
		}
		if req, ok := in.message.(*jsonrpc.Request); ok {
			c.received(req)
		}
		return in.message, nil
	case <-c.stopping:
		return nil, c.end(io.EOF)
	case <-c.closed:
		return nil, io.EOF
	}
}

// end is the end of the session from our side: reviews end, and the open calls are answered, before the SDK hears of it.
// From then on it would send no answers.
func (c *connection) end(err error) error {
	c.endOnce.Do(c.ended)
	select {
	case <-c.drain():
	case <-c.closed:
	}
	return err
}

// stop ends the session as if the agent had.
func (c *connection) stop() { c.stopOnce.Do(func() { close(c.stopping) }) }

// received remembers a request, and that one was cancelled.
func (c *connection) received(req *jsonrpc.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if req.IsCall() {
		c.open[req.ID] = false
		return
	}
	if req.Method != "notifications/cancelled" {
		return
	}
	var params struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(req.Params, &params) != nil {
		return
	}
	// One client cancels every request that was answered: those are not ours any more.
	if id, err := jsonrpc.MakeID(params.RequestID); err == nil {
		if _, open := c.open[id]; open {
			c.open[id] = true
		}
	}
}

// answered forgets a request after its answer is out.
func (c *connection) answered(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, id)
	c.checkIdle()
}

// cancelled says whether the agent has cancelled a request. Its answer is then not sent: the agent knows it no more.
func (c *connection) cancelled(id jsonrpc.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[id]
}

// drain is closed when no request is open.
func (c *connection) drain() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	idle := make(chan struct{})
	c.idle = idle
	c.checkIdle()
	return idle
}

func (c *connection) checkIdle() {
	if len(c.open) == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// Write implements mcp.Connection.
func (c *connection) Write(_ context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Response); ok {
		defer c.answered(r.ID)
		if c.cancelled(r.ID) {
			return nil
		}
	}
	line, err := encode(m)
	if err != nil {
		return err
	}
	return c.writeLine(line)
}

// encode is the line of a message. The SDK has made JSON of an answer's result already, which can be large: it is taken as it
// is, where the SDK would go through it again.
func encode(m jsonrpc.Message) ([]byte, error) {
	r, ok := m.(*jsonrpc.Response)
	if !ok || r.Error != nil || r.Result == nil {
		return jsonrpc.EncodeMessage(m)
	}
	id, err := json.Marshal(r.ID.Raw())
	if err != nil {
		return nil, err
	}
	line := make([]byte, 0, len(r.Result)+len(id)+64)
	line = append(append(append(line, `{"jsonrpc":"2.0","id":`...), id...), `,"result":`...)
	return append(append(line, r.Result...), '}', '\n'), nil
}

func (c *connection) writeLine(line []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(bytes.TrimRight(line, "\n"), '\n'))
	return err
}

// Close implements mcp.Connection.
func (c *connection) Close() error {
	c.closeOnce.Do(func() {
		close(c.closed)
		_ = c.in.Close() // unblocks a read, where that can be
	})
	return nil
}
