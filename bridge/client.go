// Package bridge is the one attached Neovim: it finds it, connects to it, and speaks with it. It is the only importer of
// go-client.
package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"

	"github.com/neovim/go-client/msgpack"
	"github.com/neovim/go-client/msgpack/rpc"
	"github.com/neovim/go-client/nvim"
)

// ErrLost is what every call answers (wrapped, with the reason) once the connection is broken or closed.
var ErrLost = errors.New("the connection to Neovim is lost")

// LuaError is an error that Neovim answered: an error thrown by the chunk, or one that kept it from running.
type LuaError struct {
	Text  string // what error() was given, or what Neovim itself has to say
	Trace string // the stack traceback, where there is one
}

// Error is Text alone.
func (e *LuaError) Error() string { return e.Text }

// notifyMethod is the one notification that Lua sends; its first argument is the name of the event.
const notifyMethod = "agent_diff"

// Client is a connection to one Neovim. It is safe for concurrent use.
//
// The connection is served from the first moment; when it breaks, calls that wait answer [ErrLost] at once, the
// notifications that had arrived are handed over, and then Done is closed.
type Client struct {
	v       *nvim.Nvim
	in      *guardedReader
	addr    string
	channel int
	notes   *notificationQueue
	done    chan struct{}
	err     error // written before done is closed
}

// Dial connects to a Neovim that listens at addr: the path of a Unix socket, or HOST:PORT.
//
// onNotify gets every rpcnotify(channel, "agent_diff", event, ...), one after the other in the order of arrival, outside
// the goroutine that reads the connection: it may call the client, but must not wait for Done. It may be nil.
func Dial(ctx context.Context, addr string, onNotify func(event string, args []any)) (*Client, error) {
	c, err := dial(ctx, addr, onNotify)
	if err != nil {
		return nil, err
	}
	if err := c.identify(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// dial is Dial without asking for the channel.
func dial(ctx context.Context, addr string, onNotify func(string, []any)) (*Client, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, network(addr), addr)
	if err != nil {
		return nil, err
	}
	c, err := serve(conn, onNotify)
	if err != nil {
		return nil, err
	}
	c.addr = addr
	return c, nil
}

// network tells a socket's path from HOST:PORT: a path may have a colon in it, but a host has no slash.
func network(addr string) string {
	if strings.Contains(addr, ":") && !strings.Contains(addr, "/") {
		return "tcp"
	}
	return "unix"
}

func serve(rwc io.ReadWriteCloser, onNotify func(string, []any)) (*Client, error) {
	c := &Client{in: &guardedReader{r: rwc}, notes: newNotificationQueue(), done: make(chan struct{})}
	logf := func(format string, args ...any) { slog.Debug("neovim: " + fmt.Sprintf(format, args...)) }
	v, err := nvim.New(c.in, rwc, rwc, logf)
	if err == nil {
		err = v.RegisterHandler(notifyMethod, c.receive)
	}
	if err == nil {
		err = v.RegisterHandler(endMethod, c.receiveEnd)
	}
	if err != nil {
		_ = rwc.Close()
		return nil, err
	}
	c.v = v
	go c.run()
	go c.deliver(onNotify)
	return c, nil
}

// run serves the connection until it breaks.
func (c *Client) run() {
	err := func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic while reading: %v", p)
			}
		}()
		return c.v.Serve()
	}()
	_ = c.v.Close()
	if cause := c.in.cause(); cause != nil {
		err = cause
	}
	// Where the stream ended between two messages, the end comes through the queue of notifications, behind the last of
	// them. Where it was cut or made no sense, nothing can.
	c.notes.fail(err, !c.in.ended())
}

// deliver hands the notifications over, and closes Done behind the last one.
func (c *Client) deliver(onNotify func(string, []any)) {
	for {
		batch, end, err := c.notes.take()
		for _, n := range batch {
			notify(onNotify, n)
		}
		if end {
			c.err = lost(err)
			close(c.done)
			return
		}
	}
}

func notify(onNotify func(string, []any), n notification) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("neovim: a notification was not understood", "event", n.name, "panic", p)
		}
	}()
	if onNotify != nil {
		onNotify(n.name, n.args)
	}
}

// receive is called by go-client. It takes anything, because go-client closes the session, or loses its place in the
// stream, over an argument that does not fit a parameter.
func (c *Client) receive(args ...any) {
	if len(args) == 0 {
		return
	}
	if name, ok := args[0].(string); ok {
		c.notes.add(notification{name: name, args: args[1:]})
	}
}

// receiveEnd is called for the message that our own reader adds at the end of the stream.
func (c *Client) receiveEnd(...any) {
	if c.in.ended() {
		c.notes.end()
	}
}

