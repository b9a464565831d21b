package prompt

import (
	"cmp"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// file is one file of a review.
type file struct {
	review.File
	disk  disk // as it was when it was drafted
	patch *hunks.Patch
	parts []*part // in display order
}

// part is what is decided on: what happens to a file as a whole, or a hunk of its lines. All lines of a file that is created
// or deleted are one decision with that.
type part struct {
	whole   *hunks.Whole // nil for a hunk that only changes lines
	hunk    *hunks.Hunk  // its lines; nil when they are not decided on
	state   hunks.State
	reason  string // why it is in conflict
	comment string
	split   bool // it is a part of a proposed hunk
	tried   bool // the person wanted it, although it has no place
}

// divide finds what is decided on.
func (f *file) divide() {
	for i := range f.patch.Whole {
		w := &f.patch.Whole[i]
		p := &part{whole: w, state: w.State, reason: w.Reason}
		if w.Kind == hunks.Create && len(f.patch.Hunks) > 0 {
			p.hunk = f.patch.Hunks[0]
		}
		f.parts = append(f.parts, p)
	}
	if f.patch.Owner() != nil {
		return
	}
	for _, h := range f.patch.Hunks {
		f.parts = append(f.parts, &part{hunk: h, state: h.State, reason: h.Reason})
	}
}

// newName is what the file is called in a diff after the review.
func (f *file) newName() string { return cmp.Or(f.NewName, f.Name) }

// header is the line that a part is known by.
func (f *file) header(p *part) string {
	if p.whole != nil {
		return p.whole.Header(f.newName())
	}
	return p.hunk.Header()
}

// placed says whether a part can be accepted.
func (p *part) placed() bool {
	return (p.whole == nil || p.whole.State != hunks.Conflict) && (p.hunk == nil || p.hunk.Placed())
}

// accept decides for a part. One without a place stays in conflict.
func (p *part) accept() bool {
	if !p.placed() {
		p.tried = true
		return false
	}
	p.state = hunks.Applied
	return true
}

// undone: what was accepted could not be done. The error is the rest of a sentence that begins with the file.
func (p *part) undone(err error) {
	p.state, p.reason, p.tried = hunks.Conflict, "it was accepted, but the file "+err.Error(), true
}

// undone: nothing of what was accepted of the file could be done.
func (f *file) undone(err error) {
	for _, p := range f.parts {
		if p.state == hunks.Applied {
			p.undone(err)
		}
	}
}

func (p *part) reject() { p.state = hunks.Rejected }

// undecided says whether nothing was said of a part yet.
func (p *part) undecided() bool {
	return p.state == hunks.Pending || p.state == hunks.Conflict && !p.tried
}

// acceptAll and rejectAll decide what is undecided.
func (f *file) acceptAll() {
	for _, p := range f.parts {
		if p.undecided() {
			p.accept()
		}
	}
}

func (f *file) rejectAll() {
	for _, p := range f.parts {
		if p.undecided() {
			p.reject()
		}
	}
}

// split puts the change blocks of the hunk at a place there; false: it is only one.
func (f *file) split(at int) bool {
	old := f.parts[at]
	if old.whole != nil {
		return false
	}
	halves := f.patch.Split(old.hunk.ID)
	if halves == nil {
		return false
	}
	parts := append([]*part(nil), f.parts[:at]...)
	for _, h := range halves {
		parts = append(parts, &part{hunk: h, state: hunks.Pending, comment: old.comment, split: true})
	}
	f.parts = append(parts, f.parts[at+1:]...)
	return true
}

// changes says whether anything was accepted, and lines whether any lines were.
func (f *file) changes() bool { return f.any(func(*part) bool { return true }) }
func (f *file) lines() bool   { return f.any(func(p *part) bool { return p.hunk != nil }) }

// accepted is the accepted change of this kind of the file as a whole; nil when there is none.
func (f *file) accepted(kind hunks.Kind) *part {
	for _, p := range f.parts {
		if p.whole != nil && p.whole.Kind == kind && p.state == hunks.Applied {
			return p
		}
	}
	return nil
}

// any says whether there is an accepted part such as this.
func (f *file) any(such func(*part) bool) bool {
	for _, p := range f.parts {
		if p.state == hunks.Applied && such(p) {
			return true
		}
	}
	return false
}

// composed is the file with the lines that were accepted.
func (f *file) composed() hunks.Text {
	accepted := make(map[int]bool, len(f.parts)) // by the hunk's id
	for _, p := range f.parts {
		if p.hunk != nil {
			accepted[p.hunk.ID] = p.state == hunks.Applied
		}
	}
	return f.patch.Base.With(f.patch.Compose(func(id int) bool { return accepted[id] }))
}

// kind is what the proposal does to the file as a whole.
func (f *file) kind() hunks.Kind {
	for i := range f.patch.Whole {
		if kind := f.patch.Whole[i].Kind; kind != hunks.Modify {
			return kind
		}
	}
	return hunks.Modify
}

// outcome is what became of the file.
func (f *file) outcome(textOnly bool) review.FileOutcome {
	out := review.FileOutcome{Path: f.Path, Kind: f.kind(), Notes: f.patch.Notes, Direct: !textOnly}
	asProposed := true
	for i, p := range f.parts {
		o := review.HunkOutcome{
			Index: i + 1, Header: f.header(p), Whole: p.hunk == nil, State: p.state, Partial: p.split, Comment: p.comment,
		}
		if p.hunk != nil {
			o.Blocks = p.hunk.Blocks
		}
		if p.state == hunks.Conflict {
			o.Reason, o.Tried = p.reason, p.tried
		}
		asProposed = asProposed && (p.hunk == nil || p.state == hunks.Applied)
		out.Hunks = append(out.Hunks, o)
	}
	out.Created, out.Deleted = f.accepted(hunks.Create) != nil, f.accepted(hunks.Delete) != nil
	if f.accepted(hunks.Rename) != nil {
		out.RenamedTo = f.NewPath
	}
	if p := f.accepted(hunks.Modify); p != nil {
		out.Mode = p.whole.NewMode
	}
	if f.lines() && !asProposed {
		out.AppliedDiff = hunks.Unified(f.Name, f.Name, f.patch.Base, f.composed())
	}
	if textOnly {
		f.textOnly(&out)
	} else {
		out.Saved = f.changes()
	}
	return out
}

// textOnly says what somebody else is to write, and whether they may.
func (f *file) textOnly(out *review.FileOutcome) {
	out.Text = f.composed()
	out.Text.Missing = out.Deleted || f.patch.Base.Missing && !f.changes()
	if !f.changes() {
		return
	}
	if now, err := readDisk(f.disk.root, f.disk.name); err != nil {
		out.Unwritable = "The file " + err.Error() + "."
	} else if !now.same(f.disk) {
		out.Unwritable = "The file on disk was changed during the review."
	}
}
