package bridge

import (
	"bytes"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// breaker stands before a Neovim, and ends connections at a certain request: before Neovim hears it, or before its answer
// is heard.
type breaker struct {
	net.Listener
	mu      sync.Mutex
	request []byte
	times   int
	heard   bool
}

func newBreaker(t *testing.T, to string) *breaker {
	t.Helper()
	listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	b := &breaker{Listener: listener}
	t.Cleanup(func() { _ = b.Close() })
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			go b.pass(in, to)
		}
	}()
	return b
}

// breakAt has so many connections end at the request of this name.
func (b *breaker) breakAt(name string, times int, heard bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.heard = heard
	b.request, b.times = append([]byte{0xa0 | byte(len(name))}, name...), times // as msgpack has it
}

func (b *breaker) ends(said []byte) (ends, heard bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.times == 0 || !bytes.Contains(said, b.request) {
		return false, false
	}
	b.times--
	return true, b.heard
}

// left is how many connections are still to be ended.
func (b *breaker) left() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.times
}

func (b *breaker) pass(in net.Conn, to string) {
	defer in.Close()
	out, err := net.Dial("unix", to)
	if err != nil {
		return
	}
	defer out.Close()
	var unanswered atomic.Bool
	go func() {
		defer in.Close()
		for answer := make([]byte, 1<<20); ; {
			n, err := out.Read(answer)
			if err != nil || unanswered.Load() {
				return
			}
			_, _ = in.Write(answer[:n])
		}
	}()
	for said := make([]byte, 1<<20); ; {
		n, err := in.Read(said)
		if err != nil {
			return
		}
		ends, heard := b.ends(said[:n])
		if ends && !heard {
			return
		}
		if ends {
			unanswered.Store(true)
		}
		if _, err := out.Write(said[:n]); err != nil {
			return
		}
	}
}

// A connection that turns out to be broken before Neovim has answered is made again, once, and what is wanted is done once:
// before its first answer Neovim does nothing.
func TestUnheard(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		h := newHome(t)
		nvim := h.in(t, bin, h.dir)
		file := writeFile(t, h.dir+"/a.txt")
		b := newBreaker(t, nvim.addr)
		n := NewNeovims(&Finder{Addr: b.Addr().String()})
		t.Cleanup(n.Close)
		edit := func() (*review.Outcome, error) {
			return n.Review(within(t), review.Proposal{Auto: "the test", Files: []review.File{{
				Path: "a.txt", Abs: file, Name: "a.txt",
				Draft: func(current hunks.Text) (*hunks.Patch, error) {
					return hunks.Place(current, current.Body, current.Body+"more\n")
				},
			}}}, nil)
		}
		want := "text\n"
		for _, request := range []string{"nvim_get_api_info", "attach", "enqueue"} {
			b.breakAt(request, 1, false)
			want += "more\n"
			if out, err := edit(); err != nil || out.Decision() != review.Accepted || b.left() != 0 {
				t.Errorf("broken at %s: %v, %+v", request, err, out)
			}
			if raw, err := os.ReadFile(file); string(raw) != want || err != nil {
				t.Errorf("broken at %s: the file holds %q, want %q (%v)", request, raw, want, err)
			}
			if request != "enqueue" {
				n.Close()
				n = NewNeovims(n.finder)
			}
		}
		b.breakAt("enqueue", 1, true)
		want += "more\n"
		if out, err := edit(); err != nil || out.Decision() != review.Accepted || b.left() != 0 {
			t.Errorf("broken before enqueue was answered: %v, %+v", err, out)
		}
		if raw, err := os.ReadFile(file); string(raw) != want || err != nil {
			t.Errorf("broken before enqueue was answered: the file holds %q, want %q (%v)", raw, want, err)
		}
		b.breakAt("read", 1, false)
		nvim.lua(t, nil, `vim.cmd.edit(...) vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'unsaved' })`, file)
		if doc, err := n.Read(within(t), file); err != nil || !doc.Unsaved || b.left() != 0 {
			t.Errorf("broken at read: %+v, %v", doc, err)
		}
		b.breakAt("enqueue", 2, false)
		_, err := edit()
		if known, ok := errors.AsType[*review.Error](err); !ok || known.Code != review.EditorUnavailable || b.left() != 0 {
			t.Errorf("broken twice: %v", err)
		}
		// What Neovim has heard is not said again.
		b.breakAt("open", 1, false)
		_, err = edit()
		if known, ok := errors.AsType[*review.Error](err); !ok || known.Code != review.EditorLost || b.left() != 0 {
			t.Errorf("broken at open: %v", err)
		}
	})
}
