package bridge

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// TestRandomReviews plays random keys and random edits over random files, and compares everything that can be observed
// with the model after each step. $POSITIONS_SEED plays one review again, $POSITIONS_TIME plays for that long on each
// Neovim (as "10m") instead of some hundred steps, which are the same ones each time.
func TestRandomReviews(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		seed, one := os.LookupEnv("POSITIONS_SEED")
		first, err := strconv.ParseUint(seed, 10, 64)
		if one && err != nil {
			t.Fatal(err)
		}
		if !one {
			first = 1000
		}
		long, _ := time.ParseDuration(os.Getenv("POSITIONS_TIME"))
		if long > 0 && !one {
			first = uint64(time.Now().UnixNano()) % 1e9 * 1000
		}
		d := newDesk(t, bin)
		began, steps, games, unclear := time.Now(), 0, 0, 0
		play := func(seed uint64) {
			g := &game{t: t, seed: seed, rand: rand.New(rand.NewPCG(seed, 0))}
			g.play(d)
			steps += g.steps
			games++
			if g.unclear {
				unclear++
			}
		}
		for i := 0; i < len(foundBugs) && !one && !t.Failed(); i++ {
			play(foundBugs[i])
		}
		for seed := first; ; seed++ {
			play(seed)
			if t.Failed() || one || long == 0 && steps >= 400 || long > 0 && time.Since(began) > long {
				break
			}
		}
		t.Logf("%d steps in %d reviews, %d of them given up, %v", steps, games, unclear, time.Since(began).Round(time.Millisecond))
	})
}

// foundBugs are reviews in which the program, or the model, was once wrong.
var foundBugs = []uint64{
	373838169009, 9001, 686138908077, 941607043008, 472879350523, 811510963128, 506630160892, 989465283726, 594949525045, 747478399941, 388996955323, 918582209005, 768376741002,
	415279719228, 244901540569, 297291520528, 121277422567, 848443228196, 422470140112,
}

// game is one random review.
type game struct {
	t        *testing.T
	seed     uint64
	rand     *rand.Rand
	r        *reviewing
	m        *model   // one of ways
	ways     []*model // all that can have led to what was seen
	saved    doc      // what the disk holds
	savedEOL bool
	disk     string
	wrote    bool // the person has saved during the review
	plain    bool // lines are all different and say enough, so that a place can always be found again
	fresh    int  // for lines that were never there
	log      []string
	steps    int
	some     bool // there are more ways than are followed
	unclear  bool // so many that what is right is not known any more
}

func (g *game) play(d *desk) {
	g.plain = g.rand.IntN(2) == 0
	base, modified := g.texts()
	g.logf("base %q", base)
	g.logf("modified %q", modified)
	g.r = d.open(fmt.Sprintf("%d.txt", g.seed), base, modified)
	g.m = newModel(g.r.patch)
	g.ways = []*model{g.m}
	g.save()
	g.step("open", func(*model) {}, func() {})
	for range 5 + g.rand.IntN(25) {
		if g.t.Failed() || g.unclear {
			break
		}
		g.steps++
		if g.rand.IntN(2) == 0 {
			g.keys()
		} else {
			g.edit()
		}
	}
	if !g.t.Failed() {
		g.end()
		d.lua(nil, "vim.cmd('silent %bwipeout!')")
	}
}

func (g *game) logf(format string, args ...any) { g.log = append(g.log, fmt.Sprintf(format, args...)) }

func (g *game) fail(format string, args ...any) {
	g.t.Helper()
	g.t.Errorf("%s\nPOSITIONS_SEED=%d\n%s\n%s", fmt.Sprintf(format, args...), g.seed, strings.Join(g.log, "\n"), g.m)
}

// line is a new line.
func (g *game) line() string {
	if g.plain {
		g.fresh++
		return fmt.Sprintf("this is the line %d of the text", g.fresh)
	}
	return []string{"a", "b", "c", "}", "", "the same line as others"}[g.rand.IntN(6)]
}

func (g *game) texts() (base, modified string) {
	for {
		var lines, changed []string
		for range g.rand.IntN(24) {
			lines = append(lines, g.line())
		}
		changed = slices.Clone(lines)
		for range 1 + g.rand.IntN(6) {
			at := g.rand.IntN(len(changed) + 1)
			end := min(len(changed), at+g.rand.IntN(4))
			var with []string
			for range g.rand.IntN(4) {
				with = append(with, g.line())
			}
			changed = slices.Replace(changed, at, end, with...)
		}
		base, modified = text(lines...), text(changed...)
		if g.rand.IntN(4) == 0 {
			base = strings.TrimSuffix(base, "\n")
		}
		if g.rand.IntN(4) == 0 {
			modified = strings.TrimSuffix(modified, "\n")
		}
		if base != modified {
			return base, modified
		}
	}
}

