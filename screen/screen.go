// Package screen is a user in front of a real Neovim, without a terminal: it starts one (or connects to a running one),
// attaches to it as a UI as a terminal would, keeps the grid of cells that it draws, and presses keys. The demo, the
// tests and the benchmarks look at Neovim through it.
//
// Waiting is for what Neovim draws, never for time: [Screen.Wait] looks again after every frame.
package screen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/neovim/go-client/nvim"
)

// callTimeout ends a request that Neovim does not answer, because it waits at a prompt, say.
const callTimeout = 30 * time.Second

// Default size of the grid.
const (
	DefaultWidth  = 120
	DefaultHeight = 40
)

// Errors of a screen.
var (
	ErrGone    = errors.New("screen: Neovim is gone")
	ErrTimeout = errors.New("screen: Neovim did not answer in time")
)

// Screen is a Neovim seen through a UI of ours. Its methods are safe for concurrent use.
type Screen struct {
	v       *nvim.Nvim
	addr    string
	process *process // nil for Attach
	done    chan struct{}

	lag time.Duration

	grid grid // guarded by mu, like everything below

	mu      sync.Mutex
	late    []func()      // what is done when the lag is over
	drawn   *Snapshot     // the last frame
	front   *Snapshot     // the one that is shown: the last, but for the lag
	changed chan struct{} // closed and renewed when front or events change
	events  []Event
	watches int             // how many there have been
	held    map[string]bool // the watches that Neovim told of

	closing sync.Once
}

// Event is something that Neovim told by [Screen.Listen].
type Event struct {
	Name  string // the autocommand's event, as "User"
	Match string // what its pattern matched
	Data  any    // the event's data, as msgpack decodes it
}

// Attach connects to a running Neovim at an address, a socket's path or host:port, as a further UI of the given size.
func Attach(addr string, width, height int) (*Screen, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	conn, err := dial(ctx, addr)
	if err != nil {
		return nil, fmt.Errorf("screen: %w", err)
	}
	s := newScreen(addr)
	if err := s.serve(conn, conn, conn); err != nil {
		_ = conn.Close()
		return nil, err
	}
	if err := s.attach(width, height); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// dial connects to a socket's path, even one with a colon in it, or to host:port.
func dial(ctx context.Context, addr string) (net.Conn, error) {
	network := "unix"
	if !strings.Contains(addr, "/") && strings.Contains(addr, ":") {
		network = "tcp"
	}
	return new(net.Dialer).DialContext(ctx, network, addr)
}

func newScreen(addr string) *Screen {
	s := &Screen{addr: addr, done: make(chan struct{}), changed: make(chan struct{}), held: map[string]bool{}}
	s.grid.init()
	s.drawn = &Snapshot{}
	s.front = s.drawn
	return s
}

// serve speaks RPC over a connection from now on.
func (s *Screen) serve(r io.Reader, w io.Writer, c io.Closer) error {
	v, err := nvim.New(r, w, c, func(string, ...any) {})
	if err != nil {
		return fmt.Errorf("screen: %w", err)
	}
	// Handlers take any arguments: one that does not convert would close the session.
	handlers := map[string]func(...any){"redraw": s.redraw, "screen_event": s.event, "screen_holds": s.holds}
	for name, handler := range handlers {
		if err := v.RegisterHandler(name, guarded(handler)); err != nil {
			return fmt.Errorf("screen: %w", err)
		}
	}
	s.v = v
	go func() {
		_ = v.Serve()
		if s.process != nil {
			s.process.wait()
		}
		close(s.done)
	}()
	return nil
}

// guarded keeps a handler's panic, which a message of an unexpected form may cause, from ending the program.
func guarded(handler func(...any)) func(...any) {
	return func(args ...any) {
		defer func() { _ = recover() }()
		handler(args...)
	}
}

func (s *Screen) attach(width, height int) error {
	if width == 0 {
		width = DefaultWidth
	}
	if height == 0 {
		height = DefaultHeight
	}
	return s.call(func() error {
		return s.v.AttachUI(width, height, map[string]any{"rgb": true, "ext_linegrid": true})
	})
}

// redraw takes one redraw notification: any number of events, of which a flush ends a frame.
func (s *Screen) redraw(args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, arg := range args {
		event := list(arg)
		if len(event) == 0 {
			continue
		}
		name := text(event[0])
		if name == "flush" {
			shot := s.grid.flush(s.drawn)
			s.drawn = shot
			s.later(func() { s.show(shot) })
			continue
		}
		for _, params := range event[1:] {
			s.grid.apply(name, list(params))
		}
	}
}

// later does things in order, each when the lag is over. The caller holds mu, and so does later.
func (s *Screen) later(do func()) {
	if s.lag == 0 {
		do()
		return
	}
	s.late = append(s.late, do)
	time.AfterFunc(s.lag, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		first := s.late[0]
		s.late = s.late[1:]
		first()
	})
}

