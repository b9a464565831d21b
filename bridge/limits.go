package bridge

import "nvim-agent-diff/review"

// What a review may hold. Neovim would not answer for seconds with more, and nobody would read it.
const (
	maxBlocks = 20_000    // changes
	maxLines  = 1_000_000 // that are deleted or added
)

// reviewable says whether the review is not too large.
func (s *session) reviewable() error {
	blocks, lines := 0, 0
	for _, h := range s.hunks {
		blocks += len(h.blocks())
		for _, b := range h.blocks() {
			lines += len(b.Old) + len(b.New)
		}
	}
	if blocks <= maxBlocks && lines <= maxLines {
		return nil
	}
	return review.Errorf(review.ToolFailed, "This is too much for one review: %d separate changes with %d lines (at most %d and %d). "+
		"Nothing was changed. Propose it in several smaller parts.", blocks, lines, maxBlocks, maxLines)
}
