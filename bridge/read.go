package bridge

import (
	"context"
	"errors"
	"strings"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// read is a file as the person sees it, from what load says of it. When nothing that is wanted has a place in it, both are
// there, the file and the error.
func (s *session) read(ctx context.Context, f review.File, loaded Value) (*sessionFile, error) {
	if s.proposal.TextOnly {
		return s.readDisk(f, loaded)
	}
	text, code, loaded, err := s.text(ctx, f.Abs, loaded)
	if err != nil {
		return nil, err
	}
	file := &sessionFile{
		File: f, codec: code, notices: loaded.Key("notices").Texts(), tick: loaded.Key("tick").Int(),
	}
	if code.bytes {
		file.notices = append(file.notices, "The file has bytes that are not UTF-8: they are left as they are.")
	}
	if err := loaded.Err(); err != nil {
		return nil, err
	}
	if strings.IndexByte(text.Body, 0) >= 0 {
		return nil, review.Errorf(review.ToolFailed, "%s is a binary file. Nothing was changed.", f.Path)
	}
	file.patch, err = f.Draft(text)
	var known *review.Error
	if errors.As(err, &known) && loaded.Key("unsaved").Bool() &&
		(known.Code == review.StaleOriginal || known.Code == review.NothingToChange) {
		// The agent may have looked at the disk, and would do so again.
		err = review.Errorf(known.Code, "%s The text that counts is the one in Neovim, which is not saved: "+
			"ask the user to save it.", known.Text)
	}
	if file.patch == nil {
		return nil, err
	}
	return file, err
}

// text is the file's text as load found it: from the disk where the buffer seems to be the same, because that is faster.
// The buffer is read again when it is not the same although it should be; loaded then says what it is now.
func (s *session) text(ctx context.Context, abs string, loaded Value) (hunks.Text, codec, Value, error) {
	for tries := 0; ; tries++ {
		crlf, bom := loaded.Key("crlf").Bool(), loaded.Key("bom").Bool()
		disk, body := loaded.Key("disk"), loaded.Key("text")
		var raw []byte
		if !disk.IsNil() {
			var err error
			if raw, err = review.ReadPlain(abs); err != nil {
				return hunks.Text{}, codec{}, loaded, review.Errorf(review.ToolFailed, "%v. Nothing was changed.", err)
			}
			text := hunks.NewText(string(raw))
			if !s.exact && sameFile(text, crlf, bom, disk, loaded.Key("eol").Bool()) {
				return text, codec{}, loaded, loaded.Err()
			}
			var answer Value
			if err := s.editor.call(ctx, s.progress, &answer, "text", s.ref, abs); err != nil {
				return text, codec{}, loaded, err
			}
			body = answer.Key("text")
		}
		code := codecOf(loaded.Key("encoding").Text(), body.Text(), crlf)
		text := code.text(body.Text(), crlf, bom)
		if disk.IsNil() || text.Raw() == string(raw) || tries > 1 {
			text.Missing = loaded.Key("missing").Bool() && text.Body == ""
			return text, code, loaded, errors.Join(body.Err(), loaded.Err())
		}
		var again Value
		if err := s.editor.call(ctx, s.progress, &again, "unlike", s.ref, abs); err != nil {
			return text, code, loaded, err
		}
		loaded = again
	}
}

// sameFile says whether what was read from the disk is what the buffer holds, by its form, its lines and its bytes, which
// Neovim counts with a newline after the last line.
func sameFile(read hunks.Text, crlf, bom bool, disk Value, eol bool) bool {
	bytes, lines := len(read.Body), strings.Count(read.Body, "\n")
	if bytes == 0 {
		return false // an empty file, and its one phantom line, are for Lua to tell
	}
	if !strings.HasSuffix(read.Body, "\n") {
		if eol {
			return false
		}
		bytes++
		lines++
	} else if !eol {
		return false
	}
	return read.CRLF == crlf && read.BOM == bom &&
		bytes == disk.Key("bytes").Int() && lines == disk.Key("lines").Int()
}