// keys presses some keys of the review at once.
func (g *game) keys() {
	all := []string{"a", "a", "r", "<Space>", "<Space>", "u", "n", "p"}
	keys := make([]string, 1+g.rand.IntN(4))
	for i := range keys {
		keys[i] = all[g.rand.IntN(len(all))]
	}
	cursor := 1 + g.rand.IntN(len(g.m.hunks))
	g.r.do("cursor", cursor, 0)
	g.step(fmt.Sprintf("%d: %s", cursor, strings.Join(keys, "")), func(m *model) {
		m.cursor = cursor
		m.press(keys)
	}, func() { g.r.do("press", strings.Join(keys, "")) })
}

// step does one thing in both worlds and compares them. Where both is right, a block lost or found, all the ways in which it
// can have come to what is seen are followed on.
func (g *game) step(what string, follow func(*model), do func()) {
	g.t.Helper()
	if g.unclear {
		return
	}
	g.logf("%s", what)
	do()
	seen := g.r.look()
	g.logf("   %q", seen.states)
	var right []*model
	var wrongs []string
	known := map[string]bool{}
	tries := 0
	for _, before := range g.ways {
		var choices []bool
		for range maxTries {
			tries++
			used := 0
			m := before.clone()
			m.maybe = func() bool {
				if used == len(choices) {
					choices = append(choices, false)
				}
				used++
				return choices[used-1]
			}
			for i := range m.blocks {
				m.blocks[i].chosen = unchosen
			}
			follow(m)
			m.read()
			if wrong := m.differs(seen); wrong != "" {
				wrongs = append(wrongs, wrong)
			} else if key := m.key(); !known[key] {
				known[key] = true
				right = append(right, m)
			}
			choices = choices[:used]
			if !slices.Contains(choices, false) || len(right) == maxWays || tries > maxTries {
				break
			}
			choices = next(choices)
		}
	}
	g.some = g.some || len(right) == maxWays
	if g.unclear = tries > maxTries || g.some && len(right) == 0; g.unclear {
		return
	}
	if len(right) == 0 {
		slices.Sort(wrongs)
		g.fail("after %s: %s", what, strings.Join(slices.Compact(wrongs), "\nor "))
		return
	}
	g.ways, g.m = right, right[0]
}

// maxWays is how many ways are followed, and maxTries how many are tried in one step.
const (
	maxWays  = 64
	maxTries = 5000
)

// next makes the last choice that can be made otherwise otherwise, and forgets those after it.
func next(choices []bool) []bool {
	n := len(choices)
	for choices[n-1] {
		n--
	}
	choices = slices.Clone(choices[:n])
	choices[n-1] = true
	return choices
}

// key is what of a model has an influence on what follows.
func (m *model) key() string {
	var out strings.Builder
	fmt.Fprint(&out, m.doc, m.eol, m.past, m.future, m.steps, m.hunks, m.cursor)
	for _, b := range m.blocks {
		fmt.Fprint(&out, b.side, b.eolWas != nil, b.beside, b.maybe)
	}
	return out.String()
}

// String shows the blocks where they are.
func (m *model) String() string {
	var out strings.Builder
	for i, gap := range m.gaps {
		for _, line := range gap {
			fmt.Fprintf(&out, "  %q\n", line)
		}
		if i < len(m.places) {
			p, b := m.places[i], m.blocks[i]
			fmt.Fprintf(&out, "  -- hunk %d: %q -> %q, head %d, tail %d, turned %v, maybe lost %v, %v\n", b.hunk+1, b.old, b.new,
				p.head, p.tail, p.turned, b.maybe, b.beside)
			for _, line := range p.lines {
				fmt.Fprintf(&out, "  | %q\n", line)
			}
		}
	}
	return out.String()
}

