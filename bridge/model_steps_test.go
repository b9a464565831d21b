package bridge

import (
	"slices"

	"nvim-agent-diff/hunks"
)

// begin remembers the text before a change: one undo step.
func (m *model) begin() { m.past, m.future = append(m.past, m.doc.clone()), nil }

// undo and redo are `u` and `<C-r>` in the source.
func (m *model) undo() { m.travel(&m.past, &m.future) }
func (m *model) redo() { m.travel(&m.future, &m.past) }

func (m *model) travel(from, to *[]doc) {
	if n := len(*from); n > 0 {
		now := m.doc
		m.doc, *from = (*from)[n-1].clone(), slices.Clone((*from)[:n-1])
		now.reread = m.reread
		*to = append(*to, now)
		if m.reread {
			m.replaced()
		}
	}
}

// insert adds lines above a row.
func (m *model) insert(row int, lines ...string) {
	for i := range m.places {
		p, start := &m.places[i], m.row(i)
		n := len(p.lines)
		if row < start || row > start+n {
			continue
		}
		at := row - start
		fit := m.fitBlock(i)
		switch inner := n - p.tail - p.head; {
		case fit != hunks.FitNeither && n > 0 && at == 0:
			m.gaps[i] = append(m.gaps[i], lines...)
			return
		case fit != hunks.FitNeither && n > 0 && at == n:
			m.gaps[i+1] = append(slices.Clone(lines), m.gaps[i+1]...)
			return
		case inner == 0 && at == p.head:
			p.turned = true
		case p.turned && at >= p.head && at <= n-p.tail:
		case at <= p.head:
			p.head += len(lines)
		case at >= n-p.tail:
			p.tail += len(lines)
		}
		p.lines = slices.Insert(p.lines, at, lines...)
		return
	}
	gap, _, at := m.at(row)
	m.gaps[gap] = slices.Insert(m.gaps[gap], at, lines...)
}

// remove takes rows away.
func (m *model) remove(first, last int) {
	for range last - first {
		gap, block, at := m.at(first)
		if block < 0 {
			m.gaps[gap] = slices.Delete(m.gaps[gap], at, at+1)
			continue
		}
		p := &m.places[block]
		n := len(p.lines)
		switch {
		case at < p.head:
			p.head--
		case at >= n-p.tail:
			p.tail--
		}
		p.lines = slices.Delete(p.lines, at, at+1)
		if n-1 == p.head+p.tail {
			p.turned = false
		}
	}
}

// set changes what one row says.
func (m *model) set(row int, line string) {
	if gap, block, at := m.at(row); block < 0 {
		m.gaps[gap][at] = line
	} else {
		m.places[block].lines[at] = line
	}
}

// press follows keys of the review.
func (m *model) press(keys []string) {
	for _, key := range keys {
		switch key {
		case "a":
			m.decide(hunks.Accept, m.cursor-1)
		case "r":
			m.decide(hunks.Reject, m.cursor-1)
		case "<Space>":
			m.decide(hunks.Toggle, m.cursor-1)
		case "u":
			m.takeBack()
		case "n":
			m.cursor = m.cursor%len(m.hunks) + 1
		case "p":
			m.cursor = (m.cursor+len(m.hunks)-2)%len(m.hunks) + 1
		}
	}
}

func (m *model) decide(verb hunks.Verb, hunk int) {
	before := m.doc.clone()
	step, ok := m.act(verb, hunk)
	m.keep(before, []modelStep{step})
	if ok && verb != hunks.Toggle {
		m.goOn()
	}
}

// decideAll is `A` or `R`.
func (m *model) decideAll(verb hunks.Verb, wanted ...hunks.State) {
	before := m.doc.clone()
	var steps []modelStep
	culprit := 0
	for i := range m.hunks {
		if slices.Contains(wanted, m.hunks[i].state) {
			step, ok := m.act(verb, i)
			steps = append(steps, step)
			if !ok && culprit == 0 {
				culprit = i + 1
			}
		}
	}
	m.keep(before, steps)
	if culprit > 0 {
		m.cursor = culprit
	}
	m.ended = culprit == 0
}

