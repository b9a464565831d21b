package bridge

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// TestRandomParts cuts and decides random files at random, and compares what is seen with package hunks: what it makes of the
// same cuts, prints of them and composes of the same decisions. $PARTS_SEED plays one review again.
func TestRandomParts(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		first, last := uint64(1), uint64(25)
		if seed, err := strconv.ParseUint(os.Getenv("PARTS_SEED"), 10, 64); err == nil {
			first, last = seed, seed
		}
		d := newDesk(t, bin)
		cuts := 0
		for seed := first; seed <= last && !t.Failed(); seed++ {
			d.textOnly = seed%5 == 0
			g := &partsGame{game: game{t: t, seed: seed, rand: rand.New(rand.NewPCG(seed, 7))}}
			g.play(d)
			cuts += g.cuts
		}
		if first != last && cuts < 40 {
			t.Errorf("only %d cuts", cuts)
		}
	})
}

// partsGame is a review and what must be seen of it.
type partsGame struct {
	game
	parted
	past []parted
	cuts int
}

// parted is how a proposal is cut, and the states of its hunks.
type parted struct {
	patch  *hunks.Patch
	states []hunks.State
}

func (p parted) copied() parted { return parted{p.patch.Clone(), slices.Clone(p.states)} }

func (p parted) compose() hunks.Text {
	applied := map[int]bool{}
	for i, h := range p.patch.Hunks {
		applied[h.ID] = p.states[i] == hunks.Applied
	}
	return p.patch.Base.With(p.patch.Compose(func(id int) bool { return applied[id] }))
}

func (g *partsGame) play(d *desk) {
	base, modified := g.texts()
	g.logf("base %q", base)
	g.logf("modified %q", modified)
	g.r = d.open(fmt.Sprintf("parts%d.txt", g.seed), base, modified)
	g.patch = g.r.patch.Clone()
	for range g.patch.Hunks {
		g.states = append(g.states, hunks.Pending)
	}
	g.compare()
	for range 12 {
		if g.t.Failed() {
			return
		}
		switch g.rand.IntN(7) {
		case 0:
			g.split()
		case 1, 2, 3:
			g.lines()
		case 4:
			g.key()
		case 5:
			g.takeBack()
		case 6:
			g.edit()
		}
		g.compare()
	}
	g.end()
}

func (g *partsGame) press(index, line int, keys string) {
	g.logf("hunk %d, line %d: %s", index+1, line, keys)
	g.r.do("cursor", index+1, line)
	g.r.do("press", keys)
}

func (g *partsGame) split() {
	i := g.rand.IntN(len(g.states))
	before := g.copied()
	g.press(i, 0, "s")
	if parts := g.patch.Split(g.patch.Hunks[i].ID); parts != nil {
		g.replaced(i, len(parts))
		g.past = append(g.past, before)
	}
}

// replaced gives the n parts of hunk i its state.
func (g *partsGame) replaced(i, n int) {
	g.cuts++
	g.states = slices.Replace(g.states, i, i+1, slices.Repeat([]hunks.State{g.states[i]}, n)...)
}

func (g *partsGame) key() {
	i := g.rand.IntN(len(g.states))
	keys := []string{"a", "r", "<Space>"}[g.rand.IntN(3)]
	before := g.copied()
	g.press(i, 0, keys)
	switch {
	case keys == "r":
		g.states[i] = hunks.Rejected
	case keys == "<Space>" && g.states[i] == hunks.Applied:
		g.states[i] = hunks.Pending
	default:
		g.states[i] = hunks.Applied
	}
	if !slices.Equal(before.states, g.states) {
		g.past = append(g.past, before)
	}
}

// edit makes a version of its own of a hunk: another first line.
func (g *partsGame) edit() {
	i := g.rand.IntN(len(g.states))
	g.fresh++
	mine := fmt.Sprintf("mine %d", g.fresh)
	before := g.copied()
	g.press(i, 0, "ecc"+mine+"<Esc><CR>")
	lines := g.patch.NewLines(g.patch.Hunks[i].ID)
	if len(lines) == 0 {
		lines = []string{mine}
	}
	lines[0] = mine
	if g.patch.Rewrite(g.patch.Hunks[i].ID, lines) == nil {
		g.t.Fatal("a fresh line is none")
	}
	g.cuts++
	g.states[i] = hunks.Applied
	g.past = append(g.past, before)
}

