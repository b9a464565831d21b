package hunks

// Verb is what a person does to a hunk.
type Verb string

// The verbs.
const (
	Accept Verb = "accept"
	Reject Verb = "reject"
	Toggle Verb = "toggle"
)

// Fit is what the source says at a hunk's place.
type Fit string

// The fits. An insertion fits only between the two lines it was proposed between.
const (
	FitOld     Fit = "old"     // every block's old text
	FitNew     Fit = "new"     // every block's new text
	FitNeither Fit = "neither" // anything else, or no place
)

// Action is what a decision does to the source.
type Action string

// The actions.
const (
	Keep   Action = "keep"   // nothing
	Apply  Action = "apply"  // old text becomes new text
	Revert Action = "revert" // new text becomes old text
	Refuse Action = "refuse" // nothing, and the person is told why
)

// Rule is one row of the state machine: in state From, at a place that fits Fit, Verb does Action and leads to To.
type Rule struct {
	From   State  `msgpack:"from"`
	Verb   Verb   `msgpack:"verb"`
	Fit    Fit    `msgpack:"fit"`
	Action Action `msgpack:"action"`
	To     State  `msgpack:"to"`
}

// Rules is the state machine of a hunk, complete: one row for each state, verb and fit. A state is what the text says, so
// the row to use depends on what the source has at the hunk's place at that moment.
var Rules = []Rule{
	{Pending, Accept, FitOld, Apply, Applied},
	{Pending, Accept, FitNew, Keep, Applied},
	{Pending, Accept, FitNeither, Refuse, Conflict},
	{Pending, Toggle, FitOld, Apply, Applied},
	{Pending, Toggle, FitNew, Keep, Applied},
	{Pending, Toggle, FitNeither, Refuse, Conflict},
	{Pending, Reject, FitOld, Keep, Rejected},
	{Pending, Reject, FitNew, Revert, Rejected},
	{Pending, Reject, FitNeither, Keep, Rejected},

	{Rejected, Accept, FitOld, Apply, Applied},
	{Rejected, Accept, FitNew, Keep, Applied},
	{Rejected, Accept, FitNeither, Refuse, Conflict},
	{Rejected, Toggle, FitOld, Apply, Applied},
	{Rejected, Toggle, FitNew, Keep, Applied},
	{Rejected, Toggle, FitNeither, Refuse, Conflict},
	{Rejected, Reject, FitOld, Keep, Rejected},
	{Rejected, Reject, FitNew, Revert, Rejected},
	{Rejected, Reject, FitNeither, Keep, Rejected},

	{Conflict, Accept, FitOld, Apply, Applied},
	{Conflict, Accept, FitNew, Keep, Applied},
	{Conflict, Accept, FitNeither, Refuse, Conflict},
	{Conflict, Toggle, FitOld, Apply, Applied},
	{Conflict, Toggle, FitNew, Keep, Applied},
	{Conflict, Toggle, FitNeither, Refuse, Conflict},
	{Conflict, Reject, FitOld, Keep, Rejected},
	{Conflict, Reject, FitNew, Revert, Rejected},
	{Conflict, Reject, FitNeither, Keep, Rejected},

	{Applied, Accept, FitOld, Apply, Applied},
	{Applied, Accept, FitNew, Keep, Applied},
	{Applied, Accept, FitNeither, Keep, Applied},
	{Applied, Toggle, FitOld, Apply, Applied}, // it was undone in the source, and so was pending
	{Applied, Toggle, FitNew, Revert, Pending},
	{Applied, Toggle, FitNeither, Refuse, Applied}, // its lines were edited since
	{Applied, Reject, FitOld, Keep, Rejected},
	{Applied, Reject, FitNew, Revert, Rejected},
	{Applied, Reject, FitNeither, Refuse, Applied}, // its lines were edited since
}

// Observe is the state of a hunk in state s after the source changed by itself (an undo, a formatter, an edit), whose
// place now fits f. before is the state that it had before it was applied, Pending or Rejected.
func Observe(s, before State, f Fit) State {
	switch {
	case f == FitNew:
		return Applied
	case f == FitOld && s == Applied:
		return before
	default:
		return s
	}
}
