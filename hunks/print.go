package hunks

import (
	"strconv"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// Printed is a patch as text.
type Printed struct {
	Text  string // begins with the "--- " line; every line ends with "\n"; "" for a patch without hunks
	Hunks []Span // one for each hunk, in order
	Whole []Span // of PrintGit: one for each of Patch.Whole, in order; its ID counts them from 1
}

// Span is where a hunk is in a Printed text.
type Span struct {
	ID    int // the hunk's
	Line  int // index of the line in the text, counted from 0, of the hunk's "@@" line
	Lines int // how many lines it has, with its "@@" line and every "\ No newline at end of file"
	// Inner says that the hunk begins within a printed one and has no "@@" line: parts of a block touch, and are printed
	// together, because a text with an "@@" line for each of them would not apply.
	Inner bool
}

const noNewline = "\\ No newline at end of file\n"

// Header is the hunk's "@@" line without line end, as Git writes it.
func (h *Hunk) Header() string { return string(appendHeader(nil, h.Fragment)) }

func appendHeader(dst []byte, f *gitdiff.TextFragment) []byte {
	dst = append(dst, "@@ -"...)
	dst = appendRange(dst, f.OldPosition, f.OldLines)
	dst = append(dst, " +"...)
	dst = appendRange(dst, f.NewPosition, f.NewLines)
	return append(dst, " @@"...)
}

func appendRange(dst []byte, position, lines int64) []byte {
	dst = strconv.AppendInt(dst, position, 10)
	if lines != 1 {
		dst = append(dst, ',')
		dst = strconv.AppendInt(dst, lines, 10)
	}
	return dst
}

// Print is the patch as a unified diff of the file's bytes, with the header as Git writes it, which git apply and
// patch -p1 accept. The names are without their a/ and b/; the old one is not used when the file is missing. Lines of
// a CRLF file carry their CR, and the first line of a file with a byte order mark carries that. Hunks in conflict are
// printed in their place in the order, with the header that they were proposed with; such a text does not apply.
func (p *Patch) Print(oldName, newName string) Printed {
	if len(p.Hunks) == 0 {
		return Printed{}
	}
	if p.onlyMark() {
		return p.printRaw(oldName, newName)
	}
	w := printer{crlf: p.Base.CRLF}
	w.out.Grow(p.printedSize() + 2*len(oldName) + 2*len(newName))
	w.header(oldName, newName, p.Base.Missing, false)
	spans := make([]Span, len(p.Hunks))
	for i := 0; i < len(p.Hunks); {
		c := p.clusterFrom(i)
		start := w.line
		w.hunk(c.fragment, p.Base.BOM && p.Hunks[i].Placed())
		c.spans(spans[i:i+c.size], start, w.line)
		i += c.size
	}
	return Printed{Text: w.out.String(), Hunks: spans}
}

// onlyMark says whether the file is, or becomes, nothing but a byte order mark.
func (p *Patch) onlyMark() bool {
	return p.Base.BOM && (p.Base.Body == "" || p.Modified == "") && len(p.Hunks) > 0 && p.clusterFrom(0).size == len(p.Hunks)
}

// printRaw prints a change from or to a file that is nothing but a byte order mark: the mark is then a line of its own,
// which no hunk knows.
func (p *Patch) printRaw(oldName, newName string) Printed {
	raw := Diff(Text{Body: p.Base.Raw()}, p.Base.With(p.Modified).Raw())
	out := raw.Print(oldName, newName)
	whole := out.Hunks[0]
	out.Hunks = make([]Span, len(p.Hunks))
	p.clusterFrom(0).spans(out.Hunks, whole.Line, whole.Line+whole.Lines)
	return out
}

// Unified is the unified diff from a to b, as Print writes it; "" when their bytes are equal. A file that is missing
// is called /dev/null.
func Unified(oldName, newName string, a, b Text) string {
	return unified(oldName, newName, a, b, contextLines)
}

// UnifiedLabels is Unified of two texts that are called as the labels say, without a/ and b/, and with another number of
// unchanged lines around the changes, 0 or more.
func UnifiedLabels(labelA, labelB string, a, b Text, context int) string {
	text := unified("", "", a, b, context)
	if text == "" {
		return ""
	}
	w := printer{}
	w.name("--- ", labelA, false)
	w.name("+++ ", labelB, false)
	return w.out.String() + afterHeader(text)
}

// afterHeader is what comes after the names in a printed text.
func afterHeader(text string) string {
	_, hunks, _ := strings.Cut(text, "\n@@")
	return "@@" + hunks
}

func unified(oldName, newName string, a, b Text, context int) string {
	if a.CRLF != b.CRLF || a.BOM || b.BOM {
		a = Text{Body: a.Raw(), Missing: a.Missing}
		b = Text{Body: b.Raw(), Missing: b.Missing}
	}
	p := DiffContext(a, b.Body, context)
	text := p.Print(oldName, newName).Text
	if b.Missing && text != "" {
		w := printer{}
		w.header(oldName, newName, a.Missing, true)
		return w.out.String() + afterHeader(text)
	}
	return text
}

// printedSize is about how many bytes the printed hunks take.
func (p *Patch) printedSize() int {
	size := 64
	for _, h := range p.Hunks {
		size += 64
		for _, l := range h.Fragment.Lines {
			size += len(l.Line) + 2
		}
	}
	return size
}

// printer writes a unified diff and counts its lines.
type printer struct {
	out  strings.Builder
	line int
	crlf bool
}

func (w *printer) header(oldName, newName string, oldMissing, newMissing bool) {
	w.name("--- ", "a/"+oldName, oldMissing)
	w.name("+++ ", "b/"+newName, newMissing)
}

func (w *printer) name(mark, name string, missing bool) {
	w.out.WriteString(mark)
	if missing {
		name = "/dev/null"
	}
	w.out.WriteString(quoteName(name))
	if strings.Contains(name, " ") {
		w.out.WriteByte('\t')
	}
	w.out.WriteByte('\n')
	w.line++
}

func (w *printer) hunk(f *gitdiff.TextFragment, bom bool) {
	var header [64]byte
	w.out.Write(appendHeader(header[:0], f))
	w.out.WriteByte('\n')
	w.line++
	lines := f.Lines
	if bom && first(f) {
		lines = markFirst(lines)
	}
	for _, l := range lines {
		w.text(l)
	}
}

func (w *printer) text(l gitdiff.Line) {
	switch l.Op {
	case gitdiff.OpAdd:
		w.out.WriteByte('+')
	case gitdiff.OpDelete:
		w.out.WriteByte('-')
	default:
		w.out.WriteByte(' ')
	}
	w.line++
	if l.NoEOL() {
		w.out.WriteString(l.Line)
		w.out.WriteByte('\n')
		w.out.WriteString(noNewline)
		w.line++
		return
	}
	if w.crlf {
		w.out.WriteString(l.Line[:len(l.Line)-1])
		w.out.WriteString("\r\n")
		return
	}
	w.out.WriteString(l.Line)
}

// first says whether the hunk begins at the file's first line.
func first(f *gitdiff.TextFragment) bool {
	return f.OldPosition == 0 || f.OldPosition == 1 && f.OldLines > 0
}

// markFirst puts the byte order mark at the first old and at the first new line of a hunk that begins at the file's first
// line.
func markFirst(lines []gitdiff.Line) []gitdiff.Line {
	out := make([]gitdiff.Line, 0, len(lines)+1)
	twice := printedTwice(lines)
	oldSeen, newSeen := false, false
	for i, l := range lines {
		marked := byteOrderMark + l.Line
		switch {
		case i == twice && oldSeen:
			out = append(out, gitdiff.Line{Op: gitdiff.OpDelete, Line: l.Line}, gitdiff.Line{Op: gitdiff.OpAdd, Line: marked})
		case i == twice:
			out = append(out, gitdiff.Line{Op: gitdiff.OpDelete, Line: marked}, gitdiff.Line{Op: gitdiff.OpAdd, Line: l.Line})
		case l.Old() && !oldSeen, l.New() && !newSeen:
			out = append(out, gitdiff.Line{Op: l.Op, Line: marked})
		default:
			out = append(out, l)
		}
		oldSeen = oldSeen || l.Old()
		newSeen = newSeen || l.New()
	}
	return out
}

// printedTwice is the unchanged line that is first on one side only, in a hunk at the beginning of a file with a byte order
// mark: with the mark it differs between the sides, and is printed as a removed and an added line. -1 if there is none.
func printedTwice(lines []gitdiff.Line) int {
	oldSeen, newSeen := false, false
	for i, l := range lines {
		if l.Op == gitdiff.OpContext {
			if oldSeen != newSeen {
				return i
			}
			return -1
		}
		oldSeen = oldSeen || l.Old()
		newSeen = newSeen || l.New()
	}
	return -1
}
