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
	rows, _ := s.diff(f)
	if f.Call {
		rows = f.callRows()
	}
	s.print(title, s.head(f), rows)
}

// print draws rows in a frame: all of them, or the first ones. Very many are given to the pager before.
func (s *sitting) print(title string, head, rows []row) {
	fitted := s.look.fit(rows)
	if len(fitted) > inPager {
		all := append(append([]row{{kind: fileName, text: title}}, head...), rows...)
		s.terminal.page(s.look, s.terminal.inPager(s.look).whole(all))
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
	if f.patch.Base.Missing && len(f.patch.Whole) == 0 && !f.Call {
		rows = append(rows, row{plain, "", "This will create the file."})
	}
	for _, notices := range [][]string{f.disk.notices, f.patch.Warnings, f.patch.Notes, s.leftOut} {
		for _, notice := range notices {
			rows = append(rows, row{warning, "", notice})
		}
	}
	if f.hides() {
		rows = append(rows, row{warning, "", "CAREFUL: the new text holds characters that are invisible or turn the direction of writing."})
	}
	return rows
}

// diff is a file's diff: its lines, and where each part is in them.
func (s *sitting) diff(f *file) (rows []row, spans []hunks.Span) {
	printed := f.patch.Print(f.Name, f.Name)
	if len(f.patch.Whole) > 0 || len(s.files) > 1 {
		printed = f.patch.PrintGit(f.Name, f.newName())
	}
	lines := strings.Split(strings.TrimSuffix(printed.Text, "\n"), "\n")
	for _, line := range lines {
		rows = append(rows, row{kind: fileName, text: line})
	}
	// What a line is, its place in the diff says, and not its text.
	for _, span := range printed.Hunks {
		rows[span.Line].kind = header
		for i := span.Line + 1; i < span.Line+span.Lines; i++ {
			rows[i] = f.lineRow(lines[i])
		}
	}
	spans = append(append(spans, printed.Whole...), printed.Hunks...)[:len(f.parts)]
	for i, p := range f.parts {
		title := &rows[spans[i].Line]
		title.kind = header
		switch p.state {
		case hunks.Applied:
			title.text += " [ACCEPTED]"
		case hunks.Rejected:
			title.text += " [REJECTED]"
		case hunks.Conflict:
			title.text += " [CONFLICT: " + strings.TrimSuffix(p.reason, ".") + "]"
		case hunks.Pending:
		}
	}
	return rows, spans
}

// callRows are what a call says of itself.
func (f *file) callRows() []row {
	var rows []row
	for line := range strings.Lines(f.patch.Modified) {
		rows = append(rows, row{plain, " ", strings.TrimSuffix(line, "\n")})
	}
	return rows
}

// partRows are the lines of one part.
func (s *sitting) partRows(f *file, at int) []row {
	rows, spans := s.diff(f)
	return rows[spans[at].Line : spans[at].Line+spans[at].Lines]
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
	if text == "" { // no line changes
		for line := range strings.Lines(f.patch.Base.Body) {
			rows = append(rows, row{unchanged, " ", strings.TrimSuffix(line, "\n")})
		}
	}
	return rows
}
