package journal

import (
	"fmt"
	"strings"
	"time"

	"nvim-agent-diff/review"
	"nvim-agent-diff/visible"
)

// Text is the entry for a person to read: one line, and with diffs all of it. Nothing in it drives a terminal.
func (e *Entry) Text(diffs, ascii bool) string {
	line := func(s string) string { return visible.Line(s, ascii) }
	var out strings.Builder
	fmt.Fprintf(&out, "%s  %-8s  %s  %s", e.Time.Local().Format(time.DateTime), e.verdict(), line(e.who()), line(e.names()))
	if e.Description != "" {
		fmt.Fprintf(&out, "  %s", line(oneLine(e.Description)))
	}
	out.WriteByte('\n')
	if !diffs {
		return out.String()
	}
	for _, said := range append([]string{e.Error, labelled("Comment: ", e.Comment)}, e.Notes...) {
		if said != "" {
			out.WriteString("    " + line(oneLine(said)) + "\n")
		}
	}
	for i := range e.Files {
		f := &e.Files[i]
		if c := f.Hunks; c.Total > 0 {
			fmt.Fprintf(&out, "  %s: %d of %d hunks applied, %d rejected, %d undecided, %d in conflict%s\n",
				line(f.Path), c.Applied, c.Total, c.Rejected, c.Pending, c.Conflict, saved(f))
		}
		for _, comment := range f.Comments {
			out.WriteString("    Comment: " + line(oneLine(comment)) + "\n")
		}
		for _, diff := range []string{f.Proposed, labelled("What was really changed:\n", f.Applied)} {
			for text := range strings.Lines(diff) {
				out.WriteString(diffLine(text, ascii) + "\n")
			}
		}
	}
	if e.Cut {
		out.WriteString("  (the rest was too long to be kept)\n")
	}
	return out.String()
}

// diffLine is a line of a diff. Tabs stay, and a CR that ends it is not shown.
func diffLine(text string, ascii bool) string {
	pieces := strings.Split(strings.TrimRight(text, "\r\n"), "\t")
	for i := range pieces {
		pieces[i] = visible.Line(pieces[i], ascii)
	}
	return strings.Join(pieces, "\t")
}

// verdict is how it ended, in a word.
func (e *Entry) verdict() string {
	code, _, _ := strings.Cut(e.Error, ":")
	switch {
	case e.Error != "" && len(code) <= 24:
		return visible.Line(code, true)
	case e.Error != "":
		return "error"
	case e.Decision == review.Accepted:
		c := e.count()
		return fmt.Sprintf("accepted %d/%d", c.Applied, c.Total)
	}
	return string(e.Decision)
}

func (e *Entry) count() (c review.Count) {
	for i := range e.Files {
		c.Applied += e.Files[i].Hunks.Applied
		c.Total += e.Files[i].Hunks.Total
	}
	return c
}

func (e *Entry) who() string {
	if e.Agent == "" {
		return e.Tool
	}
	return e.Agent + " " + e.Tool
}

// names are the files' names, as far as there is room.
func (e *Entry) names() string {
	const most = 3
	var names []string
	for i := range e.Files {
		if i == most {
			return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), len(e.Files)-most)
		}
		names = append(names, e.Files[i].Path)
	}
	return strings.Join(names, ", ")
}

func saved(f *File) string {
	if f.Saved {
		return ", saved"
	}
	return ""
}

func labelled(label, text string) string {
	if text == "" {
		return ""
	}
	return label + text
}

func oneLine(text string) string {
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(strings.TrimRight(text, "\r\n"))
}
