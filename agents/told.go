package agents

import (
	"fmt"
	"strings"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
	"nvim-agent-diff/visible"
)

// shown is a one-line text of an agent's or a file's as it can be put into a sentence.
func shown(s string) string { return visible.Line(s, false) }

// comments are what the person has said, one item each.
func comments(out *review.Outcome) []string {
	var said []string
	if out.Comment != "" {
		said = append(said, "- "+indented(out.Comment))
	}
	for i := range out.Files {
		for _, h := range out.Files[i].Hunks {
			if h.Comment != "" {
				said = append(said, fmt.Sprintf("- on hunk %d of %s (%s): %s", h.Index, shown(out.Files[i].Path), shown(h.Header), indented(h.Comment)))
			}
		}
	}
	return said
}

// indented is a comment: one of several lines stays one item.
func indented(comment string) string {
	comment = strings.TrimRight(strings.ReplaceAll(comment, "\r\n", "\n"), "\n ")
	return strings.ReplaceAll(comment, "\n", "\n  ")
}

// Rejection is the reason of a call that a person has declined.
func Rejection(out *review.Outcome) string {
	var paths []string
	for i := range out.Files {
		paths = append(paths, shown(out.Files[i].Path))
	}
	var b strings.Builder
	fmt.Fprintf(&b, review.RejectedText, strings.Join(paths, ", "))
	if said := comments(out); len(said) > 0 {
		b.WriteString(review.StopOtherwiseText)
		b.WriteString(strings.Join(said, "\n") + "\n")
	} else {
		b.WriteString(review.StopText)
	}
	for i := range out.Files {
		diff(&b, "What the user would rather have in "+shown(out.Files[i].Path)+":", out.Files[i].UserDiff)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Note is what the model must be told of a call that goes on: what of it is not written, what is written in its place, and
// what the person has said. It is empty when all is as it was proposed.
func Note(out *review.Outcome) string {
	var b strings.Builder
	for i := range out.Files {
		f := &out.Files[i]
		if !changed(f) {
			continue
		}
		c := f.Count()
		fmt.Fprintf(&b, "The user has reviewed the edit of %s: %d of %d hunks applied, %d rejected, %d undecided, %d in conflict. ",
			shown(f.Path), c.Applied, c.Total, c.Rejected, c.Pending, c.Conflict)
		if f.Decision() == review.Accepted {
			b.WriteString("Only what was applied is written, not the edit as it was proposed. Do not propose the rest again unless the user asks for it.\n")
		} else {
			b.WriteString("Nothing of it is written. Do not propose it again unless the user asks for it.\n")
		}
		for _, h := range f.Hunks {
			if differs(&h) {
				fmt.Fprintf(&b, "- hunk %d (%s): %s\n", h.Index, shown(h.Header), state(h))
			}
		}
		diff(&b, "What is written, as a change of the file:", f.AppliedDiff)
		diff(&b, "What the user has changed besides, which is written too:", f.UserDiff)
	}
	if said := comments(out); len(said) > 0 {
		b.WriteString("The user says:\n" + strings.Join(said, "\n") + "\n")
	}
	for _, n := range out.Notes {
		b.WriteString(shown(n) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// changed says whether something else is written than was proposed.
func changed(f *review.FileOutcome) bool {
	if f.UserDiff != "" {
		return true
	}
	for i := range f.Hunks {
		if differs(&f.Hunks[i]) {
			return true
		}
	}
	return false
}

// differs says whether a hunk is not simply written.
func differs(h *review.HunkOutcome) bool { return h.State != hunks.Applied || h.Edited || h.Partial }

func state(h review.HunkOutcome) string { return h.Text(shown, "but its text is written") }

// What is told of a diff at most: an agent cuts what is long, or repeats it with every turn.
const (
	maxDiffLines = 200
	maxDiffBytes = 12_000
)

// diff adds a diff between fences, so that no line of it can be taken for a line of ours.
func diff(b *strings.Builder, title, diff string) {
	if diff == "" {
		return
	}
	fence := "```"
	for strings.Contains(diff, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "%s\n%sdiff\n", title, fence)
	size := 0
	for i, line := range strings.SplitAfter(strings.TrimSuffix(diff, "\n"), "\n") {
		if size += len(line); i == maxDiffLines || size > maxDiffBytes {
			b.WriteString("[diff truncated]\n")
			break
		}
		b.WriteString(line)
	}
	fmt.Fprintf(b, "\n%s\n", fence)
}