// differs says what is not as the model says, or nothing.
func (m *model) differs(seen sight) string {
	if seen.ended || m.ended {
		if seen.ended && m.ended {
			return ""
		}
		return fmt.Sprintf("the review has ended: %v, should have: %v", seen.ended, m.ended)
	}
	if m.anyEOL && strings.TrimSuffix(seen.text, "\n") == strings.TrimSuffix(m.text(), "\n") {
		m.eol = seen.eol
	}
	if text := m.text(); seen.text != text {
		return fmt.Sprintf("the text is\n%q\nshould be\n%q", seen.text, text)
	}
	count := map[hunks.State]int{}
	for i, h := range m.hunks {
		if hunks.State(seen.states[i]) != h.state || seen.edited[i] != h.edited {
			return fmt.Sprintf("hunk %d is %s, edited %v; should be %s, edited %v", i+1, seen.states[i], seen.edited[i], h.state, h.edited)
		}
		mark := "[" + strings.ToUpper(string(h.state))
		if h.state == hunks.Pending {
			mark = ""
		}
		if !strings.HasPrefix(seen.marks[i], mark) || mark == "" && seen.marks[i] != "" {
			return fmt.Sprintf("hunk %d is marked %q, should be %q", i+1, seen.marks[i], mark)
		}
		count[h.state]++
	}
	progress := fmt.Sprintf("Progress: %d/%d applied, %d rejected, %d pending", count[hunks.Applied], len(m.hunks),
		count[hunks.Rejected], count[hunks.Pending])
	if n := count[hunks.Conflict]; n > 0 {
		progress += fmt.Sprintf(", %d conflict", n)
	}
	counts := []int{len(m.hunks), count[hunks.Applied], count[hunks.Rejected], count[hunks.Pending], count[hunks.Conflict]}
	switch {
	case seen.progress != progress:
		return fmt.Sprintf("the progress line is %q, should be %q", seen.progress, progress)
	case !slices.Equal(seen.counts, counts):
		return fmt.Sprintf("b:agent_diff counts %v, should be %v", seen.counts, counts)
	case seen.cursor != m.cursor:
		return fmt.Sprintf("the cursor is on hunk %d, should be on %d", seen.cursor, m.cursor)
	}
	return ""
}

// end ends the review, and looks at what is answered and written.
func (g *game) end() {
	switch g.rand.IntN(3) {
	case 0:
		g.step("A", func(m *model) { m.decideAll(hunks.Accept, hunks.Pending, hunks.Conflict) }, func() { g.r.do("press", "A") })
	case 1:
		g.step("R", func(m *model) { m.decideAll(hunks.Reject, hunks.Pending, hunks.Conflict, hunks.Applied) },
			func() { g.r.do("press", "R") })
	}
	if !g.m.ended && !g.unclear {
		g.step("qy", func(m *model) { m.ended = true }, func() { g.r.do("press", "qy") })
	}
	if g.t.Failed() || g.unclear {
		return
	}
	out, err := g.r.outcome()
	disk, readErr := os.ReadFile(g.r.path)
	if readErr != nil {
		g.t.Fatal(readErr)
	}
	var wrongs []string
	for _, m := range g.ways {
		wrong := g.answered(m, out, err, string(disk))
		if wrong == "" {
			return
		}
		wrongs = append(wrongs, wrong)
	}
	g.fail("at the end: %s", strings.Join(wrongs, "\nor "))
}

// answered says what in the answer, or on the disk, is not as the model says.
func (g *game) answered(m *model, out *review.Outcome, err error, disk string) string {
	count := map[hunks.State]int{}
	for _, h := range m.hunks {
		count[h.state]++
	}
	var failed *review.Error
	accepted := count[hunks.Applied] > 0
	if !accepted && count[hunks.Conflict] > 0 {
		if !errors.As(err, &failed) || failed.Code != review.StaleOriginal {
			return fmt.Sprintf("the user accepted and nothing fitted: %+v, %v", out, err)
		}
		return ""
	}
	if err != nil {
		return err.Error()
	}
	if accepted && m.text() == g.r.patch.Base.Body {
		return "the text is the one that the review began with, and something is applied"
	}
	file := out.Files[0]
	for i, h := range file.Hunks {
		if m := m.hunks[i]; h.State != m.state || h.Edited != m.edited {
			return fmt.Sprintf("hunk %d is reported %+v, should be %+v", i+1, h, m)
		}
	}
	if !accepted && g.wrote {
		return "" // what was saved and then taken back is written again: the stories of saving hold that
	}
	if file.Saved != accepted {
		return fmt.Sprintf("saved is %v (%s), accepted %v", file.Saved, file.Unsaved, accepted)
	}
	want := g.disk
	if accepted {
		want = m.text() // our own write adds no final newline
	}
	if disk != want {
		return fmt.Sprintf("the disk holds\n%q\nshould hold\n%q", disk, want)
	}
	composed := g.r.patch.Compose(func(id int) bool { return m.hunks[id-1].state == hunks.Applied })
	if last := m.text(); (file.UserDiff == "") != (composed == last) {
		return fmt.Sprintf("the composed text is\n%q\nand the file\n%q\nthe person's changes:\n%s", composed, last, file.UserDiff)
	}
	return ""
}

func (g *game) save() {
	g.saved, g.savedEOL, g.disk = g.m.doc.clone(), g.m.eol || g.m.fixEOL, g.m.written()
}
