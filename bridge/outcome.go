package bridge

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
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
	if report.Key("how").Text() == "source_gone" {
		if s.proposal.TextOnly {
			return nil, review.Errorf(review.ToolFailed, "The user closed the text under review, and so decided nothing. Nothing was changed.")
		}
		open := false
		for _, file := range files {
			open = open || file.Key("open").Bool()
		}
		return s.byDisk(report.Key("why").Text(), open)
	}
	out := &review.Outcome{Comment: s.comment}
	stale, barred := false, ""
	for i, f := range s.files {
		out.Files = append(out.Files, s.fileOutcome(f, files[i]))
		for _, h := range files[i].Key("hunks").List() {
			// The person tried to accept it.
			if hunks.State(h.Key("state").Text()) == hunks.Conflict && h.Key("tried").Bool() {
				stale = stale || h.Key("barred").Text() == ""
				barred = cmp.Or(barred, h.Key("barred").Text())
			}
		}
	}
	if err := report.Err(); err != nil {
		return nil, review.Errorf(review.ToolFailed, "Neovim's report cannot be read: %v. %s", err, s.applied())
	}
	if stale && out.Decision() == review.Rejected {
		return nil, review.Errorf(review.StaleOriginal,
			"The user accepted, but the file has changed: read it again and propose again. Nothing was changed.")
	}
	if barred != "" && out.Decision() == review.Rejected {
		return nil, review.Errorf(review.StaleOriginal,
			"The user accepted, but Neovim could not change the text: %s. Nothing was changed.", barred)
	}
	return out, nil
}

// fileOutcome is one file's part of the report.
func (s *session) fileOutcome(f *sessionFile, report Value) review.FileOutcome {
	out := review.FileOutcome{Path: f.Path, Notes: slices.Clip(f.patch.Notes)}
	inSource := map[int]bool{}
	asProposed := true
	for i, h := range report.Key("hunks").List() {
		if i >= len(f.patch.Hunks) {
			break
		}
		hunk := f.patch.Hunks[i]
		o := review.HunkOutcome{
			Index: f.first + i + 1, Header: hunk.Header(), State: hunks.State(h.Key("state").Text()),
			Edited: h.Key("edited").Bool(), StillInBuffer: h.Key("kept").Bool(), Reason: h.Key("reason").Text(),
			Comment: s.hunks[f.first+i].comment,
		}
		inSource[hunk.ID] = o.State == hunks.Applied || o.StillInBuffer
		asProposed = asProposed && inSource[hunk.ID] && !o.Edited
		out.Hunks = append(out.Hunks, o)
	}
	composed := f.patch.Base.With(f.patch.Compose(func(id int) bool { return inSource[id] }))
	if out.Decision() == review.Accepted && !asProposed {
		out.AppliedDiff = hunks.Unified(f.Name, f.Name, f.patch.Base, composed)
	}
	if s.proposal.TextOnly {
		s.compose(f, report, composed, &out)
		return out
	}
	out.Saved, out.Unsaved = report.Key("saved").Bool(), report.Key("unsaved").Text()
	s.compare(f, report, composed, &out)
	if report.Key("adds_newline").Bool() {
		out.Notes = append(out.Notes, "The next :w in Neovim adds a newline at the end of the file ('fixeol').")
	}
	return out
}

// compare says how the text went on from the hunks: what the person changed, what saving changed, and what the disk holds.
func (s *session) compare(f *sessionFile, report Value, composed hunks.Text, out *review.FileOutcome) {
	crlf, bom := report.Key("crlf").Bool(), report.Key("bom").Bool()
	last := composed
	if report.Key("changed").Bool() {
		last = f.codec.text(report.Key("before_save").Text(), crlf, bom)
		out.UserDiff = hunks.Unified(f.Name, f.Name, composed, last)
	}
	if after := report.Key("after_save"); !after.IsNil() {
		saved := f.codec.text(after.Text(), crlf, bom)
		out.FormatDiff = hunks.Unified(f.Name, f.Name, last, saved)
		last = saved
	}
	verify := report.Key("verify")
	if !verify.IsNil() && verify.Bool() && f.codec.verbatim() {
		if disk, err := os.ReadFile(f.Abs); err != nil || string(disk) != last.Raw() {
			out.Saved, out.Unsaved = false, "the file on disk does not hold what was written"
		}
	}
	switch rejected := out.Decision() == review.Rejected; {
	case rejected && out.Saved && report.Key("written").Bool():
		out.Saved = false // there is nothing of the proposal to be saved
		if report.Key("modified").Bool() {
			out.Notes = append(out.Notes, "The file was written during the review, and again at its end without what was taken back.")
		}
	case !out.Saved && report.Key("written").Bool():
		out.Notes = append(out.Notes, fmt.Sprintf("The file was written during the review; %s.", s.describeDisk(f)))
	}
}

