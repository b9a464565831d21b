package prompt

import (
	"fmt"
	"strings"

	"nvim-agent-diff/hunks"
)

// How much of a text is shown at once, in lines of the terminal.
const (
	inLine  = 30  // fewer are all shown
	inPager = 100 // more go to the pager
	preview = 20  // of what is not all shown
)

// show draws a file's head and its diff.
func (s *sitting) show(index int, f *file) {
	title := f.Path
	if len(s.files) > 1 {
		title = fmt.Sprintf("%d/%d %s", index+1, len(s.files), f.Path)
	}
	s.print(title, s.head(f), f.diffRows())
}

// print draws rows in a frame: all of them, or the first ones. Very many are given to the pager before.
func (s *sitting) print(title string, head, rows []row) {
	fitted := s.look.fit(rows)
	if len(fitted) > inPager {
		s.terminal.page(s.look, s.look.whole(append(append([]row{{kind: fileName, text: title}}, head...), rows...)))
	}
	if more := len(fitted) - preview; len(fitted) >= inLine {
		fitted = append(fitted[:preview:preview],
			s.look.fit([]row{{kind: faint, text: fmt.Sprintf("%s %d more lines: v shows them", s.look.ellipsis(), more)}})...)
	}
	sections := [][]string{fitted}
	if len(head) > 0 {
		sections = [][]string{s.look.fit(head), fitted}
	}
	fmt.Fprint(s.terminal.tty, s.look.frame(title, sections...))
}

// head is what is said above the diff.
func (s *sitting) head(f *file) []row {
	var rows []row
	if s.proposal.Agent != "" {
		rows = append(rows, row{faint, "", fmt.Sprintf("Agent: %s (%s)", s.proposal.Agent, s.proposal.Tool)})
	}
	if s.proposal.Description != "" {
		breaks := strings.NewReplacer("\r\n", " ⏎ ", "\n", " ⏎ ")
		if s.look.ascii {
			breaks = strings.NewReplacer("\r\n", ` \n `, "\n", ` \n `)
		}
		rows = append(rows, row{plain, "", "Description: " + breaks.Replace(strings.TrimRight(s.proposal.Description, "\r\n"))})
	}
	if f.patch.Base.Missing {
		rows = append(rows, row{plain, "", "This will create the file."})
	}
	for _, notices := range [][]string{f.disk.notices, f.patch.Warnings, f.patch.Notes} {
		for _, notice := range notices {
			rows = append(rows, row{warning, "", notice})
		}
	}
	if f.hides() {
		rows = append(rows, row{warning, "", "CAREFUL: the new text holds characters that are invisible or turn the direction of writing."})
	}
	return rows
}

// diffRows are the lines of a file's diff. What a line is, its place in the diff says, and not its text.
func (f *file) diffRows() []row {
	printed := f.patch.Print(f.Name, f.Name)
	lines := strings.Split(strings.TrimSuffix(printed.Text, "\n"), "\n")
	var rows []row
	at := 0
	for i, span := range printed.Hunks {
		for ; at < span.Line; at++ {
			rows = append(rows, row{kind: fileName, text: lines[at]})
		}
		rows = append(rows, f.spanRows(f.patch.Hunks[i], lines[at:at+span.Lines])...)
		at += span.Lines
	}
	return rows
}

// hunkRows are the lines of one hunk.
func (f *file) hunkRows(h *hunks.Hunk) []row {
	printed := f.patch.Print(f.Name, f.Name)
	lines := strings.Split(printed.Text, "\n")
	for _, span := range printed.Hunks {
		if span.ID == h.ID {
			return f.spanRows(h, lines[span.Line:span.Line+span.Lines])
		}
	}
	return nil
}

// spanRows are a hunk's printed lines.
func (f *file) spanRows(h *hunks.Hunk, lines []string) []row {
	title := lines[0]
	switch m := f.marks[h.ID]; m.state {
	case hunks.Applied:
		title += " [ACCEPTED]"
	case hunks.Rejected:
		title += " [REJECTED]"
	case hunks.Conflict:
		title += " [CONFLICT: " + strings.TrimSuffix(h.Reason, ".") + "]"
	}
	rows := []row{{kind: header, text: title}}
	for _, line := range lines[1:] {
		rows = append(rows, f.lineRow(line))
	}
	return rows
}

// lineRow is a line of a hunk. A CR that belongs to the file's line ends is not shown.
func (f *file) lineRow(line string) row {
	mark, text := line[:1], line[1:]
	if f.patch.Base.CRLF {
		text = strings.TrimSuffix(text, "\r")
	}
	switch mark {
	case "+":
		return row{added, mark, text}
	case "-":
		return row{removed, mark, text}
	case " ":
		return row{unchanged, mark, text}
	}
	return row{kind: faint, text: line} // no newline at the end of the file
}

// viewRows are the whole file with the changes in it.
func (f *file) viewRows() []row {
	text := hunks.UnifiedLabels("", "", f.patch.Base, f.patch.Base.With(f.patch.Modified), strings.Count(f.patch.Base.Body, "\n")+1)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var rows []row
	for _, line := range lines[min(3, len(lines)):] {
		rows = append(rows, f.lineRow(line))
	}
	return rows
}
