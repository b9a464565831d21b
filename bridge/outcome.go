package bridge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// readStates takes the hunks' last states from a report.
func (s *session) readStates(report Value) {
	for _, file := range report.Key("files").List() {
		for _, h := range file.Key("hunks").List() {
			if id := h.Key("id").Int(); id >= 0 && id < len(s.hunks) {
				s.hunks[id].state = hunks.State(h.Key("state").Text())
			}
		}
	}
}

// outcome makes the truth of the report that Lua sends when the review has ended.
func (s *session) outcome(report Value) (*review.Outcome, error) {
	s.readStates(report)
	files := report.Key("files").List()
	if err := report.Err(); err != nil || len(files) != len(s.files) {
		return nil, review.Errorf(review.ToolFailed, "Neovim's report cannot be read: %v. %s", err, s.applied())
	}
	out := &review.Outcome{Comment: s.comment, Notes: slices.Clone(s.leftOut)}
	auto := report.Key("auto")
	out.Auto = !auto.IsNil() && auto.Bool()
	if wish := report.Key("remember"); !wish.IsNil() {
		out.Remember = &review.Remember{
			Scope: wish.Key("scope").Text(), Path: wish.Key("path").Text(), Always: wish.Key("always").Bool(),
		}
	}
	var tried attempt
	for i, f := range s.files {
		if why := files[i].Key("gone").Text(); why != "" {
			if s.proposal.TextOnly {
				return nil, review.Errorf(review.Cancelled, "The user closed the text under review, and so decided nothing. Nothing was changed.")
			}
			file, err := s.byDisk(f, why, files[i].Key("open").Bool())
			if err != nil {
				return nil, err
			}
			out.Files = append(out.Files, *file)
			continue
		}
		out.Files = append(out.Files, s.fileOutcome(f, files[i]))
		tried.look(files[i])
	}
	if err := report.Err(); err != nil {
		return nil, review.Errorf(review.ToolFailed, "Neovim's report cannot be read: %v. %s", err, s.applied())
	}
	if out.Decision() == review.Rejected {
		if err := tried.err(s.applied()); err != nil {
			err.Text += said(out)
			return nil, err
		}
	}
	return out, nil
}

// attempt is what the person tried to accept and could not.
type attempt struct {
	stale  bool   // the text was another
	barred string // why Neovim could not do it
}

func (a *attempt) look(file Value) {
	for _, h := range file.Key("hunks").List() {
		if hunks.State(h.Key("state").Text()) == hunks.Conflict && h.Key("tried").Bool() {
			a.stale = a.stale || h.Key("barred").Text() == ""
			a.barred = cmp.Or(a.barred, h.Key("barred").Text())
		}
	}
}

// err is the answer when nothing is applied although the person accepted: no person's "no".
func (a *attempt) err(state string) *review.Error {
	switch {
	case a.stale:
		return review.Errorf(review.StaleOriginal,
			"The user accepted, but the file has changed: read it again and propose again. %s", state)
	case a.barred != "":
		return review.Errorf(review.StaleOriginal,
			"The user accepted, but Neovim could not do it: %s. %s", a.barred, state)
	}
	return nil
}

// said are the person's comments as sentences behind others.
func said(out *review.Outcome) string {
	var text strings.Builder
	if out.Comment != "" {
		fmt.Fprintf(&text, "\nThe user's comment: %s", out.Comment)
	}
	for i := range out.Files {
		for _, h := range out.Files[i].Hunks {
			if h.Comment != "" {
				fmt.Fprintf(&text, "\nOn %s, hunk %d: %s", out.Files[i].Path, h.Index, h.Comment)
			}
		}
	}
	return text.String()
}

