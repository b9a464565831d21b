package bridge

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// What a person could not read, and Neovim would draw for seconds, is refused; one change less is not.
func TestReviewsAreBounded(t *testing.T) {
	changes := func(n int) (base, modified string) {
		return strings.Repeat("same\nold\n", n), strings.Repeat("same\nnew\n", n)
	}
	for _, c := range []struct {
		name  string
		texts func() (base, modified string)
		fits  bool
	}{
		{name: "many changes", texts: func() (string, string) { return changes(maxBlocks) }, fits: true},
		{name: "one change more", texts: func() (string, string) { return changes(maxBlocks + 1) }},
		{name: "many lines", texts: func() (string, string) { return "", strings.Repeat("x\n", maxLines) }, fits: true},
		{name: "one line more", texts: func() (string, string) { return "", strings.Repeat("x\n", maxLines+1) }},
	} {
		base, modified := c.texts()
		s := &session{}
		for _, h := range hunks.Diff(hunks.Text{Body: base}, modified).Hunks {
			s.hunks = append(s.hunks, &sessionHunk{hunk: h})
		}
		err := s.reviewable()
		known, refused := errors.AsType[*review.Error](err)
		if refused == c.fits || refused && !strings.Contains(known.Text, "too much for one review") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Of hidden characters without end some are shown, and that there are more is said.
func TestHiddenCharactersAreBounded(t *testing.T) {
	lines := []string{"+" + strings.Repeat("\u200b", maxHidden), "+\u200b", "+\u200b"}
	list, warnings := hiddenIn(lines)
	want := fmt.Sprintf("There are more than %d invisible characters. Those from row 2 of the diff on are not shown.", maxHidden)
	if len(list) != maxHidden || len(warnings) != 2 || warnings[0] != want || !strings.HasPrefix(warnings[1], "CAREFUL") {
		t.Errorf("%d %q", len(list), warnings)
	}
	if list, warnings := hiddenIn(lines[:1]); len(list) != maxHidden || len(warnings) != 1 {
		t.Errorf("%d %q", len(list), warnings)
	}
}
