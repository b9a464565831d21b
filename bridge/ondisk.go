package bridge

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// applied says which hunks are in the buffer and on the disk, for an answer that is no decision.
func (s *session) applied() string {
	if s.proposal.TextOnly {
		return "Nothing was changed."
	}
	var said []string
	for _, f := range s.files {
		applied := f.indexes(inBuffer)
		if len(applied) == 0 {
			// A hunk can have been written and taken back.
			if disk := f.describeDisk(); disk != holdsNone {
				said = append(said, fmt.Sprintf("In %s no hunk is applied in the buffer, but %s.", f.Path, disk))
			}
			continue
		}
		said = append(said, fmt.Sprintf("In %s, %s of %d had been applied in the buffer; %s.",
			f.Path, listed(applied), len(f.hunks), f.describeDisk()))
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
		out := &review.Outcome{Comment: s.comment, Notes: slices.Clone(s.leftOut)}
		for _, f := range s.files {
			file, err := s.byDisk(f, "Neovim was closed.", false)
			if err != nil {
				return nil, err
			}
			out.Files = append(out.Files, *file)
		}
		return out, nil
	}
	text := "Neovim ended, or the connection to it broke, before the review was over."
	if s.files == nil || s.proposal.TextOnly {
		return nil, review.Errorf(review.EditorLost, "%s Nothing was changed.", text)
	}
	for _, f := range s.files {
		text += fmt.Sprintf(" In %s, %s of %d had been applied in the buffer; %s.",
			f.Path, listed(f.indexes(inBuffer)), len(f.hunks), f.describeDisk())
	}
	return nil, review.Errorf(review.EditorLost, "%s Read the file before you go on.", text)
}

// inBuffer says whether a hunk is in the buffer. What happens to a file as a whole is not done before the review ends.
func inBuffer(h *sessionHunk) bool { return h.state == hunks.Applied && h.hunk != nil }