// fileOutcome is one file's part of the report.
func (s *session) fileOutcome(f *sessionFile, report Value) review.FileOutcome {
	out := review.FileOutcome{
		Path: f.Path, Kind: f.kind(), Notes: slices.Concat(f.patch.Notes, report.Key("notes").Texts()),
	}
	inSource := map[int]bool{}
	asProposed, lines := true, false
	for i, h := range report.Key("hunks").List() {
		if i >= len(f.hunks) {
			break
		}
		hunk := f.hunks[i]
		o := review.HunkOutcome{
			Index: hunk.index, Header: hunk.header(), Whole: hunk.hunk == nil, State: hunks.State(h.Key("state").Text()),
			StillInBuffer: h.Key("kept").Bool(), Reason: h.Key("reason").Text(),
			Blocks: hunk.blocks(), Comment: hunk.comment, Tried: h.Key("tried").Bool() && h.Key("state").Text() == string(hunks.Conflict),
		}
		in := o.State == hunks.Applied || o.StillInBuffer
		o.Edited = h.Key("edited").Bool() || hunk.edited && in
		if hunk.whole != nil && in {
			f.done(hunk, s.proposal.TextOnly || f.onDisk(hunk.whole.Kind), &o, &out)
		}
		if hunk.hunk != nil {
			inSource[hunk.hunk.ID] = in
			lines = lines || in
			asProposed = asProposed && in && !o.Edited
		}
		out.Hunks = append(out.Hunks, o)
	}
	f.markPartial(&out)
	if out.Deleted && !s.proposal.TextOnly {
		out.Saved, out.Unsaved = true, ""
		return out
	}
	composed := f.patch.Base.With(f.patch.Compose(func(id int) bool { return inSource[id] }))
	if lines && !asProposed {
		out.AppliedDiff = hunks.Unified(f.Name, f.Name, f.patch.Base, composed)
	}
	if s.proposal.TextOnly {
		s.compose(f, report, composed, &out)
		return out
	}
	out.Saved, out.Unsaved = report.Key("saved").Bool(), report.Key("unsaved").Text()
	s.compare(f, report, composed, &out)
	if !lines && out.Decision() == review.Accepted && out.Unsaved == "" {
		out.Saved = true
	}
	out.Created = out.Created && out.Saved // it may be there because somebody else made it
	if report.Key("adds_newline").Bool() {
		out.Notes = append(out.Notes, "The next :w in Neovim adds a newline at the end of the file ('fixeol').")
	}
	return out
}

// done notes what was done to the file as a whole. there: the disk shows it.
func (f *sessionFile) done(hunk *sessionHunk, there bool, o *review.HunkOutcome, out *review.FileOutcome) {
	if !there && hunk.hunk == nil {
		o.State, o.Reason = hunks.Conflict, "it was accepted, but the disk does not show it"
		return
	}
	switch hunk.whole.Kind {
	case hunks.Create:
		out.Created = there
	case hunks.Delete:
		out.Deleted = true
	case hunks.Rename:
		out.RenamedTo = f.NewPath
	default:
		out.Mode = hunk.whole.NewMode
	}
}

// compare says how the text went on from the hunks: what the person changed, what saving changed, and what the disk holds.
func (s *session) compare(f *sessionFile, report Value, composed hunks.Text, out *review.FileOutcome) {
	crlf, bom := report.Key("crlf").Bool(), report.Key("bom").Bool()
	last := composed
	if report.Key("changed").Bool() {
		last = f.codec.text(report.Key("before_save").Text(), crlf, bom)
	} else if !f.codec.cr {
		last.CRLF, last.BOM = crlf, bom // options, not text: no line changes with them
	}
	out.UserDiff = hunks.Unified(f.Name, f.Name, composed, last)
	saved := last
	if after := report.Key("after_save"); !after.IsNil() {
		saved = f.codec.text(after.Text(), crlf, bom)
	}
	verify := report.Key("verify")
	if !verify.IsNil() && verify.Bool() && f.codec.verbatim() {
		saved = f.verify(last, saved, out)
	}
	out.FormatDiff = hunks.Unified(f.Name, f.Name, last, saved)
	switch rejected := out.Decision() == review.Rejected; {
	case rejected && out.Saved && report.Key("written").Bool():
		out.Saved = false // there is nothing of the proposal to be saved
		if report.Key("modified").Bool() {
			out.Notes = append(out.Notes, "The file was written during the review, and again at its end without what was taken back.")
		}
	case !out.Saved && report.Key("written").Bool():
		out.Notes = append(out.Notes, fmt.Sprintf("The file was written during the review; %s.", f.describeDisk()))
	}
}

// verify reads what was written, and gives the text that the disk holds then. meant is what was to be written, held what the
// buffer has since.
func (f *sessionFile) verify(meant, held hunks.Text, out *review.FileOutcome) hunks.Text {
	disk, err := f.textOnDisk()
	switch {
	case err != nil:
		out.Saved, out.Unsaved = false, fmt.Sprintf("what was written cannot be read again: %v", err)
		return meant
	case disk.Missing:
		out.Saved, out.Unsaved = false, "the file is not on the disk any more"
		return meant
	case disk.Raw() == held.Raw():
		return held
	case disk.Raw() == meant.Raw():
		out.Notes = append(out.Notes, "Something changed the buffer in Neovim after it was saved; that is not on the disk.")
		return meant
	case f.holdsApplied(disk, out):
		return disk // a formatter that runs after the write, say
	}
	out.Saved, out.Unsaved = false, "the file on disk does not hold what was written; "+f.describeDisk()
	return meant
}

// holdsApplied says whether a text has each hunk that is applied, as far as the person has not edited it, and no other.
func (f *sessionFile) holdsApplied(text hunks.Text, out *review.FileOutcome) bool {
	lines := f.linesIn(text.Body)
	for i := range out.Hunks {
		if h := f.hunks[i]; h.hunk != nil && !out.Hunks[i].Edited && out.Hunks[i].InSource() != (lines(h.hunk.ID) == hunks.FitNew) {
			return false
		}
	}
	return true
}
