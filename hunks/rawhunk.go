package hunks

import (
	"strconv"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// hunkHeader is what a "@@" line says; -1 is a number that it does not say.
type hunkHeader struct {
	oldStart, oldLines, newLines int
	anchor                       string
}

var unsaid = hunkHeader{oldStart: -1, oldLines: -1, newLines: -1}

// readHunk reads a hunk from its "@@" line.
func (r *patchReader) readHunk() error {
	if r.open == nil {
		return r.fail(PatchSyntax, r.at, "a hunk comes before any file name.", adviceHeader)
	}
	line := r.head(r.at)
	if strings.HasPrefix(line, "@@@") {
		return r.fail(PatchUnsupported, r.at, "it is the combined diff of a merge.", "Write the diff against the file as it is now.")
	}
	h := RawHunk{Line: r.at + 1}
	for {
		head := readHunkHeader(line)
		if head.anchor != "" {
			h.Anchors = append(h.Anchors, head.anchor)
		}
		r.at++
		// Codex nests anchors: a class on one line, its method on the next.
		if line = r.head(r.at); head.oldStart >= 0 || head.anchor == "" || !strings.HasPrefix(line, "@@") {
			return r.readLines(h, head)
		}
	}
}

// readHunkHeader takes what it finds of "@@ -LINE,COUNT +LINE,COUNT @@ anchor". What is no range is an anchor.
func readHunkHeader(line string) hunkHeader {
	rest := strings.TrimPrefix(line, "@@")
	ranges, section, closed := strings.Cut(rest, "@@")
	fields := strings.Fields(ranges)
	h := unsaid
	if start, lines, ok := readRange(fields, 0, "-"); ok {
		h.oldStart, h.oldLines = start, lines
		if _, lines, ok := readRange(fields, 1, "+"); ok {
			h.newLines = lines
		}
		h.anchor = trimAnchor(section)
		return h
	}
	switch {
	case !closed, trimAnchor(section) != "" && trimAnchor(ranges) != "":
		h.anchor = trimAnchor(rest)
	case trimAnchor(section) == "":
		h.anchor = trimAnchor(ranges)
	default:
		h.anchor = trimAnchor(section)
	}
	return h
}

// trimAnchor is an anchor's text, "" when it is only dots.
func trimAnchor(s string) string {
	s = strings.TrimSpace(s)
	if strings.Trim(s, ".…") == "" {
		return ""
	}
	return s
}

// readRange reads "-12,3", "-12" or "12" from a field.
func readRange(fields []string, i int, sign string) (start, lines int, ok bool) {
	if i >= len(fields) {
		return 0, 0, false
	}
	first, count, counted := strings.Cut(strings.TrimPrefix(fields[i], sign), ",")
	start, ok = readNumber(first)
	lines = 1
	if ok && counted {
		lines, ok = readNumber(count)
	}
	return start, lines, ok
}

// readNumber reads a line number or a count of lines.
func readNumber(s string) (int, bool) {
	if s == "" || len(s) > 9 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// readLines reads a hunk's lines: by the counts of its header when they can be right, else to where it must end.
func (r *patchReader) readLines(h RawHunk, head hunkHeader) error {
	lines, next, ok := r.counted(head.oldLines, head.newLines)
	if !ok {
		lines, next = r.shaped()
		if head.oldLines >= 0 && head.newLines >= 0 {
			r.open.repaired++
		}
	}
	if len(lines) == 0 {
		return r.fail(PatchSyntax, h.Line-1, "the hunk has no lines.", adviceLines)
	}
	switch {
	case hasOld(lines):
		h.Start = max(0, head.oldStart)
	case head.oldLines == 0:
		h.Start = head.oldStart + 1 // without lines, diff names the one before
	}
	h.Lines = lines
	r.at = next
	return r.addHunk(h)
}

func hasOld(lines []gitdiff.Line) bool {
	for _, l := range lines {
		if l.Old() {
			return true
		}
	}
	return false
}

// counted reads as many lines as the header says; ok is false when the lines that are there do not fit that.
func (r *patchReader) counted(oldLines, newLines int) (lines []gitdiff.Line, next int, ok bool) {
	if oldLines < 0 || newLines < 0 || oldLines+newLines == 0 {
		return nil, 0, false
	}
	i := r.at
	for ; oldLines > 0 || newLines > 0; i++ {
		if i >= r.lines() {
			return nil, 0, false
		}
		if r.noNewline(i, lines) {
			continue
		}
		l, marked := r.hunkLine(i)
		if !marked && r.ends(i) {
			return nil, 0, false
		}
		if l.Old() {
			oldLines--
		}
		if l.New() {
			newLines--
		}
		if oldLines < 0 || newLines < 0 {
			return nil, 0, false
		}
		lines = append(lines, l)
	}
	if r.noNewline(i, lines) {
		i++
	}
	return lines, i, r.mayEnd(i)
}

// mayEnd says whether a hunk that has all the lines that its header counts can end before line i: no line that looks as
// if it belonged to the hunk follows.
func (r *patchReader) mayEnd(i int) bool {
	first := i
	for i < r.lines() && strings.TrimSpace(r.line(i)) == "" {
		i++
	}
	if r.ends(i) {
		return true
	}
	_, marked := r.hunkLine(i)
	return !marked && (i > first || !r.hasMore(i))
}

// shaped reads lines to where the hunk must end.
func (r *patchReader) shaped() (lines []gitdiff.Line, next int) {
	i, bare := r.at, 0 // the bare lines that the hunk ends in so far
	for ; !r.ends(i); i++ {
		if r.noNewline(i, lines) {
			bare = 0
			continue
		}
		l, marked := r.hunkLine(i)
		empty := strings.TrimSuffix(r.line(i), "\r") == ""
		if !marked && !empty && !r.hasMore(i) {
			break // prose
		}
		lines = append(lines, l)
		if bare++; !empty {
			bare = 0
		}
	}
	return lines[:len(lines)-bare], i
}

// hunkLine is a line of the patch as one of a hunk. A line without a mark is taken for an unchanged one that lost its
// space: that changes nothing in a file.
func (r *patchReader) hunkLine(i int) (l gitdiff.Line, marked bool) {
	s := r.line(i)
	if s != "" {
		switch s[0] {
		case ' ':
			return gitdiff.Line{Op: gitdiff.OpContext, Line: s[1:] + "\n"}, true
		case '-':
			return gitdiff.Line{Op: gitdiff.OpDelete, Line: s[1:] + "\n"}, true
		case '+':
			return gitdiff.Line{Op: gitdiff.OpAdd, Line: s[1:] + "\n"}, true
		}
	}
	return gitdiff.Line{Op: gitdiff.OpContext, Line: s + "\n"}, false
}

// noNewline reads "\ No newline at end of file", which speaks of the line before; its text depends on the language.
func (r *patchReader) noNewline(i int, lines []gitdiff.Line) bool {
	s := r.head(i)
	if len(lines) == 0 || len(s) < 12 || !strings.HasPrefix(s, "\\ ") {
		return false
	}
	last := &lines[len(lines)-1]
	last.Line = strings.TrimSuffix(last.Line, "\n")
	return true
}

// ends says whether a hunk must end before line i.
func (r *patchReader) ends(i int) bool { return r.isOver(i) || r.isSignature(i) }

// isOver says whether something else than a hunk's line is at line i, or nothing.
func (r *patchReader) isOver(i int) bool {
	if i >= r.lines() {
		return true
	}
	s := r.head(i)
	if s == "" {
		return false
	}
	switch s[0] {
	case '@':
		return strings.HasPrefix(s, "@@")
	case 'd':
		return strings.HasPrefix(s, "diff -")
	case 'I':
		return strings.HasPrefix(s, "Index: ")
	case 'G':
		return s == "GIT binary patch"
	case '`':
		return r.fenced && strings.HasPrefix(s, "```")
	case '*':
		return isCodexMark(s)
	case 'F': // the next mail of git format-patch
		return len(s) > 46 && strings.HasPrefix(s, "From ") && s[45] == ' ' && strings.Trim(s[5:45], "0123456789abcdef") == ""
	case '-':
		return strings.HasPrefix(s, "--- ") && strings.HasPrefix(r.line(i+1), "+++ ") && strings.HasPrefix(r.line(i+2), "@@")
	}
	return false
}

// isSignature says whether git format-patch ends here: "-- " and Git's version, with nothing of this patch behind it.
func (r *patchReader) isSignature(i int) bool {
	version := r.head(i + 1)
	return r.head(i) == "-- " && version != "" && strings.IndexByte("0123456789", version[0]) >= 0 &&
		strings.TrimSpace(r.line(i+2)) == "" && (r.isOver(i+3) || r.line(i+3) == "")
}

// hasMore says whether, after line i, a line comes that is marked as a hunk's, before the hunk must end.
func (r *patchReader) hasMore(i int) bool {
	if r.ahead == nil {
		r.ahead = make([]bool, r.lines()+1)
		for j := r.lines() - 1; j >= 0; j-- {
			if r.ends(j) {
				continue
			}
			_, marked := r.hunkLine(j)
			r.ahead[j] = r.ahead[j+1] || marked && strings.TrimSpace(r.line(j)) != ""
		}
	}
	return r.ahead[i]
}
