package test

import (
	"fmt"
	"strings"
	"testing"
)

// Two proposals at once: both wait, they are shown in order, and each says where it is in the queue.
func TestInOrderOfArrival(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("b.txt", three())
		first := s.asked()
		second := s.propose("b.txt", three(), three(1), "the second")
		s.see("1/2")
		s.until("both are listed, the shown one first", `
			local there, agent_diff = pcall(require, 'agent_diff')
			local r = there and agent_diff.reviews() or {}
			return #r == 2 and r[1].description == 'count better' and r[2].description == 'the second'
				and require('agent_diff').statusline() ~= ''`)
		s.waiting(second)
		for _, said := range []string{"1/2", "review 1/2", "1/2"} { // side by side, in the file itself, one column
			s.pressed("<Tab>")
			s.see(said)
		}
		s.press("A")
		first.result().accepted("a.txt", true)
		s.see("the second")
		s.states(pending)
		s.waiting(second)
		s.press("R")
		second.result().rejected("b.txt")
		s.over()
	})
}

// One for the same file waits for its turn and is diffed against what the earlier left.
func TestSameFileTwice(t *testing.T) {
	forEachNvim(t, func(s *story) {
		first := s.asked()
		second := s.propose("a.txt", three(), three(1, 3), "the second")
		s.until("the second has no hunks yet", `
			local there, agent_diff = pcall(require, 'agent_diff')
			local r = there and agent_diff.reviews() or {}
			return #r == 2 and r[2].total == 0`)
		s.press("arr")
		s.states(applied, rejected, rejected)
		s.press("q")
		first.result().accepted("a.txt", true).hunks(1, 2, 0, 0)
		s.see("the second")
		s.states(pending) // hunk 1 is there already
		s.see("-line 27")
		s.press("A")
		second.result().accepted("a.txt", true).hunks(1, 0, 0, 0)
		s.fileIs("a.txt", three(1, 3))
		third := s.propose("a.txt", three(1), three(1, 3), "")
		third.result().failed("nothing_to_change")
	})
}

// Several agents at one Neovim know nothing of each other.
func TestSeveralAgents(t *testing.T) {
	forEachNvim(t, func(s *story) {
		const agents, each = 3, 4
		type sent struct {
			name string
			call *call
		}
		var calls []sent
		for a := range agents {
			agent := s.another()
			for i := range each {
				name := fmt.Sprintf("%d-%d.txt", a, i)
				s.file(name, three())
				calls = append(calls, sent{name, agent.propose(name, three(), three(1, 2), name)})
			}
		}
		s.reviews(agents * each)
		for range calls {
			s.states(pending, pending)
			s.press("arq")
			s.until("it is over", `local d = vim.b.agent_diff return not d or d.rejected == 0`)
		}
		for _, c := range calls {
			c.call.result().accepted(c.name, true).hunks(1, 1, 0, 0)
			s.fileIs(c.name, three(1))
		}
		s.over()
	})
}

// A proposal that waits in the queue can be taken back; the others go on.
func TestQueuedCancelled(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.file("b.txt", three())
		s.file("c.txt", three())
		first := s.asked()
		second := s.propose("b.txt", three(), three(1), "the second")
		third := s.propose("c.txt", three(), three(1), "the third")
		s.see("1/3")
		second.cancel()
		s.see("1/2")
		s.press("A")
		first.result().accepted("a.txt", true)
		s.see("the third")
		s.press("A")
		third.result().accepted("c.txt", true)
		s.fileIs("b.txt", three())
		s.over()
	})
}

// Progress every few seconds is what keeps clients waiting; it says what the waiting is for.
func TestProgress(t *testing.T) {
	t.Parallel() // progress is told every five seconds
	forEachNvim(t, func(s *story) {
		s.file("b.txt", three())
		first := s.asked()
		second := s.propose("b.txt", three(), three(1), "")
		second.progress("2")
		first.progress("")
		s.press("A")
		first.result()
		s.states(pending)
		s.press("A")
		second.result()
		last := -1.0
		s.agent.mu.Lock()
		notes := s.agent.notes
		s.agent.mu.Unlock()
		for _, n := range notes {
			if n.Method == "notifications/progress" && n.Params.ProgressToken == "p"+second.id {
				if n.Params.Progress <= last {
					s.t.Errorf("progress must increase: %v after %v", n.Params.Progress, last)
				}
				last = n.Params.Progress
				if strings.ContainsAny(n.Params.Message, "\n\x1b") {
					s.t.Errorf("one plain line: %q", n.Params.Message)
				}
			}
		}
	})
}