// applied says which hunks are in the buffer and on the disk, for an answer that is no decision.
func (s *session) applied() string {
	if s.proposal.TextOnly {
		return "Nothing was changed."
	}
	var said []string
	for _, f := range s.files {
		applied := s.indexes(f, s.isApplied(f))
		if len(applied) == 0 {
			// A hunk can have been written and taken back.
			if onDisk, err := s.onDisk(f); err == nil && len(s.indexes(f, onDisk)) > 0 {
				said = append(said, fmt.Sprintf("In %s no hunk is applied in the buffer, but %s.", f.Path, s.describeDisk(f)))
			}
			continue
		}
		said = append(said, fmt.Sprintf("In %s, %s of %d had been applied in the buffer; %s.",
			f.Path, listed(applied), len(f.patch.Hunks), s.describeDisk(f)))
	}
	if len(said) == 0 {
		return "Nothing was changed."
	}
	return strings.Join(said, " ")
}

// lost is the end of a review whose Neovim is gone: a decision when the person left it on purpose and knew of the review,
// else an error.
func (s *session) lost() (*review.Outcome, error) {
	if s.leaving && s.shown && !s.proposal.TextOnly {
		return s.byDisk("Neovim was closed.", false)
	}
	text := "Neovim ended, or the connection to it broke, before the review was over."
	if s.files == nil || s.proposal.TextOnly {
		return nil, review.Errorf(review.EditorLost, "%s Nothing was changed.", text)
	}
	for _, f := range s.files {
		text += fmt.Sprintf(" In %s, %s of %d had been applied in the buffer; %s.",
			f.Path, listed(s.indexes(f, s.isApplied(f))), len(f.patch.Hunks), s.describeDisk(f))
	}
	return nil, review.Errorf(review.EditorLost, "%s Read the file before you go on.", text)
}

// indexes are the numbers of some of the file's hunks, as the agent is told them.
func (s *session) indexes(f *sessionFile, chosen func(id int) bool) []string {
	var indexes []string
	for i, h := range f.patch.Hunks {
		if chosen(h.ID) {
			indexes = append(indexes, strconv.Itoa(f.first+i+1))
		}
	}
	return indexes
}

// listed is "no hunk", "hunk 1" or "hunks 1, 2".
func listed(indexes []string) string {
	switch len(indexes) {
	case 0:
		return "no hunk"
	case 1:
		return "hunk " + indexes[0]
	}
	return "hunks " + strings.Join(indexes, ", ")
}

// describeDisk says which hunks are on the disk.
func (s *session) describeDisk(f *sessionFile) string {
	onDisk, err := s.onDisk(f)
	if err != nil {
		return fmt.Sprintf("what the file on disk holds cannot be told: %v", err)
	}
	return "the file on disk holds " + listed(s.indexes(f, onDisk))
}

// onDisk says which of the file's hunks the disk holds.
func (s *session) onDisk(f *sessionFile) (func(id int) bool, error) {
	raw, err := os.ReadFile(f.Abs)
	if errors.Is(err, os.ErrNotExist) {
		return func(int) bool { return false }, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := f.codec.decode(raw)
	if err != nil {
		return nil, err
	}
	switch text.Body {
	case f.patch.Base.Body:
		return func(int) bool { return false }, nil
	case f.patch.Compose(s.isApplied(f)):
		return s.isApplied(f), nil
	}
	spots := f.patch.Locate(text.Body, s.isApplied(f))
	found := map[int]bool{}
	for _, h := range f.patch.Hunks {
		in := len(h.Blocks) > 0
		for _, block := range h.Blocks {
			spot, there := spots[block.ID]
			in = in && there && spot.Fit == hunks.FitNew
		}
		found[h.ID] = in
	}
	return func(id int) bool { return found[id] }, nil
}

// byDisk decides by what the files hold: the buffers are gone, or are the files' no more. open: they are still there.
func (s *session) byDisk(why string, open bool) (*review.Outcome, error) {
	out := &review.Outcome{Comment: s.comment, Notes: []string{why}}
	unsaved := 0
	for _, f := range s.files {
		onDisk, err := s.onDisk(f)
		if err != nil {
			return nil, review.Errorf(review.ToolFailed, "%s The file %s cannot be read: %v.", why, f.Path, err)
		}
		file := review.FileOutcome{Path: f.Path, Notes: f.patch.Notes}
		all := true
		for i, h := range f.patch.Hunks {
			o := review.HunkOutcome{Index: f.first + i + 1, Header: h.Header(), State: s.stateOf(f, h.ID), Comment: s.hunks[f.first+i].comment}
			switch {
			case onDisk(h.ID):
				o.State = hunks.Applied
				file.Saved = true
			case o.State == hunks.Applied:
				o.State = hunks.Pending
				unsaved++
			}
			all = all && onDisk(h.ID)
			file.Hunks = append(file.Hunks, o)
		}
		if file.Saved && !all {
			file.AppliedDiff = hunks.Unified(f.Name, f.Name, f.patch.Base,
				f.patch.Base.With(f.patch.Compose(onDisk)))
		}
		out.Files = append(out.Files, file)
	}
	if unsaved > 0 {
		lost := "are lost"
		if open {
			lost = "are only in Neovim"
		}
		out.Notes[0] = fmt.Sprintf("%s; %d applied hunks were never saved and %s.", strings.TrimSuffix(why, "."), unsaved, lost)
	}
	return out, nil
}
