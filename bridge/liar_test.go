package bridge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// lieChunk sends to every channel whatever another program could send, for reviews that are there and that are not.
const lieChunk = `
local values = { vim.NIL, 0, -1, 1.5, 2^53, true, 'x', {}, { 1, 2, 3 }, { a = { b = 1 } }, { { { {} } } }, ('x'):rep(100000),
	{ { 'a', 'b', 'c' } }, { { 1, 1e9, 'applied' } }, { { 1, -1, 'no such state' } }, { [1] = 1, x = 2 } }
local events = ...
for _, chan in ipairs(vim.api.nvim_list_chans()) do
	if chan.stream == 'socket' then
		for _, event in ipairs(events) do
			for ref = -1, 3 do
				for _, value in ipairs(values) do
					pcall(vim.rpcnotify, chan.id, 'agent_diff', event, ref, value)
					pcall(vim.rpcnotify, chan.id, 'agent_diff', event, ref, value, value)
					pcall(vim.rpcnotify, chan.id, 'agent_diff', event, value, value)
					pcall(vim.rpcnotify, chan.id, 'agent_diff', value, value)
				end
				pcall(vim.rpcnotify, chan.id, 'agent_diff', event, ref)
			end
			pcall(vim.rpcnotify, chan.id, 'agent_diff', event)
		end
		pcall(vim.rpcnotify, chan.id, 'agent_diff')
		pcall(vim.rpcnotify, chan.id, 'nvim_buf_lines_event', 1, 2)
	end
end`

// Whatever another program sends to our channel, nothing breaks, and a review that it did not end ends as it should. One
// whose end cannot be understood is an error, and over in Neovim as well.
func TestLies(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		h := newHome(t)
		nvim := h.in(t, bin, h.dir)
		file := writeFile(t, h.dir+"/a.txt")
		n := NewNeovims(&Finder{Addr: nvim.addr})
		t.Cleanup(n.Close)
		propose := func(during func()) (*review.Outcome, error) {
			opened := false
			return n.Review(within(t), review.Proposal{Files: []review.File{{
				Path: "a.txt", Abs: file, Name: "a.txt",
				Draft: func(current hunks.Text) (*hunks.Patch, error) {
					return hunks.Place(current, current.Body, current.Body+"more\n")
				},
			}}}, func(text string) {
				if !opened && strings.HasPrefix(text, "waiting for review in Neovim") {
					opened = true
					during()
				}
			})
		}
		out, err := propose(func() {
			nvim.lua(t, nil, lieChunk, []string{"place", "turn", "hunks", "lost", "leaving", "no such event", ""})
			// A moment later: the lies are dealt with before.
			nvim.lua(t, nil, `vim.defer_fn(function() vim.cmd.AgentDiff('accept') end, 50)`)
		})
		if err != nil || out.Decision() != review.Accepted || !out.Files[0].Saved {
			t.Fatalf("%v, %+v", err, out)
		}
		for i, lie := range []string{`nil`, `'text'`, `{ files = {} }`, `{ files = { { hunks = 'x' } } }`, `{ how = {}, files = { {} } }`} {
			_, err = propose(func() {
				// Reviews are numbered on each connection; this one is the next.
				nvim.lua(t, nil, fmt.Sprintf(`for _, chan in ipairs(vim.api.nvim_list_chans()) do
					if chan.stream == 'socket' then pcall(vim.rpcnotify, chan.id, 'agent_diff', 'done', %d, %s) end
				end`, i+2, lie))
			})
			var known *review.Error
			if !errors.As(err, &known) || known.Code != review.ToolFailed {
				t.Errorf("after %s: %v", lie, err)
			}
			var open int
			nvim.lua(t, &open, `return #require('agent_diff').reviews()`)
			if open != 0 {
				t.Errorf("after %s: %d reviews are open", lie, open)
			}
		}
		out, err = propose(func() { nvim.lua(t, nil, `vim.cmd.AgentDiff('reject')`) })
		if err != nil || out.Decision() != review.Rejected {
			t.Errorf("%v, %+v", err, out)
		}
		if context.Cause(t.Context()) != nil {
			t.Error("the test's own context ended")
		}
	})
}

// Another program may send to every channel, also to one that is not attached yet.
func TestPingBeforeTheFirstAnswer(t *testing.T) {
	h := newHome(t)
	listener, err := net.Listen("unix", h.dir+"/liar")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		peer, err := listener.Accept()
		if err != nil {
			return
		}
		go drain(peer)
		_, _ = peer.Write([]byte("\x93\x02\xaaagent_diff\x92\xa4ping\x01"))
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := attach(ctx, listener.Addr().String(), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
