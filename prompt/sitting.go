package prompt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// sitting is one review, from its drafts to the files that it leaves.
type sitting struct {
	terminal *Terminal
	look     look
	proposal review.Proposal
	files    []*file
	comment  string // on the whole proposal
}

// file is one file of a review.
type file struct {
	review.File
	disk  disk // as it was when it was drafted
	patch *hunks.Patch
	marks map[int]*mark // by hunk id
}

// mark is what was said of a hunk.
type mark struct {
	state   hunks.State
	comment string
	partial bool // it is a part of a proposed hunk
	tried   bool // the person wanted it, although it has no place
}

// draft reads every file, and turns the proposal into hunks.
func (s *sitting) draft() error {
	for i, wanted := range s.proposal.Files {
		d, err := readDisk(s.proposal.Root, wanted.Name)
		if err != nil {
			return review.Errorf(review.ToolFailed, "%s %v. Nothing was changed.", wanted.Path, err)
		}
		patch, err := wanted.Draft(d.text())
		if err != nil {
			return err
		}
		if err := d.holds(patch); err != nil {
			return review.Errorf(review.ToolFailed, "%s %v. Nothing was changed.", wanted.Path, err)
		}
		s.proposal.Files[i].Draft = nil // it may hold large texts
		f := &file{File: s.proposal.Files[i], disk: d, patch: patch, marks: map[int]*mark{}}
		for _, h := range patch.Hunks {
			f.marks[h.ID] = &mark{state: h.State}
		}
		s.files = append(s.files, f)
	}
	return nil
}

// decide asks until every file is decided.
func (s *sitting) decide(ctx context.Context) error {
	for i, f := range s.files {
		s.show(i, f)
		if err := s.question(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// accept and reject decide a hunk. A hunk without a place cannot be accepted.
func (f *file) accept(h *hunks.Hunk) bool {
	m := f.marks[h.ID]
	if !h.Placed() {
		m.state, m.tried = hunks.Conflict, true
		return false
	}
	m.state = hunks.Applied
	return true
}

func (f *file) reject(h *hunks.Hunk) { f.marks[h.ID].state = hunks.Rejected }

// undecided says whether nothing was said of a hunk that something can be said of.
func (f *file) undecided(h *hunks.Hunk) bool {
	m := f.marks[h.ID]
	return m.state == hunks.Pending || m.state == hunks.Conflict && !m.tried
}

// acceptAll and rejectAll decide what is undecided.
func (f *file) acceptAll() {
	for _, h := range f.patch.Hunks {
		if f.undecided(h) {
			f.accept(h)
		}
	}
}

func (f *file) rejectAll() {
	for _, h := range f.patch.Hunks {
		if f.undecided(h) {
			f.reject(h)
		}
	}
}

// split puts the change blocks of a hunk in its place; false: it is only one.
func (f *file) split(h *hunks.Hunk) bool {
	parts := f.patch.Split(h.ID)
	for _, part := range parts {
		f.marks[part.ID] = &mark{state: hunks.Pending, comment: f.marks[h.ID].comment, partial: true}
	}
	return parts != nil
}

func (f *file) applied(id int) bool { return f.marks[id].state == hunks.Applied }

// composed is the file with what was accepted.
func (f *file) composed() hunks.Text { return f.patch.Base.With(f.patch.Compose(f.applied)) }

// changes says whether anything was accepted.
func (f *file) changes() bool {
	for _, h := range f.patch.Hunks {
		if f.applied(h.ID) {
			return true
		}
	}
	return false
}

// carryOut writes what was accepted, and says what became of everything. A file that cannot be written is no rejection: the
// error says what was written all the same.
func (s *sitting) carryOut() (*review.Outcome, error) {
	out := &review.Outcome{Comment: s.comment}
	var written, failed []string
	tried, changed := false, false
	for _, f := range s.files {
		if f.changes() && !s.proposal.TextOnly {
			if err := f.disk.write(f.composed().Raw()); err != nil {
				failed = append(failed, fmt.Sprintf("%s %v", f.Path, err))
				changed = changed || errors.Is(err, errChanged)
			} else {
				written = append(written, f.Path)
			}
		}
		for _, m := range f.marks {
			tried = tried || m.tried
		}
		o := f.outcome(countHunks(out))
		if s.proposal.TextOnly {
			f.textOnly(&o)
		}
		out.Files = append(out.Files, o)
	}
	said := "Nothing was changed."
	if len(written) > 0 {
		said = "Written was: " + strings.Join(written, ", ") + ". Nothing else was changed. Read the files before you go on."
	}
	switch {
	case changed:
		return nil, review.Errorf(review.StaleOriginal, "The user accepted, but %s: read it again and propose again. %s",
			strings.Join(failed, ", and "), said)
	case len(failed) > 0:
		return nil, review.Errorf(review.ToolFailed, "The user accepted, but %s. %s", strings.Join(failed, ", and "), said)
	case tried && out.Decision() == review.Rejected:
		return nil, review.Errorf(review.StaleOriginal,
			"The user accepted, but the file has changed: read it again and propose again. Nothing was changed.")
	}
	return out, nil
}

func countHunks(o *review.Outcome) int {
	n := 0
	for i := range o.Files {
		n += len(o.Files[i].Hunks)
	}
	return n
}

// outcome is what became of a file, whose hunks are counted on from first.
func (f *file) outcome(first int) review.FileOutcome {
	out := review.FileOutcome{Path: f.Path, Direct: true, Saved: f.changes(), Notes: f.patch.Notes}
	asProposed := true
	for i, h := range f.patch.Hunks {
		m := f.marks[h.ID]
		o := review.HunkOutcome{
			Index: first + i + 1, Header: h.Header(), State: m.state, Partial: m.partial, Comment: m.comment,
		}
		if o.State == hunks.Conflict {
			o.Reason = h.Reason
		}
		asProposed = asProposed && o.State == hunks.Applied
		out.Hunks = append(out.Hunks, o)
	}
	if out.Saved && !asProposed {
		out.AppliedDiff = hunks.Unified(f.Name, f.Name, f.patch.Base, f.composed())
	}
	return out
}

// textOnly makes the outcome of a file that somebody else is to write.
func (f *file) textOnly(out *review.FileOutcome) {
	out.Direct, out.Saved, out.Text = false, false, f.composed()
	out.Text.Missing = f.patch.Base.Missing && !f.changes()
	if !f.changes() {
		return
	}
	if now, err := readDisk(f.disk.root, f.Name); err != nil {
		out.Unwritable = fmt.Sprintf("The file %v.", err)
	} else if now.missing != f.disk.missing || !bytes.Equal(now.raw, f.disk.raw) {
		out.Unwritable = "The file on disk was changed during the review."
	}
}
