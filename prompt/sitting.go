package prompt

import (
	"cmp"
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
	comment  string           // on the whole proposal
	leftOut  []string         // what is said of files in which there is nothing to change
	remember *review.Remember // what is not to be asked again
}

// draft reads every file, and turns the proposal into hunks. The error is that of the first file that has nothing to review,
// when none has.
func (s *sitting) draft() error {
	var why error
	placed := false
	for i, wanted := range s.proposal.Files {
		f, err := s.draftFile(wanted)
		s.proposal.Files[i].Draft = nil // it may hold large texts
		known, isKnown := errors.AsType[*review.Error](err)
		switch {
		case f != nil:
		case isKnown && known.Code == review.NothingToChange:
			s.leftOut = append(s.leftOut, known.Text)
			why = cmp.Or(why, err)
			continue
		default:
			return err
		}
		why = cmp.Or(why, err)
		s.files = append(s.files, f)
		for _, p := range f.parts {
			placed = placed || p.placed()
		}
	}
	if placed {
		return nil
	}
	return why
}

// draftFile reads a file and makes its hunks. With the error that nothing in it has a place the file is there too.
func (s *sitting) draftFile(wanted review.File) (*file, error) {
	root, name := placeOf(s.proposal.Root, wanted.Abs)
	d, err := readDisk(root, name)
	if err != nil {
		return nil, review.Errorf(review.ToolFailed, "%s %v. Nothing was changed.", wanted.Path, err)
	}
	patch, stale := wanted.Draft(d.text())
	if patch == nil {
		return nil, stale
	}
	if err := d.holds(patch); err != nil {
		return nil, review.Errorf(review.ToolFailed, "%s %v. Nothing was changed.", wanted.Path, err)
	}
	wanted.Draft = nil
	f := &file{File: wanted, disk: d, patch: patch}
	f.divide()
	return f, stale
}

// letThrough applies a proposal that no person is asked about; false when it cannot be applied just so.
func (s *sitting) letThrough() bool {
	if s.proposal.Auto == "" {
		return false
	}
	for _, f := range s.files {
		for _, p := range f.parts {
			if !p.placed() {
				return false
			}
		}
	}
	for _, f := range s.files {
		f.acceptAll()
		fmt.Fprintln(s.terminal.tty, s.look.safe(fmt.Sprintf("Accepted by policy %s, without a review: %s", s.proposal.Auto, f.Path)))
	}
	return true
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

// carryOut does what was accepted, and says what became of everything. What cannot be done is no rejection: it is in
// conflict, and where nothing at all could be done, the error says why.
func (s *sitting) carryOut() (*review.Outcome, error) {
	out := &review.Outcome{Comment: s.comment, Notes: s.leftOut, Remember: s.remember}
	var failed, unsure []string
	tried, changed := false, false
	for _, f := range s.files {
		if f.changes() && !s.proposal.TextOnly {
			if err := f.carryOut(s.proposal.Root); err != nil {
				failed = append(failed, fmt.Sprintf("%s %v", f.Path, err))
				changed = changed || errors.Is(err, errChanged)
				if _, ok := errors.AsType[unsureError](err); ok {
					unsure = append(unsure, f.Path)
					f.patch.Notes = append(f.patch.Notes, "It is not certain what is now in the file: read it before you go on.")
				}
				f.undone(err)
			}
		}
		for _, p := range f.parts {
			tried = tried || p.tried
		}
		out.Files = append(out.Files, f.outcome(s.proposal.TextOnly))
	}
	switch {
	case out.Decision() == review.Accepted:
		return out, nil
	case changed:
		return nil, review.Errorf(review.StaleOriginal, "The user accepted, but %s: read it again and propose again. %s",
			strings.Join(failed, ", and "), whatChanged(unsure))
	case len(failed) > 0:
		return nil, review.Errorf(review.ToolFailed, "The user accepted, but %s. %s", strings.Join(failed, ", and "), whatChanged(unsure))
	case tried:
		return nil, review.Errorf(review.StaleOriginal,
			"The user accepted, but the file has changed: read it again and propose again. Nothing was changed.")
	}
	return out, nil
}

// whatChanged says what the files hold when nothing was done.
func whatChanged(unsure []string) string {
	if len(unsure) == 0 {
		return "Nothing was changed."
	}
	return "It is not certain what is now in: " + strings.Join(unsure, ", ") + ". Nothing else was changed. Read the files before you go on."
}

// carryOut does what was accepted of a file: its lines, then its mode and its name. When the error is not nil nothing
// was done, but for an unsureError. What comes after the lines and cannot be done is in conflict.
func (f *file) carryOut(proposalRoot string) error {
	wrote := false
	switch {
	case f.accepted(hunks.Delete) != nil:
		return f.disk.remove()
	case f.accepted(hunks.Create) != nil, f.lines():
		if err := f.disk.write(f.composed().Raw()); err != nil {
			return err
		}
		wrote = true
	}
	var first error
	do := func(p *part, deed func() error) {
		if p == nil {
			return
		}
		err := deed()
		switch {
		case err == nil:
			wrote = true
		case p.hunk != nil: // the lines of a new file are there
			f.patch.Notes = append(f.patch.Notes, "The mode could not be set: the file "+err.Error()+".")
		default:
			p.undone(err)
			first = cmp.Or(first, err)
		}
	}
	if p := f.accepted(hunks.Create); p != nil && p.whole.NewMode == hunks.ProgramMode {
		do(p, func() error { return f.disk.setProgram(true) })
	}
	p := f.accepted(hunks.Modify)
	do(p, func() error { return f.disk.setProgram(p.whole.NewMode == hunks.ProgramMode) })
	do(f.accepted(hunks.Rename), func() error { return f.disk.rename(placeOf(proposalRoot, f.NewAbs)) })
	if wrote {
		return nil
	}
	return first
}
