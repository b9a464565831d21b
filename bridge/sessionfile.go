package bridge

import (
	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
	"nvim-agent-diff/visible"
)

// sessionFile is one file of the review.
type sessionFile struct {
	review.File
	layout
	codec   codec
	disk    hunks.Text // of a review that touches no buffer: what is there
	notices []string
	tick    int
}

// layout is what a file's proposal is decided on by.
type layout struct {
	patch *hunks.Patch
	hunks []*sessionHunk // in display order
}

// sessionHunk is what is known of a hunk without asking.
type sessionHunk struct {
	file    *sessionFile
	id      int          // on the wire: its index in session.hunks
	index   int          // in its file, from 1
	hunk    *hunks.Hunk  // its lines; nil when they are not decided on
	whole   *hunks.Whole // what happens to the file as a whole; nil for a hunk that only changes lines
	state   hunks.State
	comment string       // the person's
	origin  *sessionHunk // what it was cut from at first; nil for a hunk as it was proposed
	edited  bool         // it is the person's version
	written bool         // it was in the buffer when that was last written
}

// divide finds what is decided on in a file: what happens to it as a whole, and its hunks. All lines of a file that is
// created or deleted are one decision with that.
func (f *sessionFile) divide() {
	add := func(h *hunks.Hunk, w *hunks.Whole, state hunks.State) {
		f.hunks = append(f.hunks, &sessionHunk{file: f, index: len(f.hunks) + 1, hunk: h, whole: w, state: state})
	}
	for i := range f.patch.Whole {
		w := &f.patch.Whole[i]
		var lines *hunks.Hunk
		if w.Kind == hunks.Create && len(f.patch.Hunks) > 0 {
			lines = f.patch.Hunks[0]
		}
		add(lines, w, w.State)
	}
	if f.patch.Owner() != nil {
		return
	}
	for _, h := range f.patch.Hunks {
		add(h, nil, h.State)
	}
}

// letThrough is the rule by which the proposal is applied without a review. Nobody but a person deletes or renames files, or
// changes their modes.
func (s *session) letThrough() string {
	for _, h := range s.hunks {
		if h.whole != nil && h.whole.Kind != hunks.Create {
			return ""
		}
	}
	return visible.Line(s.proposal.Auto, false)
}

// newName is what the file is called in a diff after the review.
func (f *sessionFile) newName() string {
	if f.NewName != "" {
		return f.NewName
	}
	return f.Name
}

// header is the line that a hunk is known by.
func (h *sessionHunk) header() string {
	if h.whole != nil {
		return h.whole.Header(h.file.newName())
	}
	return h.hunk.Header()
}

// reason says why a hunk has been in conflict from the start.
func (h *sessionHunk) reason() string {
	if h.whole != nil {
		return h.whole.Reason
	}
	return h.hunk.Reason
}

// blocks are the lines that are decided on in the buffer.
func (h *sessionHunk) blocks() []hunks.Block {
	if h.hunk == nil {
		return nil
	}
	return h.hunk.Blocks
}

// isApplied says which of the file's hunks, by their ids in the patch, are applied as far as we know.
func (f *sessionFile) isApplied(id int) bool {
	isIt := func(h *sessionHunk) bool { return h.hunk != nil && h.hunk.ID == id }
	// As they are numbered at first: looking for each of very many would take long.
	if i := id - 1 + len(f.hunks) - len(f.patch.Hunks); i >= 0 && i < len(f.hunks) && isIt(f.hunks[i]) {
		return f.hunks[i].state == hunks.Applied
	}
	for _, h := range f.hunks {
		if isIt(h) {
			return h.state == hunks.Applied
		}
	}
	return false
}

// kind is what the proposal does to the file as a whole.
func (f *sessionFile) kind() hunks.Kind {
	for i := range f.patch.Whole {
		if kind := f.patch.Whole[i].Kind; kind != hunks.Modify {
			return kind
		}
	}
	return hunks.Modify
}
