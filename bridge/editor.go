package bridge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/lua"
	"nvim-agent-diff/review"
)

// busyAfter is how long Neovim may take to answer before it is asked whether it waits at a prompt.
const busyAfter = 300 * time.Millisecond

// editor is one attached Neovim with our Lua in it. It hands every event to the review that it belongs to.
type editor struct {
	client *Client // set once, under mu: events may come before

	mu       sync.Mutex
	lastRef  int
	sessions map[int]*session
}

// The progress while Neovim answers nothing.
const (
	atPrompt = "Neovim is busy at a prompt"
	isBusy   = "Neovim is busy"
)

// errUnheard is an [ErrLost] before Neovim has answered anything: whatever was asked of it has changed and shown nothing.
var errUnheard = fmt.Errorf("%w before it answered", ErrLost)

// attach makes an editor of the Neovim that listens at addr. busy is told why, while Neovim does not answer.
func attach(ctx context.Context, addr string, busy func(why string)) (*editor, error) {
	e := &editor{sessions: map[int]*session{}}
	client, err := Dial(ctx, addr, e.dispatch)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.client = client
	e.mu.Unlock()
	if err := e.introduce(ctx, busy); err != nil {
		client.Close()
		return nil, err
	}
	return e, nil
}

// introduce brings our Lua into Neovim, unless it is there, and sends it the rules.
func (e *editor) introduce(ctx context.Context, busy func(string)) error {
	modules, err := lua.Modules()
	if err != nil {
		return err
	}
	var answer Value
	if err := e.exec(ctx, busy, &answer, lua.Bootstrap, protocol, modules); err != nil {
		return err
	}
	version, number := answer.Key("version").Text(), answer.Key("protocol").Int()
	switch {
	case answer.Err() != nil:
		return answer.Err()
	case number == 0:
		return review.Errorf(review.EditorUnavailable,
			"Neovim %s at %s is too old: 0.10 or newer is needed. Nothing was changed.", version, e.client.Addr())
	case number != protocol:
		return review.Errorf(review.EditorUnavailable,
			"The Neovim at %s speaks protocol %d of nvim-agent-diff with another agent, this server protocol %d: "+
				"update the older of the two and end the open reviews. Nothing was changed.", e.client.Addr(), number, protocol)
	}
	return e.tryCall(ctx, busy, nil, "attach", wireAttach{Name: "nvim-agent-diff", Rules: hunks.Rules})
}

// noLua is what callChunk throws when the Lua in Neovim is not ours any more: the server of another agent, which speaks
// another protocol, has put its own in place while no review was open.
const noLua = "agent_diff: another protocol"

const callChunk = `
local loaded = package.loaded['agent_diff']
if not loaded or loaded.protocol ~= ... then error('` + noLua + `', 0) end
return require('agent_diff.server').call(...)`

// call calls a method of lua/agent_diff/server.lua; busy and result may be nil.
func (e *editor) call(ctx context.Context, busy func(string), result *Value, method string, args ...any) error {
	err := e.tryCall(ctx, busy, result, method, args...)
	if fromLua, ok := errors.AsType[*LuaError](err); ok && fromLua.Text == noLua {
		if err = e.introduce(ctx, busy); err == nil {
			err = e.tryCall(ctx, busy, result, method, args...)
		}
	}
	return err
}

// begin is call for the first request of something, one that by itself neither changes nor shows anything. Where it answers
// errUnheard the connection is known to be dead.
func (e *editor) begin(ctx context.Context, busy func(string), result *Value, method string, args ...any) error {
	err := e.call(ctx, busy, result, method, args...)
	if !errors.Is(err, ErrLost) {
		return err
	}
	select {
	case <-e.client.Done():
		return errUnheard
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (e *editor) tryCall(ctx context.Context, busy func(string), result *Value, method string, args ...any) error {
	all := append([]any{protocol, e.client.Channel(), method}, args...)
	return e.exec(ctx, busy, result, callChunk, all...)
}

// exec runs a chunk. Neovim answers nothing while it waits at a prompt, or runs a command that takes long: busy is then
// told so, and the wait goes on until ctx ends.
func (e *editor) exec(ctx context.Context, busy func(string), result *Value, chunk string, args ...any) error {
	lua := func() error {
		if result == nil {
			return e.client.Lua(ctx, nil, chunk, args...)
		}
		return e.client.Lua(ctx, result, chunk, args...)
	}
	if busy == nil {
		return lua()
	}
	done := make(chan error, 1)
	go func() { done <- lua() }()
	tick := time.NewTicker(busyAfter)
	defer tick.Stop()
	var prompt chan bool // the question under way
	for {
		select {
		case err := <-done:
			return err
		case <-tick.C:
			if prompt != nil {
				busy(isBusy)
				continue
			}
			prompt = make(chan bool, 1)
			go func(answer chan<- bool) {
				_, blocking, err := e.client.Mode(ctx)
				answer <- err == nil && blocking
			}(prompt)
		case blocking := <-prompt:
			prompt = nil
			if blocking {
				busy(atPrompt)
			} else {
				busy(isBusy)
			}
		}
	}
}

// dispatch hands an event to its review: rpcnotify(channel, "agent_diff", event, ref, ...).
func (e *editor) dispatch(name string, args []any) {
	if name == "" || len(args) == 0 {
		return
	}
	ref := Decode(args).At(0).Int()
	e.mu.Lock()
	client, s := e.client, e.sessions[ref]
	e.mu.Unlock()
	switch {
	case client == nil: // our Lua does not know of us yet: it is somebody else's
	case name == "ping":
		go e.pong()
	case s != nil:
		s.events.push(event{name: name, args: Decode(args[1:])})
	}
}

// pong tells Neovim that we are there.
func (e *editor) pong() {
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	_ = e.call(ctx, nil, nil, "pong") // when it fails, Neovim finds out
}

// open registers a new review.
func (e *editor) open(p review.Proposal, progress func(string)) *session {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lastRef++
	s := &session{editor: e, ref: e.lastRef, proposal: p, progress: progress, events: newEvents()}
	if s.progress == nil {
		s.progress = func(string) {}
	}
	e.sessions[s.ref] = s
	return s
}

func (e *editor) drop(s *session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.sessions, s.ref)
}

// alive says whether the connection is still there.
func (e *editor) alive() bool {
	select {
	case <-e.client.Done():
		return false
	default:
		return true
	}
}

// failure makes an Error of whatever went wrong between us and Neovim.
func failure(err error, state string) error {
	var known *review.Error
	var lua *LuaError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, errUnheard):
		return review.Errorf(review.EditorUnavailable, "Neovim ended, or the connection to it broke, before it answered. %s", state)
	case errors.Is(err, ErrLost):
		return review.Errorf(review.EditorLost, "The connection to Neovim broke. %s", state)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return review.Errorf(review.Cancelled, "The call was cancelled. %s", state)
	case errors.As(err, &lua):
		return review.Errorf(review.ToolFailed, "Neovim says: %s. %s", lua.Text, state)
	}
	return review.Errorf(review.ToolFailed, "%s. %s", fmt.Sprint(err), state)
}