// lines decides on selected lines: of one hunk, or of several.
func (g *partsGame) lines() {
	printed := g.patch.Print("f", "f")
	i := g.rand.IntN(len(g.states))
	from := g.rand.IntN(printed.Hunks[i].Lines)
	most := printed.Hunks[len(g.states)-1].Line + printed.Hunks[len(g.states)-1].Lines - printed.Hunks[i].Line - from - 1
	size := min(g.rand.IntN(5)*g.rand.IntN(4), most)
	verb, to := "a", hunks.Applied
	if g.rand.IntN(3) == 0 {
		verb, to = "r", hunks.Rejected
	}
	before := g.copied()
	move := ""
	if size > 0 {
		move = fmt.Sprintf("%dj", size)
	}
	g.press(i, from, "V"+move+verb)

	text := strings.Split(printed.Text, "\n")
	first := printed.Hunks[i].Line + from
	var choices []func() bool
	for _, span := range printed.Hunks {
		choices = append(choices, g.choose(span, text, first, first+size, to))
	}
	cut := false
	for _, choice := range choices {
		cut = choice() || cut
	}
	if cut || !slices.Equal(before.states, g.states) {
		g.past = append(g.past, before)
	}
}

// choose prepares to decide on the lines from first to last as far as they are the hunk's. What it returns does it, and says
// whether the hunk was cut.
func (g *partsGame) choose(span hunks.Span, text []string, first, last int, to hunks.State) func() bool {
	var rows []int
	some, all := false, true
	for row := range span.Lines {
		line := span.Line + row
		inside := first <= line && line <= last
		changes := strings.HasPrefix(text[line], "+") || strings.HasPrefix(text[line], "-")
		if inside {
			rows = append(rows, row)
		}
		some = some || inside && changes
		all = all && (inside || !changes)
	}
	selected := g.patch.ChangesAt(span.ID, rows)
	return func() bool {
		if !some {
			return false
		}
		k := slices.IndexFunc(g.patch.Hunks, func(h *hunks.Hunk) bool { return h.ID == span.ID })
		var chosen, rest []*hunks.Hunk
		if !all {
			chosen, rest = g.patch.SplitLines(span.ID, selected)
		}
		if chosen == nil {
			g.states[k] = to
			return false
		}
		n := len(chosen) + len(rest)
		g.replaced(k, n)
		for j, part := range g.patch.Hunks[k : k+n] {
			if slices.Contains(chosen, part) {
				g.states[k+j] = to
			}
		}
		return true
	}
}

func (g *partsGame) takeBack() {
	g.press(0, 0, "u")
	if n := len(g.past); n > 0 {
		g.parted, g.past = g.past[n-1], g.past[:n-1]
	}
}

// compare is what must be seen: the states, the diff, and the text.
func (g *partsGame) compare() {
	seen := g.r.look()
	var states []string
	for _, state := range g.states {
		states = append(states, string(state))
	}
	if !slices.Equal(seen.states, states) {
		g.fail("the states are %v, want %v", seen.states, states)
	}
	var diff string
	g.r.lua(&diff, "return require('reviewing').diff()")
	name := fmt.Sprintf("parts%d.txt", g.seed)
	if want := g.patch.Print(name, name).Text; diff != want {
		g.fail("the review shows\n%s\nwant\n%s", diff, want)
	}
	if want := g.compose().Body; seen.text != want {
		g.fail("the text is %q, want %q", seen.text, want)
	}
}

func (g *partsGame) fail(format string, args ...any) {
	g.t.Errorf("seed %d: %s\n%s", g.seed, fmt.Sprintf(format, args...), strings.Join(g.log, "\n"))
}

// end leaves the review, and compares what is told with what was seen.
func (g *partsGame) end() {
	g.r.do("press", "qy")
	out, err := g.r.outcome()
	if err != nil {
		g.fail("%v", err)
		return
	}
	want := review.Rejected
	for i, h := range out.Files[0].Hunks {
		if h.State != g.states[i] || h.Header != g.patch.Hunks[i].Header() || h.Index != i+1 {
			g.fail("hunk %d is told as %+v", i+1, h)
		}
		if h.State == hunks.Applied {
			want = review.Accepted
		}
	}
	if out.Decision() != want || len(out.Files[0].Hunks) != len(g.states) || out.Files[0].UserDiff != "" {
		g.fail("told is %+v", out)
	}
	if raw, err := os.ReadFile(g.r.path); err != nil || !g.r.textOnly && string(raw) != g.compose().Raw() {
		g.fail("the disk holds %q, want %q (%v)", raw, g.compose().Raw(), err)
	}
}