// identify asks which of Neovim's channels this connection is. Neovim answers even at a prompt.
func (c *Client) identify(ctx context.Context) error {
	channel := 0
	err := c.wait(ctx, func() error {
		channel = c.v.ChannelID()
		return nil
	})
	if err != nil {
		return err
	}
	// go-client reports no error here, and channel 0 would mean every channel.
	if channel == 0 {
		return fmt.Errorf("%w: it did not say which channel this is", ErrLost)
	}
	c.channel = channel
	return nil
}

// Channel is the number of this connection in Neovim; never 0.
func (c *Client) Channel() int { return c.channel }

// Addr is the address that was dialled.
func (c *Client) Addr() string { return c.addr }

// Done is closed when the connection is broken or closed, after the last notification was handed over (unless the
// stream was cut within a message).
func (c *Client) Done() <-chan struct{} { return c.done }

// Err is why Done is closed, an error that wraps [ErrLost]; nil before.
func (c *Client) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

// Close ends the connection. It does not wait for Done, so that it can be called from a notification.
func (c *Client) Close() {
	c.in.close()
	_ = c.v.Close()
}

// Lua runs a chunk in Neovim with args as its `...`, and stores what it returns in result: nil when it is of no
// interest, or a *any, *[Value], *string, *int or *bool.
//
// The wait ends with ctx, and the error is then ctx's; Neovim runs the chunk all the same, and its late answer is
// dropped. An error that Neovim answered is a *[LuaError], a broken connection [ErrLost]. Neovim answers nothing while
// it waits at a prompt: ask [Client.Mode] first.
func (c *Client) Lua(ctx context.Context, result any, chunk string, args ...any) error {
	// The answer is decoded as what it is, into a variable of this call only. go-client loses its place in the stream over
	// an answer that does not fit a typed result, and would write a late answer into a variable that is read already.
	var raw any
	if err := c.wait(ctx, func() error { return c.v.ExecLua(chunk, &raw, args...) }); err != nil {
		return err
	}
	return assign(result, raw)
}

// Mode is Neovim's mode as nvim_get_mode says it, and whether it waits for a key at a prompt, so that every other call
// would have to wait as well. Neovim answers this one at once, unless it is busy or stopped.
func (c *Client) Mode(ctx context.Context) (mode string, blocking bool, err error) {
	var m *nvim.Mode
	err = c.wait(ctx, func() (err error) {
		m, err = c.v.Mode()
		return err
	})
	if err != nil {
		return "", false, err
	}
	return m.Mode, m.Blocking, nil
}

// wait runs a call until it is answered or ctx ends. What call writes may be read only when the error is nil.
func (c *Client) wait(ctx context.Context, call func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	answered := make(chan error, 1)
	// A goroutine, because the call blocks already while it is sent when Neovim does not read. It ends at the latest with
	// the connection.
	go func() { answered <- call() }()
	select {
	case err := <-answered:
		return c.answer(err)
	case <-ctx.Done():
		return fmt.Errorf("Neovim did not answer: %w", ctx.Err())
	}
}

// answer sorts the errors of go-client: Neovim's own, and everything else, after which the session is closed.
func (c *Client) answer(err error) error {
	var fromNvim rpc.Error
	var convert *msgpack.DecodeConvertError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &fromNvim):
		return &LuaError{Text: fmt.Sprint(fromNvim.Value)}
	case errors.As(err, &convert):
		return &LuaError{Text: "the answer has a table with keys that are neither all names nor all numbers"}
	}
	if text, ok := strings.CutPrefix(err.Error(), "nvim:"); ok {
		for _, kind := range []string{" exception: ", " validation: "} {
			if _, said, ok := strings.Cut(text, kind); ok {
				return newLuaError(said)
			}
		}
	}
	if cause := c.in.cause(); cause != nil {
		err = cause
	}
	return lost(err)
}

// newLuaError takes what error() was given out of Neovim's text: 0.10 and 0.12 begin it differently.
func newLuaError(said string) *LuaError {
	for _, start := range []string{"Error executing lua: ", "Lua: "} {
		said = strings.TrimPrefix(said, start)
	}
	text, trace, _ := strings.Cut(said, "\nstack traceback:\n")
	return &LuaError{Text: text, Trace: trace}
}

// lost says that the connection is gone, and why where that says more than "it ended".
func lost(cause error) error {
	if cause == nil || errors.Is(cause, rpc.ErrClosed) || errors.Is(cause, io.EOF) {
		return ErrLost
	}
	return fmt.Errorf("%w: %w", ErrLost, cause)
}
