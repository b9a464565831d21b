package review

import (
	"strings"

	"nvim-agent-diff/hunks"
)

// The texts by which an agent is told that a person has said no. They are part of the contract.
const (
	// RejectedText begins it; its argument is the path.
	RejectedText = `✗ REJECTED: User explicitly declined changes to %s

`
	// StopText follows when the person has said nothing more.
	StopText = `STOP: Do NOT retry or propose alternative changes. The user has made a
deliberate decision to reject this edit. Report to the user that the
changes were not applied and ask if they would like to proceed differently.
`
	// StopOtherwiseText follows when the person has commented; the comments come next.
	StopOtherwiseText = `STOP: Do NOT retry this edit as it is. The user asks for something else:
`
)

// Text says what became of the hunk. show makes the reason of a conflict fit to be seen; kept says where the text of a hunk is
// that is not marked as applied.
func (h *HunkOutcome) Text(show func(string) string, kept string) string {
	s := map[hunks.State]string{
		hunks.Applied: "applied", hunks.Rejected: "rejected", hunks.Pending: "undecided, not applied", hunks.Conflict: "in conflict, not applied",
	}[h.State]
	if h.State == hunks.Conflict && h.Reason != "" {
		s += ": " + show(strings.TrimSuffix(h.Reason, "."))
	}
	if h.StillInBuffer && h.State != hunks.Applied {
		s = strings.TrimSuffix(s, ", not applied") + ", " + kept
	}
	if h.Partial {
		s += ", a part of a proposed hunk"
	}
	if h.Edited {
		s += ", edited by the user"
	}
	return s
}
