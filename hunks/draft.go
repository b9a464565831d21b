package hunks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// Draft places what the patch wants in the file as it is now: of a file to be renamed, under its old name. Each hunk goes
// where it says, if its lines are there, else to the one place that they are at; hunks that have none are in the result in
// state Conflict.
//
// The error is ErrNothing (errors.Is) when nothing would change, or a *StaleError when the file is there and should not be,
// the other way round, or no hunk has a place: then the Patch is there too, with everything in state Conflict, unless its
// hunks change nothing. A patch without hunks means that only the file as a whole changes. Patch.Base is always current. f.OldMode, if not 0, is the mode
// that the file has.
func (f FilePatch) Draft(current Text) (*Patch, error) {
	p, err := f.draft(current)
	if p != nil {
		p.Notes = append(slices.Clone(f.Notes), p.Notes...)
	}
	return p, err
}

func (f FilePatch) draft(current Text) (*Patch, error) {
	if current.Missing && f.mayCreate() {
		f.Kind = Create
	}
	switch {
	case f.Kind == Create:
		return f.draftNew(current)
	case current.Missing:
		const reason = "the file does not exist"
		return f.inConflict(current, reason), &StaleError{Reason: reason + "."}
	case f.Kind == Delete:
		return f.draftDeleted(current)
	}
	pl, notes := f.placer(current)
	pl.run()
	p, err := pl.patch()
	whole := f.wholes()
	if len(p.Hunks) == 0 && len(whole) == 0 {
		return nil, ErrNothing
	}
	if len(whole) > 0 {
		err = nil // the file as a whole can still be changed
	}
	p.Whole = whole
	p.Notes = append(notes, p.Notes...)
	return p, err
}

// draftNew is a file that is all new.
func (f FilePatch) draftNew(current Text) (*Patch, error) {
	body := f.lines()
	if n := CountLines(current.Body); n > 0 && NewText(body).Body != current.Body {
		reason := fmt.Sprintf("the patch creates the file, but it exists and has %s", counted(n, "line"))
		return f.inConflict(current, reason), &StaleError{Reason: reason + "."}
	}
	p, err := Place(current, "", body)
	if p != nil && current.Missing {
		p.Whole = f.wholes()
	}
	return p, err
}

// draftDeleted is a file that loses all its lines. A patch that shows them must show them as they are.
func (f FilePatch) draftDeleted(current Text) (*Patch, error) {
	pr := proposal{current: current, original: f.lines()}
	pr.stripEndings()
	if len(f.Hunks) > 0 && strings.TrimSuffix(pr.original, "\n") != strings.TrimSuffix(current.Body, "\n") {
		words := lexicon{}
		cur := newIndex(words, current.Body)
		e := mismatchError(newIndex(words, pr.original), cur)
		const reason = "the patch deletes the file, but the file has other lines than the patch removes"
		e.Reason = reason + "."
		return f.inConflict(current, reason), e
	}
	p := Diff(current, "")
	p.Whole = f.wholes()
	return p, nil
}

// lines is the text of all lines of the hunks.
func (f FilePatch) lines() string {
	var out strings.Builder
	for i := range f.Hunks {
		for _, l := range f.Hunks[i].Lines {
			appendLine(&out, l.Line)
		}
	}
	return out.String()
}

// placer makes the hunks ready to be placed: what belongs to the file and not to its text is taken off them.
func (f FilePatch) placer(current Text) (*placer, []string) {
	var notes []string
	cr, lf := f.lineEnds()
	strip := false
	switch {
	case current.CRLF:
		strip = true
		if lf {
			notes = append(notes, "The file's lines end in CRLF: new lines got CRLF too.")
		}
	case cr && !strings.Contains(current.Body, "\r\n"):
		strip = true
		notes = append(notes, "The file's lines end in LF, not CRLF as in the patch: new lines got LF too.")
	}
	pl := newPlacer(current)
	for i := range f.Hunks {
		h := f.Hunks[i]
		if strip {
			h.Lines = slices.Clone(h.Lines)
			for j := range h.Lines {
				if s, ok := strings.CutSuffix(h.Lines[j].Line, "\r\n"); ok {
					h.Lines[j].Line = s + "\n"
				}
			}
		}
		if current.BOM {
			h.Lines = unmarked(h.Lines)
		}
		pl.add(h)
	}
	return pl, notes
}

// lineEnds says whether old lines end in CRLF, and whether new ones end in LF.
func (f FilePatch) lineEnds() (cr, lf bool) {
	for i := range f.Hunks {
		for _, l := range f.Hunks[i].Lines {
			crlf := strings.HasSuffix(l.Line, "\r\n")
			cr = cr || crlf && l.Old()
			lf = lf || !crlf && !l.NoEOL() && l.Op == gitdiff.OpAdd
		}
	}
	return cr, lf
}

// unmarked takes a byte order mark off the first old and the first new line.
func unmarked(lines []gitdiff.Line) []gitdiff.Line {
	oldSeen, newSeen := false, false
	for i, l := range lines {
		if s, ok := strings.CutPrefix(l.Line, byteOrderMark); ok && (l.Old() && !oldSeen || l.New() && !newSeen) {
			lines = slices.Clone(lines)
			lines[i].Line = s
		}
		oldSeen = oldSeen || l.Old()
		newSeen = newSeen || l.New()
		if oldSeen && newSeen {
			break
		}
	}
	return lines
}