// indexes are the numbers of some of the file's hunks, as the agent is told them.
func (f *sessionFile) indexes(chosen func(h *sessionHunk) bool) []string {
	var indexes []string
	for _, h := range f.hunks {
		if chosen(h) {
			indexes = append(indexes, strconv.Itoa(h.index))
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

// holdsNone is what describeDisk says of a file without any of the hunks.
const holdsNone = "the file on disk holds no hunk"

// describeDisk says which hunks are on the disk.
func (f *sessionFile) describeDisk() string {
	text, err := f.textOnDisk()
	if err != nil {
		return fmt.Sprintf("what the file on disk holds cannot be told: %v", err)
	}
	fit := f.fitIn(text)
	said := "the file on disk holds " + listed(f.indexes(func(h *sessionHunk) bool { return h.isIn(fit(h)) }))
	edited := f.indexes(func(h *sessionHunk) bool { return h.isIn(fit(h)) && fit(h) == hunks.FitNeither })
	if len(edited) > 0 {
		said += fmt.Sprintf(" (%s with other changes)", listed(edited))
	}
	return said
}

// isIn says whether a hunk is in a text that it fits so. Where it cannot be found, its lines were edited, and what counts is
// whether it was in the buffer when that was last written.
func (h *sessionHunk) isIn(fit hunks.Fit) bool {
	return fit == hunks.FitNew || fit == hunks.FitNeither && h.written
}

// textOnDisk is what the disk holds.
func (f *sessionFile) textOnDisk() (hunks.Text, error) {
	raw, err := review.ReadPlain(f.where())
	if errors.Is(err, os.ErrNotExist) {
		return hunks.Text{Missing: true}, nil
	}
	if err != nil {
		return hunks.Text{}, err
	}
	return f.codec.decode(raw)
}

// fitIn says how each of the file's hunks fits a text that the disk holds.
func (f *sessionFile) fitIn(text hunks.Text) func(h *sessionHunk) hunks.Fit {
	lines := func(int) hunks.Fit { return hunks.FitOld }
	if !text.Missing {
		lines = f.linesIn(text.Body)
	}
	return func(h *sessionHunk) hunks.Fit {
		switch {
		case h.hunk != nil:
			return lines(h.hunk.ID)
		case f.onDisk(h.whole.Kind):
			return hunks.FitNew
		}
		return hunks.FitOld
	}
}

// linesIn says how the lines of the file's hunks fit a text.
func (f *sessionFile) linesIn(body string) func(id int) hunks.Fit {
	switch body {
	case f.patch.Base.Body:
		return func(int) hunks.Fit { return hunks.FitOld }
	case f.patch.Compose(f.isApplied):
		return func(id int) hunks.Fit {
			if f.isApplied(id) {
				return hunks.FitNew
			}
			return hunks.FitOld
		}
	}
	spots, _ := f.patch.Locate(body, f.isApplied)
	fits := map[int]hunks.Fit{}
	for _, h := range f.patch.Hunks {
		var all hunks.Fit
		for _, block := range h.Blocks {
			spot, there := spots[block.ID]
			if !there || all != "" && spot.Fit != all {
				all = hunks.FitNeither
				break
			}
			all = spot.Fit
		}
		fits[h.ID] = all
	}
	return func(id int) hunks.Fit { return fits[id] }
}

// noteWritten keeps which hunks were in the buffer when it was written.
func (s *session) noteWritten(index int, ids []Value) {
	if index < 1 || index > len(s.files) {
		return
	}
	f := s.files[index-1]
	for _, h := range f.hunks {
		h.written = slices.ContainsFunc(ids, func(id Value) bool { return id.Int() == h.id })
	}
}

// byDisk decides by what the file holds: its buffer is gone, or is the file's no more. open: it is still there. What cannot
// be read decides nothing.
func (s *session) byDisk(f *sessionFile, why string, open bool) (*review.FileOutcome, error) {
	text, err := f.textOnDisk()
	if err != nil {
		return nil, review.Errorf(review.ToolFailed, "%s %s Read the file before you go on.", why, s.applied())
	}
	fit := f.fitIn(text)
	file := &review.FileOutcome{Path: f.Path, Kind: f.kind(), Notes: slices.Clip(f.patch.Notes)}
	unsaved, all, written := 0, true, false
	inFile := map[int]bool{}
	for _, h := range f.hunks {
		o := review.HunkOutcome{
			Index: h.index, Header: h.header(), Whole: h.hunk == nil, State: h.state, Comment: h.comment, Reason: h.reason(),
			Blocks: h.blocks(),
		}
		is := h.isIn(fit(h)) && (h.hunk != nil || h.state == hunks.Applied) // else it was not this review that did it
		switch {
		case is:
			o.State, o.Edited = hunks.Applied, h.edited || fit(h) == hunks.FitNeither
			file.Saved = true
			if h.whole != nil {
				f.done(h, true, &o, file)
			}
		case o.State == hunks.Applied:
			o.State = hunks.Pending
			unsaved++
		}
		written = written || h.written
		if h.hunk != nil {
			inFile[h.hunk.ID] = is
			all = all && is && !o.Edited
		}
		file.Hunks = append(file.Hunks, o)
	}
	f.markPartial(file)
	composed := f.patch.Base.With(f.patch.Compose(func(id int) bool { return inFile[id] }))
	if file.Saved && !all {
		file.AppliedDiff = hunks.Unified(f.Name, f.Name, f.patch.Base, composed)
	}
	if written && f.codec.verbatim() && !text.Missing {
		file.UserDiff = hunks.Unified(f.Name, f.Name, composed, text)
	}
	if unsaved > 0 {
		lost := "are lost"
		if open {
			lost = "are only in Neovim"
		}
		why = fmt.Sprintf("%s; %d applied hunks were never saved and %s.", strings.TrimSuffix(why, "."), unsaved, lost)
	}
	file.Notes = append(file.Notes, why)
	return file, nil
}

// where is the file's path on the disk now: it may have been renamed by this review.
func (f *sessionFile) where() string {
	if f.NewAbs != "" && f.onDisk(hunks.Rename) {
		return f.NewAbs
	}
	return f.Abs
}

// onDisk says whether the disk shows a change of the file as a whole.
func (f *sessionFile) onDisk(kind hunks.Kind) bool {
	info, err := os.Lstat(f.Abs)
	missing := errors.Is(err, fs.ErrNotExist)
	switch kind {
	case hunks.Create:
		return err == nil
	case hunks.Delete:
		return missing
	case hunks.Rename:
		info, err := os.Lstat(f.NewAbs)
		return missing && err == nil && info.Mode().IsRegular()
	}
	if missing && f.NewAbs != "" {
		info, err = os.Lstat(f.NewAbs)
	}
	for i := range f.patch.Whole {
		if w := &f.patch.Whole[i]; w.Kind == hunks.Modify {
			return err == nil && (info.Mode()&0o100 != 0) == (w.NewMode&0o100 != 0)
		}
	}
	return false
}
