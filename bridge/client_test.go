package bridge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestClientCallsAndErrors(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		h := newHome(t)
		c := h.start(t, bin, h.dir).dial(t, nil)
		if c.Channel() <= 0 {
			t.Errorf("channel %d", c.Channel())
		}
		var got Value
		if err := c.Lua(within(t), &got, `return { text = ..., list = { 1, 2 } }`, "a\xff\x00b"); err != nil {
			t.Fatal(err)
		}
		if text, n := got.Key("text").Text(), got.Key("list").At(1).Int(); text != "a\xff\x00b" || n != 2 {
			t.Errorf("got %q and %d", text, n)
		}
		var n int
		if err := c.Lua(within(t), &n, `return vim.api.nvim_get_chan_info(...).id`, c.Channel()); err != nil || n != c.Channel() {
			t.Errorf("channel %d, Neovim says %d, %v", c.Channel(), n, err)
		}
		var thrown *LuaError
		if err := c.Lua(within(t), nil, `error('no\nsuch thing', 0)`); !errors.As(err, &thrown) ||
			thrown.Text != "no\nsuch thing" || !strings.Contains(thrown.Trace, "main chunk") {
			t.Errorf("error %#v", err)
		}
		if err := c.Lua(within(t), nil, `return 1 +`); !errors.As(err, &thrown) {
			t.Errorf("a syntax error gave %v", err)
		}
		if err := c.Lua(within(t), &n, `return 'text'`); err == nil || !strings.Contains(err.Error(), "expected a whole number") {
			t.Errorf("a string read as a number gave %v", err)
		}
		// Neither of these may cost the connection.
		mode, blocking, err := c.Mode(within(t))
		if err != nil || mode != "n" || blocking {
			t.Errorf("mode %q %v, %v", mode, blocking, err)
		}
	})
}

func TestClientAtPrompt(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		h := newHome(t)
		n := h.start(t, bin, h.dir)
		n.attachUI(t)
		c := n.dial(t, nil)
		hangAtPrompt(t, c)

		late := n.dial(t, nil) // attaching works all the same
		mode, blocking, err := late.Mode(within(t))
		if err != nil || !blocking {
			t.Errorf("mode %q %v, %v", mode, blocking, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		var got any
		if err := late.Lua(ctx, &got, `return { 'late' }`); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call at a prompt gave %v", err)
		}
		if _, err := c.v.Input("q"); err != nil {
			t.Fatal(err)
		}
		if err := late.Lua(within(t), nil, `return 1`); err != nil {
			t.Errorf("after the prompt: %v", err)
		}
		if got != nil {
			t.Errorf("the late answer was stored: %v", got)
		}
	})
}

// hangAtPrompt leaves Neovim, which must have a UI, at "-- More --", and waits until it is there.
func hangAtPrompt(t testing.TB, c *Client) {
	t.Helper()
	if _, err := c.v.Input(":set more | for i in range(100) | echo i | endfor\r"); err != nil {
		t.Fatal(err)
	}
	ctx := within(t)
	for {
		_, blocking, err := c.Mode(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if blocking {
			return
		}
	}
}

func TestNotificationsInOrderAndBeforeTheEnd(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		h := newHome(t)
		n := h.start(t, bin, h.dir)
		const count = 500
		var got []int
		hold := make(chan struct{})
		c := n.dial(t, func(event string, args []any) {
			<-hold // reading must go on meanwhile
			if event == "panic" {
				panic("a handler that fails")
			}
			got = append(got, Decode(args).At(0).Int())
		})
		chunk := `local channel, count = ...
			vim.rpcnotify(channel, 'agent_diff')
			vim.rpcnotify(channel, 'agent_diff', { 1 }, 'no name')
			vim.rpcnotify(channel, 'agent_diff', 'panic', 1)
			vim.rpcnotify(channel, 'other', 1)
			for i = 1, count do vim.rpcnotify(channel, 'agent_diff', 'count', i) end`
		if err := c.Lua(within(t), nil, chunk, c.Channel(), count); err != nil {
			t.Fatal(err)
		}
		if err := c.Lua(within(t), nil, `vim.cmd('qall!')`); !errors.Is(err, ErrLost) {
			t.Errorf("leaving Neovim gave %v", err)
		}
		if c.Err() != nil {
			t.Errorf("ended before the notifications were handed over: %v", c.Err())
		}
		close(hold)
		await(t, "the end", c.Done())
		if len(got) != count {
			t.Fatalf("%d notifications of %d", len(got), count)
		}
		for i, n := range got {
			if n != i+1 {
				t.Fatalf("notification %d at place %d", n, i)
			}
		}
		if !errors.Is(c.Err(), ErrLost) {
			t.Errorf("Err is %v", c.Err())
		}
	})
}

