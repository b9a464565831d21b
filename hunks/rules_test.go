package hunks

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

var (
	states = []State{Pending, Applied, Rejected, Conflict}
	verbs  = []Verb{Accept, Reject, Toggle}
	fits   = []Fit{FitOld, FitNew, FitNeither}
)

// step is the row of Rules for a hunk in state from, whose place in the source fits f, when a person does v.
func step(from State, v Verb, f Fit) Rule {
	for _, r := range Rules {
		if r.From == from && r.Verb == v && r.Fit == f {
			return r
		}
	}
	panic(fmt.Sprintf("no rule for %s %s %s", from, v, f))
}

func TestRulesAreComplete(t *testing.T) {
	type key struct {
		s State
		v Verb
		f Fit
	}
	seen := map[key]bool{}
	for _, r := range Rules {
		k := key{r.From, r.Verb, r.Fit}
		if seen[k] {
			t.Errorf("%v is there twice", k)
		}
		seen[k] = true
	}
	for _, s := range states {
		for _, v := range verbs {
			for _, f := range fits {
				if !seen[key{s, v, f}] {
					t.Errorf("%s %s %s has no row", s, v, f)
				}
			}
		}
	}
	if len(Rules) != len(states)*len(verbs)*len(fits) {
		t.Errorf("%d rows", len(Rules))
	}
}

// TestStepIsTheContract has the contract's table, row by row.
func TestStepIsTheContract(t *testing.T) {
	for _, row := range []struct {
		from   State
		verb   Verb
		fit    Fit
		action Action
		to     State
	}{
		{Pending, Accept, FitOld, Apply, Applied},
		{Pending, Toggle, FitOld, Apply, Applied},
		{Pending, Reject, FitOld, Keep, Rejected},
		{Rejected, Accept, FitOld, Apply, Applied},
		{Rejected, Toggle, FitOld, Apply, Applied},
		{Rejected, Reject, FitOld, Keep, Rejected},
		{Applied, Reject, FitNew, Revert, Rejected},
		{Applied, Toggle, FitNew, Revert, Pending},
		{Applied, Accept, FitNew, Keep, Applied},
		{Applied, Reject, FitNeither, Refuse, Applied},
		{Applied, Toggle, FitNeither, Refuse, Applied},
		{Pending, Accept, FitNeither, Refuse, Conflict},
		{Rejected, Toggle, FitNeither, Refuse, Conflict},
		{Conflict, Accept, FitNeither, Refuse, Conflict},
		{Conflict, Accept, FitOld, Apply, Applied},
		{Conflict, Toggle, FitOld, Apply, Applied},
		{Conflict, Reject, FitOld, Keep, Rejected},
		{Conflict, Reject, FitNeither, Keep, Rejected},
	} {
		got := step(row.from, row.verb, row.fit)
		if got.Action != row.action || got.To != row.to {
			t.Errorf("%s %s %s: %s to %s, want %s to %s", row.from, row.verb, row.fit, got.Action, got.To, row.action, row.to)
		}
	}
}

// TestRulesTellTheTruth: after any row, the state says what the text is.
func TestRulesTellTheTruth(t *testing.T) {
	for _, r := range Rules {
		after := r.Fit
		switch r.Action {
		case Apply:
			if r.Fit != FitOld {
				t.Errorf("%+v applies over other text", r)
			}
			after = FitNew
		case Revert:
			if r.Fit != FitNew {
				t.Errorf("%+v reverts other text", r)
			}
			after = FitOld
		}
		if r.To == Applied && after == FitOld || r.To != Applied && after == FitNew {
			t.Errorf("%+v leaves the %s text", r, after)
		}
		if r.To == Conflict && r.Action != Refuse {
			t.Errorf("%+v makes a conflict of a success", r)
		}
	}
}

func TestObserve(t *testing.T) {
	for _, s := range states {
		for _, before := range []State{Pending, Rejected} {
			if got := Observe(s, before, FitNew); got != Applied {
				t.Errorf("%s with the new text is %s", s, got)
			}
			if got := Observe(s, before, FitNeither); got != s {
				t.Errorf("%s with neither text is %s", s, got)
			}
			want := s
			if s == Applied {
				want = before
			}
			if got := Observe(s, before, FitOld); got != want {
				t.Errorf("%s with the old text is %s", s, got)
			}
		}
	}
}

// TestDecisionOrder: each hunk's end depends on its own decisions only, so the order among hunks does not matter.
func TestDecisionOrder(t *testing.T) {
	type key struct {
		hunk int
		verb Verb
	}
	for seed := range 500 {
		r := rand.New(rand.NewPCG(2, uint64(seed)))
		p := randomPatch(r, 40)
		var keys []key
		for range 3 * len(p.Hunks) {
			keys = append(keys, key{1 + r.IntN(len(p.Hunks)), verbs[r.IntN(3)]})
		}
		play := func(keys []key) string {
			states := map[int]State{}
			for _, k := range keys {
				s, f := states[k.hunk], FitOld
				if s == "" {
					s = Pending
				}
				if s == Applied {
					f = FitNew
				}
				states[k.hunk] = step(s, k.verb, f).To
			}
			return p.Compose(func(id int) bool { return states[id] == Applied })
		}
		want := play(keys)
		byHunk := make([]key, 0, len(keys))
		for _, id := range r.Perm(len(p.Hunks)) {
			for _, k := range keys {
				if k.hunk == id+1 {
					byHunk = append(byHunk, k)
				}
			}
		}
		if got := play(byHunk); got != want {
			t.Fatalf("seed %d: %q, want %q", seed, got, want)
		}
	}
}
