package bridge

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

//go:embed testdata/reviewing.lua
var reviewingLua string

// desk is a real Neovim in which reviews are opened one after the other, through the whole bridge.
type desk struct {
	t    testing.TB
	home *home

	instance *instance
	nvim     *Client // the test's own connection
	n        *Neovims
	dir      string

	textOnly bool // what its reviews are
}

func newDesk(t testing.TB, bin string, args ...string) *desk {
	t.Helper()
	h := newHome(t)
	d := &desk{t: t, home: h, dir: makeDir(t, h.dir, "w")}
	args = append([]string{"--cmd", "let g:agent_diff = {'arm_ms': 0, 'focus': 'always'}"}, args...)
	i := h.start(t, bin, d.dir, args...)
	d.instance, d.nvim = i, i.dial(t, nil)
	d.n = NewNeovims(&Finder{Addr: i.addr, Env: h.getenv})
	t.Cleanup(d.n.Close)
	d.lua(nil, "package.loaded['reviewing'] = loadstring(...)()", reviewingLua)
	return d
}

// lua runs a chunk.
func (d *desk) lua(result any, chunk string, args ...any) {
	d.t.Helper()
	if err := d.nvim.Lua(within(d.t), result, chunk, args...); err != nil {
		d.t.Fatalf("%v\nin %s %q", err, chunk, args)
	}
}

// do calls a function of testdata/reviewing.lua.
func (d *desk) do(name string, args ...any) {
	d.t.Helper()
	d.lua(nil, "return require('reviewing')[...](select(2, ...))", append([]any{name}, args...)...)
}

// reviewing is a review that is open.
type reviewing struct {
	*desk
	path  string
	patch *hunks.Patch
	ended chan ended
}

type ended struct {
	out *review.Outcome
	err error
}

// open opens a review that changes a file of the given bytes.
func (d *desk) open(name, base, modified string) *reviewing {
	d.t.Helper()
	return d.propose(name, base, func(current hunks.Text) (*hunks.Patch, error) { return hunks.Diff(current, modified), nil })
}

func (d *desk) propose(name, base string, draft func(hunks.Text) (*hunks.Patch, error)) *reviewing {
	d.t.Helper()
	path := filepath.Join(d.dir, name)
	if err := os.WriteFile(path, []byte(base), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return d.begin(review.Proposal{Tool: "test", TextOnly: d.textOnly, Files: []review.File{{
		Path: name, Abs: path, Name: name, Draft: draft,
	}}})
}

// begin opens a review. The first file's patch is kept.
func (d *desk) begin(p review.Proposal) *reviewing {
	d.t.Helper()
	r := &reviewing{desk: d, path: p.Files[0].Abs, ended: make(chan ended, 1)}
	draft := p.Files[0].Draft
	p.Files[0].Draft = func(current hunks.Text) (*hunks.Patch, error) {
		patch, err := draft(current)
		r.patch = patch
		return patch, err
	}
	go func() {
		out, err := d.n.Review(d.t.Context(), p, nil)
		r.ended <- ended{out, err}
	}()
	for open := false; !open; {
		d.lua(&open, "return require('reviewing').is_open(...)", r.path)
		select {
		case e := <-r.ended:
			d.t.Fatalf("the review ended before it was open: %+v", e)
		case <-time.After(time.Millisecond): // Neovim opens it when it waits for keys, not while it answers us
		}
	}
	return r
}

// sight is what can be observed of a review.
type sight struct {
	states, marks []string
	edited        []bool
	counts        []int // total, applied, rejected, pending, conflict
	progress      string
	cursor        int // the hunk at the cursor, or the last one above it; 0 above all
	text          string
	eol           bool
	ended         bool // and nothing else is known
}

func (r *reviewing) look() sight {
	r.t.Helper()
	var v Value
	r.lua(&v, "return require('reviewing').look()")
	if v.IsNil() {
		return sight{ended: true}
	}
	s := sight{
		states: v.Key("states").Texts(), marks: v.Key("marks").Texts(), progress: v.Key("progress").Text(),
		cursor: v.Key("cursor").Int(), text: v.Key("text").Text(), eol: v.Key("eol").Bool(),
	}
	for _, e := range v.Key("edited").List() {
		s.edited = append(s.edited, e.Bool())
	}
	for _, n := range v.Key("counts").List() {
		s.counts = append(s.counts, n.Int())
	}
	if !v.Key("settled").Bool() {
		r.t.Fatal("the review does not settle")
	}
	if v.Err() != nil {
		r.t.Fatal(v.Err())
	}
	return s
}

// outcome waits for the end.
func (r *reviewing) outcome() (*review.Outcome, error) {
	r.t.Helper()
	e := await(r.t, "the end of the review", r.ended)
	return e.out, e.err
}

// text joins lines, each ended by a newline.
func text(lines ...string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}