// Many at once, and the end right behind them.
func TestTheEndComesBehindTheLastNotification(t *testing.T) {
	const count = 20_000
	got := 0
	c, peer := pipe(t, func(string, []any) { got++ })
	if _, err := peer.Write([]byte(strings.Repeat("\x93\x02\xaaagent_diff\x91\xa1x", count))); err != nil {
		t.Fatal(err)
	}
	_ = peer.Close()
	await(t, "the end", c.Done())
	if got != count {
		t.Errorf("%d notifications of %d", got, count)
	}
}

func TestLost(t *testing.T) {
	h := newHome(t)
	n := h.start(t, anyNvim(t), h.dir)
	c := n.dial(t, nil)
	waiting := make(chan error, 1)
	go func() { waiting <- c.Lua(within(t), nil, `while true do end`) }()
	if err := c.Lua(expired(), nil, `return 1`); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gave %v", err)
	}
	n.kill()
	if err := await(t, "the answer", waiting); !errors.Is(err, ErrLost) {
		t.Errorf("a killed Neovim gave %v", err)
	}
	await(t, "the end", c.Done())
	if err := c.Lua(within(t), nil, `return 1`); !errors.Is(err, ErrLost) {
		t.Errorf("a call afterwards gave %v", err)
	}
	if _, err := Dial(within(t), n.addr, nil); err == nil {
		t.Error("a dead socket was dialled")
	}
}

func expired() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// A Neovim that does not read any more blocks a call while it is sent.
func TestStopped(t *testing.T) {
	c, peer := pipe(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := c.Lua(ctx, nil, `return ...`, strings.Repeat("x", 1<<20)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	c.Close()
	await(t, "the end", c.Done())
	_ = peer.Close()
	if err := c.Err(); !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "closed by") {
		t.Errorf("Err is %v", err)
	}
}

// pipe is a client whose other side is the test; it does not know its channel.
func pipe(t testing.TB, onNotify func(string, []any)) (*Client, net.Conn) {
	t.Helper()
	ours, theirs := net.Pipe()
	c, err := serve(ours, onNotify)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); _ = theirs.Close() })
	return c, theirs
}

func TestGarbage(t *testing.T) {
	for name, bytes := range map[string]string{
		"text":            "hello\n",
		"no array":        "\x01",
		"empty message":   "\x90",
		"invalid code":    "\x93\x02\xc1",
		"huge arguments":  "\x93\x02\xaaagent_diff\xdd\xff\xff\xff\xff",
		"huge string":     "\x93\x02\xaaagent_diff\x91\xdb\xff\xff\xff\xff",
		"nested":          "\x93\x02\xaaagent_diff" + strings.Repeat("\x91", 1000),
		"cut":             "\x93\x02\xaaagent_d",
		"unknown message": "\x93\x07\x01\x90",
		"bad extension":   "\x93\x02\xaaagent_diff\x91\xd5\x00\x91\x91",
	} {
		t.Run(name, func(t *testing.T) {
			c, peer := pipe(t, nil)
			if _, err := peer.Write([]byte(bytes)); err != nil && !strings.Contains(err.Error(), "closed pipe") {
				t.Fatal(err)
			}
			if name == "cut" {
				_ = peer.Close()
			}
			await(t, "the end", c.Done())
			if err := c.Err(); !errors.Is(err, ErrLost) || err == ErrLost { //nolint:errorlint // it must say more
				t.Errorf("Err is %v", err)
			}
		})
	}
}

