package agents

import (
	"context"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// Unasked reviews what the user's rules let through ([review.Proposal.Auto]) where there is no editor that could do it: to
// compose a text needs none. Everything else is the next reviewer's.
type Unasked struct{ Next review.Reviewer }

var _ review.Reviewer = Unasked{}

// Read returns the file as the person sees it; see [review.Reviewer].
func (u Unasked) Read(ctx context.Context, abs string) (*review.Document, error) {
	return u.Next.Read(ctx, abs)
}

// Review shows the proposal, or lets it through; see [review.Reviewer].
func (u Unasked) Review(ctx context.Context, p review.Proposal, progress func(string)) (*review.Outcome, error) {
	out, err := u.Next.Review(ctx, p, progress)
	if err == nil || asError(err).Code != review.EditorUnavailable || p.Auto == "" || !p.TextOnly {
		return out, err
	}
	out = &review.Outcome{Auto: true}
	for _, f := range p.Files {
		file, ok := unasked(f)
		if !ok {
			return nil, err // a person has to look at it
		}
		out.Files = append(out.Files, file)
	}
	return out, nil
}

// unasked is a file with all that is wanted of it; false where not all can be done, or a file would go or move.
func unasked(f review.File) (review.FileOutcome, bool) {
	text, err := review.ReadDisk(f.Abs)
	if err != nil {
		return review.FileOutcome{}, false
	}
	p, err := f.Draft(text)
	if err != nil {
		return review.FileOutcome{}, false
	}
	out := review.FileOutcome{Path: f.Path, Text: p.Base.With(p.Modified)}
	for i := range p.Whole {
		if p.Whole[i].Kind != hunks.Create {
			return out, false
		}
		out.Hunks = append(out.Hunks, review.HunkOutcome{Index: 1, Header: p.Whole[i].Header(f.Name), State: hunks.Applied})
	}
	for _, h := range p.Hunks {
		if h.State == hunks.Conflict {
			return out, false
		}
		out.Hunks = append(out.Hunks, review.HunkOutcome{Index: len(out.Hunks) + 1, Header: h.Header(), State: hunks.Applied})
	}
	return out, true
}
