package journal

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"nvim-agent-diff/review"
)

// Entry is one proposal and what became of it. Its texts are the agent's and the file's: hostile.
type Entry struct {
	Time        time.Time       `json:"time"` // when it was proposed
	Seconds     float64         `json:"seconds"`
	Agent       string          `json:"agent"`
	Tool        string          `json:"tool"`
	Description string          `json:"description"`
	Root        string          `json:"root"`
	TextOnly    bool            `json:"text_only,omitempty"` // the agent was to write the file itself
	Decision    review.Decision `json:"decision,omitempty"`  // none when it ended in an error
	Error       string          `json:"error,omitempty"`
	Comment     string          `json:"comment,omitempty"` // the person's
	Notes       []string        `json:"notes,omitempty"`
	Files       []File          `json:"files"`
	// Cut says that texts of the entry were too large, and end before their end.
	Cut bool `json:"cut,omitempty"`
}

// File is one file of a proposal.
type File struct {
	Path     string          `json:"path"` // as the agent gave it
	Abs      string          `json:"abs"`
	To       string          `json:"to,omitempty"` // where the proposal moves it
	Decision review.Decision `json:"decision,omitempty"`
	Hunks    review.Count    `json:"hunks"`
	Saved    bool            `json:"saved"`
	Comments []string        `json:"comments,omitempty"` // the person's, on hunks
	// Proposed is the diff that was proposed; "" when it was never compared with the file.
	Proposed string `json:"proposed,omitempty"`
	// Applied is the diff of what was really changed; "" when that is nothing, or everything as it was proposed.
	Applied string `json:"applied,omitempty"`
}

// line is the entry as a line. One that is too long loses the ends of its diffs, then of its other texts.
func (e *Entry) line() ([]byte, error) {
	line, err := marshal(e)
	// A byte can take six in JSON.
	for limit := maxEntry / 2; err == nil && len(line) > maxEntry && limit > 16; limit /= 4 {
		e.cut(limit / max(1, len(e.Files)))
		line, err = marshal(e)
	}
	return line, err
}

func marshal(e *Entry) ([]byte, error) {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(e)
	return []byte(out.String()), err
}

// cut makes no text longer than limit bytes, and drops files when there are still too many.
func (e *Entry) cut(limit int) {
	limit = max(limit, 16)
	e.Cut = true
	texts := []*string{&e.Agent, &e.Tool, &e.Description, &e.Root, &e.Error, &e.Comment}
	for i := range e.Notes {
		texts = append(texts, &e.Notes[i])
	}
	if most := maxEntry / 2 / 1024; len(e.Files) > most {
		e.Files = e.Files[:most]
	}
	for i := range e.Files {
		f := &e.Files[i]
		texts = append(texts, &f.Path, &f.Abs, &f.To, &f.Proposed, &f.Applied)
		for j := range f.Comments {
			texts = append(texts, &f.Comments[j])
		}
	}
	for _, text := range texts {
		*text = cutText(*text, limit)
	}
}

// cutText is at most limit bytes of a text, whole lines when it has some.
func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	text = text[:limit]
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		return text[:i+1]
	}
	for text != "" && !utf8.ValidString(text[max(0, len(text)-utf8.UTFMax):]) {
		text = text[:len(text)-1]
	}
	return text
}
