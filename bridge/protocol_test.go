package bridge

import (
	"context"
	"errors"
	"strings"
	"testing"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/lua"
	"nvim-agent-diff/review"
)

// stranger is the server of another version, which speaks another protocol.
type stranger struct{ *Client }

const strangersProtocol = protocol + 1

// bootstrap is the number that the Neovim speaks after the stranger has attached.
func (s stranger) bootstrap(t *testing.T) int {
	t.Helper()
	modules, err := lua.Modules()
	if err != nil {
		t.Fatal(err)
	}
	main := modules["agent_diff"]
	modules["agent_diff"] = strings.Replace(main, "M.protocol = 1", "M.protocol = 2", 1)
	if modules["agent_diff"] == main {
		t.Fatal("the module's protocol number was not found")
	}
	var answer Value
	if err := s.Lua(within(t), &answer, lua.Bootstrap, strangersProtocol, modules); err != nil {
		t.Fatal(err)
	}
	return answer.Key("protocol").Int()
}

func (s stranger) call(t *testing.T, method string, args ...any) {
	t.Helper()
	all := append([]any{strangersProtocol, s.Channel(), method}, args...)
	if err := s.Lua(within(t), nil, "return require('agent_diff.server').call(...)", all...); err != nil {
		t.Fatal(err)
	}
}

// reviewed carries a review until it waits for the person, and takes it back then; the error is why it did not come so
// far.
func reviewed(t *testing.T, n *Neovims, file string, during func()) error {
	t.Helper()
	ctx, cancel := context.WithCancel(within(t))
	defer cancel()
	opened := false
	_, err := n.Review(ctx, review.Proposal{Files: []review.File{{
		Path: "a.txt", Abs: file, Name: "a.txt",
		Draft: func(current hunks.Text) (*hunks.Patch, error) { return hunks.Place(current, current.Body, "new\n") },
	}}}, func(text string) {
		if text == "waiting for review in Neovim" && !opened {
			opened = true
			during()
			cancel()
		}
	})
	if opened {
		return nil
	}
	return err
}

// Servers of different versions take turns in one Neovim. None takes the Lua away from the other's open reviews.
func TestProtocolsMeet(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		h := newHome(t)
		nvim := h.in(t, bin, h.dir)
		file := writeFile(t, h.dir+"/a.txt")
		other := stranger{nvim.dial(t, nil)}
		ours := NewNeovims(&Finder{Addr: nvim.addr})
		t.Cleanup(ours.Close)
		late := NewNeovims(&Finder{Addr: nvim.addr})
		t.Cleanup(late.Close)

		if err := reviewed(t, ours, file, func() {
			if got := other.bootstrap(t); got != protocol {
				t.Errorf("the stranger replaced the Lua of an open review: protocol %d", got)
			}
		}); err != nil {
			t.Error(err)
		}
		if got := other.bootstrap(t); got != strangersProtocol {
			t.Fatalf("the stranger found protocol %d", got)
		}
		other.call(t, "attach", wireAttach{Name: "stranger", Rules: hunks.Rules})
		other.call(t, "enqueue", wireRequest{Ref: 1, Paths: []string{file}, Name: "theirs"})
		for _, n := range []*Neovims{ours, late} { // one that was attached before, and one that comes now
			err := reviewed(t, n, file, func() {})
			var known *review.Error
			if !errors.As(err, &known) || known.Code != review.EditorUnavailable ||
				!strings.Contains(known.Text, "speaks protocol 2") || !strings.Contains(known.Text, "this server protocol 1") {
				t.Errorf("got %v", err)
			}
		}
		other.call(t, "cancel", 1, "")
		for _, n := range []*Neovims{ours, late} {
			if err := reviewed(t, n, file, func() {}); err != nil {
				t.Error(err)
			}
		}
	})
}
