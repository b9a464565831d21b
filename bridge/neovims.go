package bridge

import (
	"context"
	"errors"
	"net"
	"sync"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// Neovims are all the Neovims of this user, each attached when it is first needed. It is a [review.Reviewer].
type Neovims struct {
	finder *Finder

	mu    sync.Mutex
	seats map[string]*seat // by address
}

var (
	_ review.Reviewer   = (*Neovims)(nil)
	_ review.Gatekeeper = (*Neovims)(nil)
)

// NewNeovims returns a reviewer that asks finder which Neovim a file belongs to, anew for each call.
func NewNeovims(finder *Finder) *Neovims {
	return &Neovims{finder: finder, seats: map[string]*seat{}}
}

// Review shows the proposal in the Neovim that its first file belongs to; see [review.Reviewer].
func (n *Neovims) Review(ctx context.Context, p review.Proposal, progress func(string)) (*review.Outcome, error) {
	if progress == nil {
		progress = func(string) {}
	}
	p.Key = nil // it holds the arguments
	var out *review.Outcome
	err := n.with(ctx, p.Files[0].Abs, progress, func(e *editor) (err error) {
		s := e.open(p, progress)
		defer e.drop(s)
		out, err = s.run(ctx)
		return err
	})
	if err != nil {
		return nil, failure(err, "Nothing was changed.")
	}
	return out, nil
}

// Read returns the file as the person sees it; see [review.Reviewer]. Where no Neovim runs, that is the disk.
func (n *Neovims) Read(ctx context.Context, abs string) (*review.Document, error) {
	var answer Value
	err := n.with(ctx, abs, func(string) {}, func(e *editor) error { return e.begin(ctx, nil, &answer, "read", abs) })
	if known, ok := errors.AsType[*review.Error](err); ok && known.Code == review.EditorUnavailable {
		return readDisk(abs)
	}
	if err != nil {
		return nil, failure(err, "Nothing was changed.")
	}
	if answer.IsNil() {
		return readDisk(abs)
	}
	doc := &review.Document{
		Text: hunks.Text{
			Body: answer.Key("text").Text(), CRLF: answer.Key("crlf").Bool(), BOM: answer.Key("bom").Bool(),
		},
		Loaded: true, Unsaved: answer.Key("unsaved").Bool(),
	}
	if err := answer.Err(); err != nil {
		return nil, failure(err, "Nothing was changed.")
	}
	return doc, nil
}

// Reload lets the Neovim that a file belongs to read it again if it has it, because another program has written it. Changes
// that are not saved stay. Where no Neovim runs, there is nothing to do.
func (n *Neovims) Reload(ctx context.Context, abs string) error {
	err := n.with(ctx, abs, func(string) {}, func(e *editor) error { return e.begin(ctx, nil, nil, "reload", abs) })
	if known, ok := errors.AsType[*review.Error](err); ok && known.Code == review.EditorUnavailable {
		return nil
	}
	return err
}

func readDisk(abs string) (*review.Document, error) {
	text, err := review.ReadDisk(abs)
	if err != nil {
		return nil, review.Errorf(review.ToolFailed, "%v. Nothing was changed.", err)
	}
	return &review.Document{Text: text}, nil
}

// seat holds the editor of one address; taken while somebody attaches or looks.
type seat struct {
	taken  chan struct{} // holds a token while the seat is in use
	editor *editor
}

// attached is the editor at an address, nil when there is none or somebody is attaching to it.
func (n *Neovims) attached(addr string) *editor {
	st := n.seat(addr)
	select {
	case st.taken <- struct{}{}:
		defer func() { <-st.taken }()
	default:
		return nil
	}
	if st.editor == nil || !st.editor.alive() {
		return nil
	}
	return st.editor
}

func (n *Neovims) seat(addr string) *seat {
	n.mu.Lock()
	defer n.mu.Unlock()
	st := n.seats[addr]
	if st == nil {
		st = &seat{taken: make(chan struct{}, 1)}
		n.seats[addr] = st
	}
	return st
}

// with uses the Neovim that a file belongs to. That one has ended since it was last used may be noticed only by the first
// request: a Neovim is then looked for once more. use must have done nothing yet when it answers errUnheard.
func (n *Neovims) with(ctx context.Context, file string, progress func(string), use func(*editor) error) error {
	for again := true; ; again = false {
		e, err := n.editor(ctx, file, progress)
		if err == nil {
			err = use(e)
		}
		if !again || !errors.Is(err, errUnheard) {
			return err
		}
	}
}

// editor returns the attached Neovim that has the file, or whose folder it is in. Attaching to one that waits at a prompt
// takes until the prompt is over; others can be attached meanwhile.
func (n *Neovims) editor(ctx context.Context, file string, progress func(string)) (*editor, error) {
	addr, _ := n.finder.given()
	if addr != "" {
		// One that was named is the one for every file: no need to look again as long as it lives.
		if e := n.attached(addr); e != nil {
			return e, nil
		}
	}
	found, err := n.finder.Find(ctx, file)
	if err != nil {
		return nil, err
	}
	st := n.seat(found.Addr)
	select {
	case st.taken <- struct{}{}:
		defer func() { <-st.taken }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if st.editor != nil && st.editor.alive() {
		return st.editor, nil
	}
	if found.Busy {
		progress(isBusy)
	}
	st.editor, err = attach(ctx, found.Addr, progress)
	if _, unreachable := errors.AsType[*net.OpError](err); ctx.Err() == nil && (unreachable || errors.Is(err, ErrLost)) {
		return nil, errUnheard // it has ended since it was found
	}
	return st.editor, err
}

// Quit tells an attached Neovim to end, which it does unless something in it is not saved.
func (n *Neovims) Quit(ctx context.Context, addr string) {
	if e := n.attached(addr); e != nil {
		// The answer is an error, or there is none.
		_ = e.client.Lua(ctx, nil, "vim.cmd.qall()")
	}
}

// Close ends all connections. Reviews that are open end as "agent is gone" in their Neovims.
func (n *Neovims) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, st := range n.seats {
		st.taken <- struct{}{}
		if st.editor != nil {
			st.editor.client.Close()
		}
		<-st.taken
	}
}