func TestNoGoroutineStays(t *testing.T) {
	h := newHome(t)
	n := h.start(t, anyNvim(t), h.dir)
	before := runtime.NumGoroutine()
	var all sync.WaitGroup
	for i := range 20 {
		c, err := Dial(within(t), n.addr, func(string, []any) {})
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			if i%2 == 0 {
				_ = c.Lua(expired(), nil, `return 1`)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			_ = c.Lua(ctx, nil, `vim.uv.sleep(3)`)
			cancel()
			c.Close()
			<-c.Done()
		})
	}
	all.Wait()
	deadline := time.Now().Add(patience)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
		runtime.Gosched()
	}
}

func TestDialAddresses(t *testing.T) {
	h := newHome(t)
	odd := makeDir(t, h.dir, "a:b")
	inst := h.start(t, anyNvim(t), h.dir)
	c := inst.dial(t, nil)
	var tcp string
	if err := c.Lua(within(t), &tcp, `return vim.fn.serverstart('127.0.0.1:0')`); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(odd, "sock:1"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go forward(listener, inst.addr)
	for _, addr := range []string{tcp, listener.Addr().String()} {
		c, err := Dial(within(t), addr, nil)
		if err != nil {
			t.Errorf("%s: %v", addr, err)
			continue
		}
		if c.Addr() != addr {
			t.Errorf("address %q", c.Addr())
		}
		c.Close()
	}
}

// forward connects what comes to the listener with a socket, once.
func forward(l net.Listener, addr string) {
	in, err := l.Accept()
	if err != nil {
		return
	}
	out, err := net.Dial("unix", addr)
	if err != nil {
		return
	}
	go func() { copyAndClose(out, in) }()
	copyAndClose(in, out)
}

func copyAndClose(to, from net.Conn) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		if err == nil {
			_, err = to.Write(buf[:n])
		}
		if err != nil {
			_, _ = to.Close(), from.Close()
			return
		}
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	h := newHome(b)
	c := h.start(b, anyNvim(b), h.dir).dial(b, nil)
	for b.Loop() {
		if err := c.Lua(b.Context(), nil, `return 1`); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDial(b *testing.B) {
	h := newHome(b)
	n := h.start(b, anyNvim(b), h.dir)
	for b.Loop() {
		c, err := Dial(b.Context(), n.addr, nil)
		if err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}

func BenchmarkTwoTextsOf4MB(b *testing.B) {
	h := newHome(b)
	c := h.start(b, anyNvim(b), h.dir).dial(b, nil)
	text := strings.Repeat("0123456789abcdef\n", 250_000)
	for b.Loop() {
		var n int
		if err := c.Lua(b.Context(), &n, `local a, b = ... return #a + #b`, text, text); err != nil || n != 2*len(text) {
			b.Fatal(n, err)
		}
	}
}

func BenchmarkRead100000Lines(b *testing.B) {
	h := newHome(b)
	c := h.start(b, anyNvim(b), h.dir).dial(b, nil)
	fill := `local t = {} for i = 1, 100000 do t[i] = ('line %d of a file, that is not short'):format(i) end
		vim.api.nvim_buf_set_lines(0, 0, -1, true, t)`
	if err := c.Lua(b.Context(), nil, fill); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var lines any
		if err := c.Lua(b.Context(), &lines, `return vim.api.nvim_buf_get_lines(0, 0, -1, true)`); err != nil {
			b.Fatal(err)
		}
		if n := len(lines.([]any)); n != 100000 {
			b.Fatal(fmt.Sprint(n))
		}
	}
}
