package hunks

import "fmt"

// Whole is a change of a file as a whole. It is a hunk of its own, before those of the file's lines; but all lines of a
// file belong to what creates or deletes it.
type Whole struct {
	Kind             Kind   // Create, Delete or Rename; Modify: its mode
	OldMode, NewMode uint32 // as FilePatch has them
	State            State  // Pending, or Conflict when it cannot be done
	Reason           string // why State is Conflict
}

// The modes that Git knows of files.
const (
	PlainMode   = 0o100644
	ProgramMode = 0o100755
)

// OwnsLines says whether all lines of the file belong to this change.
func (w *Whole) OwnsLines() bool { return w.Kind == Create || w.Kind == Delete }

// Header is the line of Git's header that says what happens, without line end. newName is the file's name after it.
func (w *Whole) Header(newName string) string {
	switch w.Kind {
	case Create:
		return fmt.Sprintf("new file mode %06o", w.NewMode)
	case Delete:
		return fmt.Sprintf("deleted file mode %06o", w.OldMode)
	case Rename:
		return "rename to " + quoteName(newName)
	}
	return fmt.Sprintf("new mode %06o", w.NewMode)
}

// Owner is the change of the file as a whole that all its lines belong to; nil when there is none.
func (p *Patch) Owner() *Whole {
	for i := range p.Whole {
		if p.Whole[i].OwnsLines() {
			return &p.Whole[i]
		}
	}
	return nil
}

// wholes are the changes of the file as a whole, in the order in which Git writes them.
func (f FilePatch) wholes() []Whole {
	var all []Whole
	add := func(kind Kind) {
		w := Whole{Kind: kind, OldMode: f.OldMode, NewMode: f.NewMode, State: Pending}
		if w.OldMode == 0 {
			w.OldMode = PlainMode
		}
		if w.NewMode == 0 {
			w.NewMode = PlainMode
		}
		all = append(all, w)
	}
	if f.Kind == Create || f.Kind == Delete {
		add(f.Kind)
		return all
	}
	if f.changesMode() {
		add(Modify)
	}
	if f.Kind == Rename {
		add(Rename)
	}
	return all
}

// inConflict is a patch in which everything is in conflict; nil when that is nothing, because its hunks change nothing.
func (f FilePatch) inConflict(current Text, reason string) *Patch {
	p := Diff(current, current.Body)
	p.Whole = f.wholes()
	for i := range p.Whole {
		p.Whole[i].State, p.Whole[i].Reason = Conflict, reason
	}
	pl := &placer{}
	for i := range f.Hunks {
		if f.Hunks[i].changes() {
			pl.fits = append(pl.fits, &fit{raw: f.Hunks[i], order: len(pl.fits), at: nowhere, reason: reason})
		}
	}
	pl.insert(p, pl.fits)
	if len(p.Whole)+len(p.Hunks) == 0 {
		return nil
	}
	return p
}

// PrintGit is Print with Git's own header: a line "diff --git", and what happens to the file as a whole. A file of which
// no line changes has only that.
func (p *Patch) PrintGit(oldName, newName string) Printed {
	w := printer{}
	line := func(s string) { w.out.WriteString(s + "\n"); w.line++ }
	line("diff --git " + quoteName("a/"+oldName) + " " + quoteName("b/"+newName))
	var whole []Span
	for i := range p.Whole {
		change := &p.Whole[i]
		switch change.Kind {
		case Modify:
			line(fmt.Sprintf("old mode %06o", change.OldMode))
		case Rename:
			line("rename from " + quoteName(oldName))
		}
		whole = append(whole, Span{ID: i + 1, Line: w.line, Lines: 1})
		line(change.Header(newName))
	}
	head := w.line
	body := p.printBody(oldName, newName)
	for i := range body.Hunks {
		body.Hunks[i].Line += head
	}
	if owner := p.Owner(); owner != nil {
		lines := 0
		for _, s := range body.Hunks {
			lines = s.Line + s.Lines - whole[0].Line
		}
		whole[0].Lines = max(1, lines)
	}
	return Printed{Text: w.out.String() + body.Text, Hunks: body.Hunks, Whole: whole}
}

// printBody is Print; of a file that is deleted, all bytes go, and the new name is /dev/null.
func (p *Patch) printBody(oldName, newName string) Printed {
	owner := p.Owner()
	if owner == nil || owner.Kind != Delete {
		return p.Print(oldName, newName)
	}
	if owner.State != Conflict {
		p = Diff(Text{Body: p.Base.Raw()}, "")
	}
	body := p.Print(oldName, newName)
	if body.Text == "" {
		return body
	}
	w := printer{}
	w.header(oldName, newName, false, true)
	body.Text = w.out.String() + afterHeader(body.Text)
	return body
}
