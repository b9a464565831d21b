package journal

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// recorder is a reviewer that keeps a journal.
type recorder struct {
	review.Reviewer
	journal *Journal
	wanted  func() bool
	log     *slog.Logger
}

// Record is a reviewer that has every proposal reviewed by another one, and writes down how that ended, as long as that is
// wanted.
func Record(reviewer review.Reviewer, j *Journal, wanted func() bool, log *slog.Logger) review.Reviewer {
	return &recorder{Reviewer: reviewer, journal: j, wanted: wanted, log: log}
}

// patience is how long an answer waits for its entry: a disk, over a network for instance, may not answer.
const patience = time.Second

// Review has the proposal reviewed and written down; see [review.Reviewer].
func (r *recorder) Review(ctx context.Context, p review.Proposal, progress func(string)) (*review.Outcome, error) {
	wanted := make(chan bool, 1)
	go r.guarded(func() { // the person does not wait for that
		defer close(wanted)
		wanted <- r.wanted()
	})
	e := newEntry(&p, time.Now())
	drafts := watchDrafts(&p)
	out, err := r.Reviewer.Review(ctx, p, progress)
	written := make(chan struct{})
	go r.guarded(func() {
		defer close(written)
		if !<-wanted {
			return
		}
		e.end(drafts.all(), out, err)
		if err := r.journal.Append(e); err != nil {
			r.log.Warn("the journal cannot be written", "error", err)
		}
	})
	select {
	case <-written:
	case <-time.After(patience):
		r.log.Warn("the journal takes long to be written")
	}
	return out, err
}

// guarded runs f. What fails in it costs the entry, and nothing else.
func (r *recorder) guarded(f func()) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("the journal panicked", "panic", p)
		}
	}()
	f()
}

// drafts keep the last draft of each file.
type drafts struct {
	mu    sync.Mutex
	files []draft
}

type draft struct {
	patch *hunks.Patch
	print func(*hunks.Patch) string
}

// watchDrafts has the proposal's drafts kept. The files are the caller's own: the reviewer lets go of their texts there.
func watchDrafts(p *review.Proposal) *drafts {
	d := &drafts{files: make([]draft, len(p.Files))}
	for i := range p.Files {
		f := &p.Files[i]
		names := [2]string{f.Name, f.NewName}
		if names[1] == "" {
			names[1] = f.Name
		}
		d.files[i].print = func(patch *hunks.Patch) string {
			if len(patch.Whole) > 0 {
				return patch.PrintGit(names[0], names[1]).Text
			}
			return patch.Print(names[0], names[1]).Text
		}
		if f.Draft == nil {
			continue
		}
		draft := f.Draft
		f.Draft = func(current hunks.Text) (*hunks.Patch, error) {
			patch, err := draft(current)
			if patch != nil {
				proposed := *patch // splitting a hunk replaces it in the patch
				d.mu.Lock()
				d.files[i].patch = &proposed
				d.mu.Unlock()
			}
			return patch, err
		}
	}
	return d
}

// all are the proposed diffs.
func (d *drafts) all() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]string, len(d.files))
	for i, f := range d.files {
		if f.patch != nil {
			out[i] = f.print(f.patch)
		}
	}
	return out
}

// newEntry is the entry of a proposal that nobody has decided yet.
func newEntry(p *review.Proposal, now time.Time) *Entry {
	e := &Entry{
		Time: now, Agent: p.Agent, Tool: p.Tool, Description: p.Description, Root: p.Root, TextOnly: p.TextOnly,
		Files: make([]File, len(p.Files)),
	}
	for i := range p.Files {
		e.Files[i] = File{Path: p.Files[i].Path, Abs: p.Files[i].Abs, To: p.Files[i].NewPath}
	}
	return e
}

// end notes how it ended. A file in which there was nothing to change has no outcome.
func (e *Entry) end(proposed []string, out *review.Outcome, err error) {
	e.Seconds = time.Since(e.Time).Seconds()
	for i := range e.Files {
		e.Files[i].Proposed = proposed[i]
	}
	if err != nil {
		e.Error = err.Error()
	}
	if out == nil {
		return
	}
	e.Decision, e.Comment, e.Notes = out.Decision(), out.Comment, slices.Clone(out.Notes) // cut may shorten them
	at := 0
	for i := range out.Files {
		o := &out.Files[i]
		for at < len(e.Files) && e.Files[at].Path != o.Path {
			at++
		}
		if at == len(e.Files) {
			return
		}
		f := &e.Files[at]
		at++
		f.Decision, f.Hunks, f.Saved, f.Applied = o.Decision(), o.Count(), o.Saved, o.AppliedDiff
		for _, h := range o.Hunks {
			if h.Comment != "" {
				f.Comments = append(f.Comments, h.Comment)
			}
		}
		e.Notes = append(e.Notes, o.Notes...)
		if o.Unsaved != "" {
			e.Notes = append(e.Notes, "Not saved: "+o.Unsaved)
		}
	}
}
