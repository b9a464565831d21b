package tools

import (
	"fmt"
	"slices"
	"strings"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// acceptedText begins a result. It is part of the contract.
const acceptedText = `✓ Changes accepted and applied to %s

%s
`

// unappliedText begins what is said of one file of several when its changes could not be applied. Of a single file that
// is an error.
const unappliedText = `✗ Not applied to %s: the file has changed, or it could not be done; see below why.
This is not a decision of the user. Read the file again and propose again what is still wanted.
`

// What of an accepted change was changed, and where it is now.
const (
	bufferSaved   = "The buffer has been updated with your proposed changes. The file has been saved."
	bufferUnsaved = "The buffer has been updated with your proposed changes. Save the buffer when ready."
	directSaved   = "The file has been updated with your proposed changes. The file has been saved."
)

// report is what the agent is told about a review of one file, which is one of so many.
func report(f *review.FileOutcome, comment string, notes []string, of files) string {
	var out strings.Builder
	r := reporter{out: &out, file: f, comment: comment, of: of}
	r.head()
	r.hunks()
	if of.brief() && f.AppliedDiff+f.UserDiff+f.FormatDiff != "" {
		r.line("It holds other changes than proposed: read it.")
	} else {
		r.diff("What was really changed in the file:", f.AppliedDiff, of.share(appliedLimit))
		r.diff("What the user changed besides, during the review:", f.UserDiff, of.share(otherLimit))
		r.diff("What saving changed further (formatting on save):", f.FormatDiff, of.share(otherLimit))
	}
	r.diagnostics()
	r.notes(notes)
	return out.String()
}

type reporter struct {
	out     *strings.Builder
	file    *review.FileOutcome
	comment string
	of      files
}

func (r reporter) line(format string, args ...any) {
	fmt.Fprintf(r.out, format, args...)
	r.out.WriteByte('\n')
}

func (r reporter) head() {
	f := r.file
	if f.Decision() == review.Accepted {
		fmt.Fprintf(r.out, acceptedText, shown(f.Path), r.done())
		return
	}
	if r.of > oneFile && unapplied(f) {
		fmt.Fprintf(r.out, unappliedText, shown(f.Path))
		return
	}
	fmt.Fprintf(r.out, review.RejectedText, shown(f.Path))
	if r.of.brief() {
		return // it is said once for all files
	}
	if !r.commented() {
		r.out.WriteString(review.StopText)
		return
	}
	r.out.WriteString(review.StopOtherwiseText)
	if r.comment != "" {
		r.line("- %s", quoted(r.comment))
	}
	for i := range f.Hunks {
		if h := &f.Hunks[i]; h.Comment != "" {
			r.line("- on hunk %d (%s): %s", h.Index, shown(h.Header), quoted(h.Comment))
		}
	}
}

// done says what the accepted hunks did: to the lines, and to the file as a whole.
func (r reporter) done() string {
	f := r.file
	var done []string
	if slices.ContainsFunc(f.Hunks, func(h review.HunkOutcome) bool { return !h.Whole && h.InSource() }) {
		where := bufferUnsaved
		switch {
		case f.Direct && f.Saved:
			where = directSaved
		case f.Saved:
			where = bufferSaved
		}
		done = append(done, where)
	}
	for _, change := range moves(f) {
		done = append(done, "The file was "+change+".")
	}
	if f.Mode != 0 {
		done = append(done, fmt.Sprintf("Its mode is now %06o.", f.Mode))
	}
	return strings.Join(done, "\n")
}

// unapplied says whether nothing was changed in a file although nobody declined it.
func unapplied(f *review.FileOutcome) bool {
	all, tried := true, false
	for i := range f.Hunks {
		all = all && f.Hunks[i].State == hunks.Conflict
		tried = tried || f.Hunks[i].Tried
	}
	return tried || all
}

// moves are what was done to a file as a whole, but for its mode.
func moves(f *review.FileOutcome) (list []string) {
	if f.Created {
		list = append(list, "created")
	}
	if f.Deleted {
		list = append(list, "deleted")
	}
	if f.RenamedTo != "" {
		list = append(list, "renamed to "+shown(f.RenamedTo))
	}
	return list
}

// commented says whether the person said anything.
func (r reporter) commented() bool {
	said := r.comment != ""
	for i := range r.file.Hunks {
		said = said || r.file.Hunks[i].Comment != ""
	}
	return said
}

// hunks counts the hunks, and names those that were not applied as proposed.
func (r reporter) hunks() {
	c := r.file.Count()
	r.line("")
	r.line("%d of %d hunks applied, %d rejected, %d undecided, %d in conflict.", c.Applied, c.Total, c.Rejected, c.Pending, c.Conflict)
	listed, more := 0, 0
	for i := range r.file.Hunks {
		h := &r.file.Hunks[i]
		switch {
		case asProposed(h):
		case listed == r.of.hunkResults():
			more++
		default:
			listed++
			r.line("- hunk %d (%s): %s", h.Index, shown(h.Header), hunkState(h))
		}
	}
	if more > 0 {
		r.line("- and %d more that were not applied as proposed", more)
	}
	if r.comment != "" && r.file.Decision() == review.Accepted {
		r.line("The user's comment: %s", quoted(r.comment))
	}
}

// hunkState says what became of a hunk.
func hunkState(h *review.HunkOutcome) string {
	s := h.Text(shown, "but its text is still in the buffer")
	if h.Comment != "" {
		s += ". Comment: " + quoted(h.Comment)
	}
	return s
}

// quoted is a person's comment: one of several lines is indented, so that it stays one item.
func quoted(comment string) string {
	comment = strings.TrimRight(strings.ReplaceAll(comment, "\r\n", "\n"), "\n ")
	return strings.ReplaceAll(comment, "\n", "\n  ")
}

// diff shows a diff between fences, so that no line of it can be taken for a line of the report.
func (r reporter) diff(title, diff string, limit diffLimit) {
	if diff == "" {
		return
	}
	diff = cut(diff, limit)
	fence := "```"
	for strings.Contains(diff, fence) {
		fence += "`"
	}
	r.line("\n%s\n%sdiff\n%s\n%s", title, fence, strings.TrimSuffix(diff, "\n"), fence)
}

// diagnostics are what the editor reports, one line each.
func (r reporter) diagnostics() {
	if len(r.file.Diagnostics) == 0 {
		return
	}
	r.line("\nThe editor now reports:")
	for _, d := range r.file.Diagnostics {
		message := strings.Join(strings.Fields(Visible(d.Message)), " ")
		if d.Source != "" {
			message += " (" + shown(d.Source) + ")"
		}
		r.line("- line %d: %s: %s", d.Line, d.Severity, message)
	}
}

// notes are the further facts.
func (r reporter) notes(notes []string) {
	var all []string
	if f := r.file; !f.Saved && f.Unsaved != "" {
		all = append(all, "Not saved: "+f.Unsaved)
	}
	all = append(all, r.file.Notes...)
	all = append(all, notes...)
	if len(all) > 0 {
		r.line("")
	}
	for _, note := range all {
		r.line("%s", shown(note))
	}
}

// diffLimit is how much of a diff is told.
type diffLimit struct{ lines, bytes int }

// A result has to stay well under what the clients cut at, of which the strictest known takes 25,000 tokens, with
// everything in it twice: in the text and in the structure.
var (
	appliedLimit = diffLimit{200, 16_000}
	otherLimit   = diffLimit{100, 6_000}
)

// files is how many files share a result.
type files int

const oneFile files = 1

// brief says whether there are so many that of each only the most important is told.
func (n files) brief() bool { return n > 20 }

// share is what each file gets of a limit. What is told of several files is in the structure once more.
func (n files) share(l diffLimit) diffLimit {
	switch {
	case n.brief():
		return diffLimit{}
	case n > oneFile:
		return diffLimit{l.lines / int(2*n), l.bytes / int(2*n)}
	}
	return l
}

// hunkResults is how many hunks of each file are listed.
func (n files) hunkResults() int {
	if n == oneFile {
		return maxHunkResults
	}
	return maxHunkResults / int(2*n)
}

// cut is at most limit of a diff, whole lines, with a last line that says so when some are missing.
func cut(diff string, limit diffLimit) string {
	end, lines := 0, 0
	for end < len(diff) && lines < limit.lines {
		n := indexNewline([]byte(diff[end:min(len(diff), end+limit.bytes+1)])) + 1
		if n == 0 {
			n = len(diff) - end
		}
		if end+n > limit.bytes {
			break
		}
		end += n
		lines++
	}
	if end == len(diff) {
		return diff
	}
	total := strings.Count(strings.TrimSuffix(diff, "\n"), "\n") + 1
	return diff[:end] + fmt.Sprintf("[diff truncated: %d of %d lines shown]\n", lines, total)
}