// show shows a frame unless a later one is shown. The caller holds mu.
func (s *Screen) show(shot *Snapshot) {
	if shot.Frame > s.front.Frame {
		s.front = shot
		s.wake()
	}
}

func (s *Screen) event(args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := Event{}
	if len(args) > 0 {
		e.Name = text(args[0])
	}
	if len(args) > 1 {
		e.Match = text(args[1])
	}
	if len(args) > 2 {
		e.Data = args[2]
	}
	s.later(func() {
		s.events = append(s.events, e)
		s.wake()
	})
}

// holds takes note that what a watch watches for holds.
func (s *Screen) holds(args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(args) > 0 {
		s.held[text(args[0])] = true
	}
	s.wake()
}

// wake tells all who wait. The caller holds mu.
func (s *Screen) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// call waits for a request's answer, but not for ever.
func (s *Screen) call(request func() error) error {
	answer := make(chan error, 1)
	go func() { answer <- request() }()
	timeout := time.NewTimer(callTimeout)
	defer timeout.Stop()
	select {
	case err := <-answer:
		return err
	case <-s.done:
		return ErrGone
	case <-timeout.C:
		return ErrTimeout
	}
}

// Addr is where this Neovim listens.
func (s *Screen) Addr() string { return s.addr }

// Done is closed when the connection to Neovim has ended and, for [Start], its process has.
func (s *Screen) Done() <-chan struct{} { return s.done }

// Input types keys, in the notation of mappings: "<CR>", "<Esc>", "<lt>" for a "<". It does not wait for their effect.
func (s *Screen) Input(keys string) error {
	return s.call(func() error {
		for len(keys) > 0 {
			n, err := s.v.Input(keys)
			if err != nil {
				return err
			}
			if n <= 0 { // its input buffer is full
				return fmt.Errorf("screen: Neovim took no more keys, %q is left", keys)
			}
			keys = keys[min(n, len(keys)):]
		}
		return nil
	})
}

// Lua runs a chunk in Neovim. args are its "..."; what it returns is stored in result, a pointer, which may be nil.
// It fails with [ErrTimeout] while Neovim waits at a prompt.
func (s *Screen) Lua(result any, chunk string, args ...any) error {
	if result == nil {
		return s.call(func() error { return s.v.ExecLua(chunk, nil, args...) })
	}
	// An answer that comes too late must not write where the caller reads.
	own := reflect.New(reflect.TypeOf(result).Elem())
	err := s.call(func() error { return s.v.ExecLua(chunk, own.Interface(), args...) })
	if err == nil {
		reflect.ValueOf(result).Elem().Set(own.Elem())
	}
	return err
}

// Mode is Neovim's mode as nvim_get_mode tells it, and whether it waits for input and answers nothing else.
func (s *Screen) Mode() (mode string, blocking bool, err error) {
	var m *nvim.Mode
	err = s.call(func() error {
		var err error
		m, err = s.v.Mode()
		return err
	})
	if err != nil {
		return "", false, err
	}
	return m.Mode, m.Blocking, nil
}

// Listen makes Neovim tell of an autocommand: its occurrences are listed by [Screen.Events], and each ends a pause in
// [Screen.Wait]. pattern may be "*".
func (s *Screen) Listen(event, pattern string) error {
	return s.Lua(nil, `
		local channel, event, pattern = ...
		vim.api.nvim_create_autocmd(event, {
			group = vim.api.nvim_create_augroup('screen', { clear = false }),
			pattern = pattern,
			callback = function(args)
				local ok = pcall(vim.rpcnotify, channel, 'screen_event', args.event, args.match, args.data)
				if not ok then vim.rpcnotify(channel, 'screen_event', args.event, args.match) end
			end,
		})`, s.v.ChannelID(), event, pattern)
}

// Events are the occurrences that [Screen.Listen] asked for, in order.
func (s *Screen) Events() []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Event(nil), s.events...)
}

// Close ends it: a Neovim that [Start] started is told to quit without saving, killed when it does not, and its folder
// removed; from another one only the UI goes away.
func (s *Screen) Close() error {
	var err error
	s.closing.Do(func() {
		if s.process != nil {
			s.quit()
		} else if _, blocking, err := s.Mode(); err == nil && !blocking {
			_ = s.call(s.v.DetachUI) // a closed connection is noticed only later
		}
		if s.v != nil {
			_ = s.v.Close()
			<-s.done
		}
		if s.process != nil {
			err = s.process.clean()
		}
	})
	return err
}
