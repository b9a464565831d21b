package approve

import (
	"strings"

	"nvim-agent-diff/hunks"
)

// Payload says what a call would do, for whoever has to approve it. It is a [Write], an [Edit] or a [Read].
type Payload interface{ payload() }

// Write is the payload of a call that writes a whole file.
type Write struct {
	Type             string `json:"type"` // "write"
	Description      string `json:"description"`
	Path             string `json:"path"`
	Sandbox          string `json:"sandbox"`
	Content          string `json:"content"`
	ContentLines     int    `json:"content_lines"`
	ContentBytes     int    `json:"content_bytes"`
	Preview          string `json:"preview"` // the first lines of the content
	PreviewTruncated bool   `json:"preview_truncated"`
	FileExists       bool   `json:"file_exists"`
	ExistingLines    int    `json:"existing_lines"`
	ExistingBytes    int    `json:"existing_bytes"`
}

// Edit is the payload of a call that puts one text in the place of another.
type Edit struct {
	Type          string `json:"type"` // "edit"
	Description   string `json:"description"`
	Path          string `json:"path"`
	Sandbox       string `json:"sandbox"`
	OldString     string `json:"old_string"`
	NewString     string `json:"new_string"`
	ReplaceAll    bool   `json:"replace_all"`
	UnifiedDiff   string `json:"unified_diff"`
	DiffLines     int    `json:"diff_lines"`
	MatchLine     int    `json:"match_line"` // of the first match, counted from 1; 0: there is none
	MatchCount    int    `json:"match_count"`
	ContextBefore string `json:"context_before"` // the lines above the first match
	ContextAfter  string `json:"context_after"`  // and below it
	FileLines     int    `json:"file_lines"`
	FileBytes     int    `json:"file_bytes"`
}

// Read is the payload of a call that reads a file.
type Read struct {
	Type        string `json:"type"` // "read"
	Description string `json:"description"`
	Path        string `json:"path"`
	Sandbox     string `json:"sandbox"`
	FileLines   int    `json:"file_lines"`
	FileBytes   int    `json:"file_bytes"`
	FileExists  bool   `json:"file_exists"`
}

func (*Write) payload() {}
func (*Edit) payload()  {}
func (*Read) payload()  {}

const (
	previewLines = 50
	contextLines = 3
)

// describe is the payload of a request about a file that holds this; nil when its type is not known.
func (r *request) describe(name string, disk hunks.Text) Payload {
	raw := disk.Raw()
	switch r.typ {
	case typeWrite:
		preview, cut := firstLines(r.content, previewLines)
		return &Write{
			Type: typeWrite, Description: r.why, Path: r.path, Sandbox: r.sandbox, Content: r.content,
			ContentLines: hunks.CountLines(r.content), ContentBytes: len(r.content), Preview: preview, PreviewTruncated: cut,
			FileExists: !disk.Missing, ExistingLines: hunks.CountLines(raw), ExistingBytes: len(raw),
		}
	case typeRead:
		return &Read{
			Type: typeRead, Description: r.why, Path: r.path, Sandbox: r.sandbox,
			FileLines: hunks.CountLines(raw), FileBytes: len(raw), FileExists: !disk.Missing,
		}
	case typeEdit:
		return r.describeEdit(name, disk)
	}
	return nil
}

func (r *request) describeEdit(name string, disk hunks.Text) *Edit {
	raw := disk.Raw()
	e := &Edit{
		Type: typeEdit, Description: r.why, Path: r.path, Sandbox: r.sandbox, OldString: r.old, NewString: r.new,
		ReplaceAll: r.all, FileLines: hunks.CountLines(raw), FileBytes: len(raw),
	}
	old := disk.InBody(r.old)
	e.MatchCount = strings.Count(disk.Body, old)
	if e.MatchCount == 0 {
		return e
	}
	before, after, _ := strings.Cut(disk.Body, old)
	e.MatchLine = strings.Count(before, "\n") + 1
	e.ContextBefore = lastLines(before[:strings.LastIndexByte(before, '\n')+1], contextLines)
	_, rest, _ := strings.Cut(after, "\n")
	if strings.HasSuffix(old, "\n") {
		rest = after
	}
	e.ContextAfter, _ = firstLines(rest, contextLines)
	if w, err := r.wants(disk); err == nil {
		e.UnifiedDiff = w.patch.Print(name, name).Text
		e.DiffLines = hunks.CountLines(e.UnifiedDiff)
	}
	return e
}

func firstLines(text string, n int) (first string, cut bool) {
	end := 0
	for ; n > 0; n-- {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			return text, false
		}
		end += i + 1
	}
	return text[:end], end < len(text)
}

// lastLines are the last n of whole lines.
func lastLines(text string, n int) string {
	at := len(text)
	for ; n > 0 && at > 0; n-- {
		at = strings.LastIndexByte(text[:at-1], '\n') + 1
	}
	return text[at:]
}