// keep remembers a decision for both undos.
func (m *model) keep(before doc, steps []modelStep) {
	if !slices.Equal(before.flat(), m.flat()) {
		m.past, m.future = append(m.past, before), nil
	}
	steps = slices.DeleteFunc(steps, func(s modelStep) bool {
		return s.action == "" && s.was.state == m.hunks[s.hunk].state
	})
	if len(steps) > 0 {
		m.steps = append(m.steps, steps)
	}
}

// goOn moves the cursor to the next undecided hunk.
func (m *model) goOn() {
	for i := range m.hunks {
		next := (m.cursor + i) % len(m.hunks)
		if m.hunks[next].state == hunks.Pending {
			m.cursor = next + 1
			return
		}
	}
}

// act does one verb to one hunk. ok is false where it is refused; nothing has changed then but a conflict's state.
func (m *model) act(verb hunks.Verb, hunk int) (step modelStep, ok bool) {
	h := &m.hunks[hunk]
	step = modelStep{hunk: hunk, was: *h}
	fit := m.fit(hunk)
	applied := h.state == hunks.Applied
	switch wantsNew := verb == hunks.Accept || verb == hunks.Toggle && !applied; {
	case wantsNew && fit == hunks.FitNeither && applied:
		h.edited = true
	case wantsNew && fit == hunks.FitNeither:
		m.settle(h, hunks.Conflict)
		return step, false
	case wantsNew:
		if fit == hunks.FitOld {
			if !m.change(hunk, hunks.FitNew) {
				m.settle(h, hunks.Conflict)
				return step, false
			}
			step.action = hunks.Apply
		}
		m.settle(h, hunks.Applied)
		h.edited = false
	case applied && fit == hunks.FitNeither:
		return step, false
	default:
		if fit == hunks.FitNew {
			if !m.change(hunk, hunks.FitOld) {
				return step, false
			}
			step.action = hunks.Revert
		}
		to := hunks.Rejected
		if verb == hunks.Toggle {
			to = hunks.Pending
		}
		m.settle(h, to)
	}
	return step, true
}

// change brings a hunk's blocks to one side; not where only the newline of a last line is to change that is not the last.
func (m *model) change(hunk int, side hunks.Fit) bool {
	for _, i := range m.hunks[hunk].blocks {
		if m.blocks[i].onlyEOL() && m.row(i)+len(m.places[i].lines) < len(m.flat()) {
			return false
		}
	}
	for _, i := range slices.Backward(m.hunks[hunk].blocks) {
		b := &m.blocks[i]
		m.places[i].lines = slices.Clone(b.text(side))
		b.maybe = false
		m.lookBeside(i)
		m.arrive(i, side)
	}
	return true
}

// takeBack is `u` in the review.
func (m *model) takeBack() {
	n := len(m.steps)
	if n == 0 {
		return
	}
	steps := m.steps[n-1]
	m.steps = slices.Clone(m.steps[:n-1])
	before := m.doc.clone()
	for _, s := range slices.Backward(steps) {
		m.takeBackStep(s)
	}
	if !slices.Equal(before.flat(), m.flat()) {
		m.past, m.future = append(m.past, before), nil
	}
	m.cursor = steps[0].hunk + 1
}

func (m *model) takeBackStep(s modelStep) {
	if s.action != "" {
		done, undone := hunks.FitNew, hunks.FitOld
		if s.action == hunks.Revert {
			done, undone = undone, done
		}
		switch fit := m.fit(s.hunk); {
		case fit == hunks.FitNeither:
			return
		case fit == done && !m.change(s.hunk, undone):
			return
		}
	}
	m.hunks[s.hunk] = s.was
	m.readHunk(s.hunk, m.fit(s.hunk))
}
