package bridge

import (
	"context"
	"slices"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// A person may decide on less than a hunk, or in their own words: then hunks are cut otherwise. The keys that do it are
// Lua's, and how hunks can be cut is known here. Lua asks and waits, so that keys typed ahead find the new hunks; when the
// answer is late it stays with the old ones. So what counts is whether Lua takes the answer.

// cut is the layouts of some files before a cut.
type cut map[*sessionFile]layout

// cutting is a cut that is being made.
type cutting struct {
	session *session
	to      cut // the layouts that there shall be
	added   []*sessionHunk
	from    map[int]int // by the id of an added hunk, the one that it was cut from
	back    bool
	recut   wireRecut
}

// cut does what the person wishes: {how = "split", hunk}, {how = "lines", hunks = {{hunk, rows}, ...}},
// {how = "edit", hunk, lines}, {how = "text", hunk} or {how = "back"}.
func (s *session) cut(ctx context.Context, token int, wish Value) {
	c := &cutting{
		session: s, to: cut{}, from: map[int]int{},
		recut: wireRecut{Token: token, Chosen: []int{}, Text: []string{}},
	}
	switch wish.Key("how").Text() {
	case "split":
		c.split(wish.Key("hunk").Int())
	case "lines":
		c.lines(wish.Key("hunks").List())
	case "edit":
		c.edit(wish.Key("hunk").Int(), wish.Key("lines").Texts())
	case "text":
		if h, l, _ := c.find(wish.Key("hunk").Int()); h != nil {
			if c.recut.Text = l.patch.NewLines(h.hunk.ID); c.recut.Text == nil {
				c.recut.Why, c.recut.Text = "this hunk has no place in the file, so it cannot be edited", []string{}
			}
		}
	case "back":
		if n := len(s.cuts); n > 0 {
			c.to, c.back = s.cuts[n-1], true
		}
	}
	if len(c.to) > 0 {
		c.recut.Open = c.drawing()
	}
	var taken Value
	if s.editor.call(ctx, nil, &taken, "recut", s.ref, c.recut) == nil && taken.Bool() && len(c.to) > 0 {
		c.commit()
	}
}

// drawing is the review as it shall be.
func (c *cutting) drawing() *wireOpen {
	open := c.session.drawing(c.to, func(h *sessionHunk) bool { return h.id < len(c.session.hunks) })
	for i := range open.Files {
		open.Files[i].Text = nil
		for j := range open.Files[i].Hunks {
			h := &open.Files[i].Hunks[j]
			if from, added := c.from[h.ID]; added {
				h.From = &from
			}
		}
	}
	return &open
}

// commit makes the cut.
func (c *cutting) commit() {
	s, before := c.session, cut{}
	for f, l := range c.to {
		before[f], f.layout = f.layout, l
		for i, h := range f.hunks {
			h.index = i + 1
			h.hunk = l.lines(i)
		}
	}
	s.hunks = append(s.hunks, c.added...)
	if c.back {
		s.cuts = s.cuts[:len(s.cuts)-1]
	} else {
		s.cuts = append(s.cuts, before)
	}
}

// lines is the patch's hunk that is decided on at an index; nil where only the file as a whole changes.
func (l layout) lines(i int) *hunks.Hunk {
	if l.hunks[i].whole != nil {
		return l.hunks[i].hunk
	}
	return l.patch.Hunks[i-len(l.patch.Whole)]
}

// find is the hunk with an id, and a layout to change in which it has this index. It is nil when there is no such hunk, or
// when it cannot be cut.
func (c *cutting) find(id int) (h *sessionHunk, l layout, i int) {
	if id < 0 || id >= len(c.session.hunks) {
		return nil, l, 0
	}
	h = c.session.hunks[id]
	l, changed := c.to[h.file]
	if !changed {
		l = layout{patch: h.file.patch.Clone(), hunks: slices.Clone(h.file.hunks)}
	}
	i = slices.Index(l.hunks, h)
	switch {
	case h.whole != nil:
		c.recut.Why = "what happens to a file as a whole cannot be divided"
		return nil, l, 0
	case i < 0:
		return nil, l, 0
	}
	return h, l, i
}

// replace puts new hunks of the layout's patch in the place of the one at index i.
func (c *cutting) replace(l layout, i, n int, edited bool) {
	old, first := l.hunks[i], i-len(l.patch.Whole)
	origin := old.origin
	if origin == nil {
		origin = old
	}
	parts := make([]*sessionHunk, n)
	for k := range parts {
		parts[k] = &sessionHunk{
			file: old.file, id: len(c.session.hunks) + len(c.added), hunk: l.patch.Hunks[first+k], state: old.state,
			origin: origin, edited: old.edited || edited,
		}
		c.from[parts[k].id] = old.id
		c.added = append(c.added, parts[k])
	}
	l.hunks = slices.Replace(l.hunks, i, i+1, parts...)
	c.to[old.file] = l
}

func (c *cutting) split(id int) {
	h, l, i := c.find(id)
	if h == nil {
		return
	}
	parts := l.patch.Split(h.hunk.ID)
	if parts == nil {
		c.recut.Why = "this hunk cannot be split further; select lines and accept or reject them"
		return
	}
	c.replace(l, i, len(parts), false)
}

// lines divides hunks in the rows that were selected of them and the rest.
func (c *cutting) lines(selected []Value) {
	changes := make([][]int, len(selected))
	for k, v := range selected {
		// Before anything is divided: then other rows are shown.
		if h, l, _ := c.find(v.At(0).Int()); h != nil {
			var rows []int
			for _, row := range v.At(1).List() {
				rows = append(rows, row.Int())
			}
			changes[k] = l.patch.ChangesAt(h.hunk.ID, rows)
		}
	}
	for k, v := range selected {
		c.divide(v.At(0).Int(), changes[k])
	}
}

// divide divides a hunk in some of its changes and the rest.
func (c *cutting) divide(id int, changes []int) {
	h, l, i := c.find(id)
	if h == nil {
		return
	}
	chosen, rest := l.patch.SplitLines(h.hunk.ID, changes)
	if chosen == nil {
		c.recut.Why = "its last line has no newline, so it is decided as a whole"
		if !h.hunk.Placed() {
			c.recut.Why = "it has no place in the file, so it is decided as a whole"
		}
		c.recut.Chosen = append(c.recut.Chosen, id)
		return
	}
	n := len(chosen) + len(rest)
	c.replace(l, i, n, false)
	for _, part := range c.to[h.file].hunks[i : i+n] {
		if slices.Contains(chosen, part.hunk) {
			c.recut.Chosen = append(c.recut.Chosen, part.id)
		}
	}
}

// edit puts the person's text in the place of a hunk's.
func (c *cutting) edit(id int, lines []string) {
	h, l, i := c.find(id)
	if h == nil {
		return
	}
	if l.patch.Rewrite(h.hunk.ID, lines) == nil {
		c.recut.Why = "this is the text as it was before: reject the hunk instead"
		return
	}
	c.replace(l, i, 1, true)
}

// markPartial marks the parts of a hunk that the agent proposed, when only some of them are applied.
func (f *sessionFile) markPartial(out *review.FileOutcome) {
	some, others := map[*sessionHunk]bool{}, map[*sessionHunk]bool{}
	for i := range out.Hunks {
		switch origin := f.hunks[i].origin; {
		case origin == nil:
		case out.Hunks[i].State == hunks.Applied || out.Hunks[i].StillInBuffer:
			some[origin] = true
		default:
			others[origin] = true
		}
	}
	for i := range out.Hunks {
		origin := f.hunks[i].origin
		out.Hunks[i].Partial = some[origin] && others[origin]
	}
}
