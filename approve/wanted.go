package approve

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"nvim-agent-diff/agents"
	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
	"nvim-agent-diff/visible"
)

// wanted is what a call would write.
type wanted struct {
	base  hunks.Text
	patch *hunks.Patch
	raw   string // the file's bytes afterwards
}

// shown is a one-line text as it can be put into a sentence.
func shown(s string) string { return visible.Line(s, false) }

// wants is what the call would write into a file that holds this. The error is a *review.Error.
func (r *request) wants(current hunks.Text) (*wanted, error) {
	w := &wanted{base: current, raw: r.content}
	body := r.content
	if r.typ == typeEdit {
		var err error
		if body, w.raw, err = r.replaced(current); err != nil {
			return nil, err
		}
	}
	var err error
	if w.patch, err = hunks.Place(current, current.Raw(), body); err != nil {
		return nil, r.placeError(err, w.raw == current.Raw())
	}
	if r.typ == typeWrite && current.Body != "" {
		w.patch.Warnings = append(w.patch.Warnings, fmt.Sprintf("This will overwrite existing file (was %d lines, now %d lines)",
			hunks.CountLines(current.Body), hunks.CountLines(r.content)))
	}
	return w, nil
}

// placeError is the error of a call whose text has no place. same: it would write the file's own bytes.
func (r *request) placeError(err error, same bool) error {
	if errors.Is(err, hunks.ErrNothing) && !same {
		return review.Errorf(review.ToolFailed, "%s holds this text already, with other line ends. Nothing was changed.", shown(r.path))
	}
	if errors.Is(err, hunks.ErrNothing) {
		return review.Errorf(review.NothingToChange, "%s already holds this text. Nothing was changed.", shown(r.path))
	}
	return review.Errorf(review.StaleOriginal, "In %s: %v Nothing was changed. Read the file again and propose again.", shown(r.path), err)
}

// replaced is the file after an edit: as text, and as bytes.
func (r *request) replaced(current hunks.Text) (text, raw string, err error) {
	if current.Missing {
		return "", "", review.Errorf(review.ToolFailed, "%s does not exist. Nothing was changed.", shown(r.path))
	}
	old, added := current.InBody(r.old), current.InBody(r.new)
	body, _, err := review.Replace(shown(r.path), current.Body, old, added, r.all)
	if err != nil {
		return "", "", err
	}
	text = current.With(body).Raw()
	if raw = current.Raw(); strings.Contains(raw, r.old) {
		return text, strings.ReplaceAll(raw, r.old, r.new), nil // the tool writes line ends as it is told
	}
	return text, text, nil
}

// errNoArgument says that another text than the proposed one cannot be handed to the tool.
var errNoArgument = errors.New("which of its arguments holds the text cannot be told")

// override are the arguments with which the tool writes this text in the place of the base. The error says why there are
// none.
func (r *request) override(w *wanted, text hunks.Text) (args map[string]any, err error) {
	raw, base := text.Raw(), w.base.Raw()
	if !utf8.ValidString(raw) || text.Missing {
		return nil, errors.New("it cannot be said in JSON")
	}
	if r.typ == typeWrite {
		if r.contentArg == "" {
			return nil, errNoArgument
		}
		return map[string]any{r.contentArg: raw}, nil
	}
	if r.oldArg == "" || r.newArg == "" {
		return nil, errNoArgument
	}
	if before, after, _ := strings.Cut(base, r.old); strings.Count(base, r.old) == 1 {
		if rest, ok := strings.CutPrefix(raw, before); ok && len(rest) >= len(after) && strings.HasSuffix(rest, after) {
			return map[string]any{r.newArg: strings.TrimSuffix(rest, after)}, nil
		}
	}
	if r.all && r.allArg == "" {
		return nil, errNoArgument // the tool would replace every place
	}
	old, added := agents.Span(base, raw)
	args = map[string]any{r.oldArg: old, r.newArg: added}
	if r.allArg != "" {
		args[r.allArg] = false
	}
	return args, nil
}

// verify makes sure that a call with other arguments writes the text that was decided on.
func (r *request) verify(args map[string]any, w *wanted, text hunks.Text) error {
	again := *r
	for name, value := range args {
		switch said, _ := value.(string); name {
		case r.contentArg:
			again.content = said
		case r.oldArg:
			again.old = said
		case r.newArg:
			again.new = said
		case r.allArg:
			again.all = false
		}
	}
	then, err := again.wants(w.base)
	if err != nil {
		return err
	}
	if then.raw != text.Raw() {
		return errors.New("the tool would write something else")
	}
	return nil
}
