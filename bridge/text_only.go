package bridge

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// A review that only composes a text is compared with the disk: there the agent writes. Neovim holds the text in a buffer
// of ours, in which it is what the file's bytes say in UTF-8.

// readDisk is a file of such a review. loaded is what Neovim says of it.
func (s *session) readDisk(f review.File, loaded Value) (*sessionFile, error) {
	text, err := review.ReadDisk(f.Abs)
	if err != nil {
		return nil, review.Errorf(review.ToolFailed, "%s cannot be read: %v. Nothing was changed.", f.Path, err)
	}
	if strings.IndexByte(text.Body, 0) >= 0 {
		return nil, review.Errorf(review.ToolFailed, "%s is a binary file. Nothing was changed.", f.Path)
	}
	file := &sessionFile{File: f, notices: loaded.Key("notices").Texts(), disk: text}
	if !utf8.ValidString(text.Body) {
		file.notices = append(file.notices,
			"The file has bytes that are not UTF-8: the agent may write others in their place, although the diff does not show it.")
	}
	file.patch, err = f.Draft(text)
	if file.patch == nil {
		return nil, err
	}
	return file, err
}

// wholeText is a text as a buffer holds it.
func wholeText(t hunks.Text) *wireText {
	if t.Body == "" {
		return &wireText{Lines: []string{}, EOL: true}
	}
	body, ended := strings.CutSuffix(t.Body, "\n")
	return &wireText{Lines: strings.Split(body, "\n"), EOL: ended}
}

// compose says what the agent may write, and whether it may.
func (s *session) compose(f *sessionFile, report Value, composed hunks.Text, out *review.FileOutcome) {
	out.Text = composed
	if report.Key("changed").Bool() {
		out.Text = f.patch.Base.With(report.Key("text").Text())
		out.UserDiff = hunks.Unified(f.Name, f.Name, composed, out.Text)
	}
	if out.Deleted {
		out.Text = hunks.Text{Missing: true}
	}
	out.Text.Missing = out.Deleted || f.patch.Base.Missing && out.Text.Body == "" && out.Decision() == review.Rejected
	if out.Decision() == review.Rejected {
		return
	}
	switch now, err := review.ReadDisk(f.Abs); {
	case err != nil:
		out.Unwritable = fmt.Sprintf("The file cannot be read any more: %v.", err)
	case now.Missing != f.disk.Missing || now.Raw() != f.disk.Raw():
		out.Unwritable = "The file on disk was changed during the review."
	case report.Key("unsaved_here").Bool():
		out.Unwritable = "The user has changes of the file in Neovim that are not saved: writing it would put them in conflict."
	}
}
