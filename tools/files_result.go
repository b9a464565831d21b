package tools

import (
	"fmt"
	"strings"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// reviewedFiles is the structure of a review of many files.
type reviewedFiles struct {
	Message  string          `json:"message"`
	Decision review.Decision `json:"decision"`
	Files    []reviewedFile  `json:"files"`
	Comment  string          `json:"comment"`
}

// reviewedFile is one of them.
type reviewedFile struct {
	reviewed
	Kind hunks.Kind `json:"kind"`
	Done []string   `json:"done"`
}

var reviewedFilesSchema = `{
  "type": "object",
  "properties": {
    "message": {"type": "string", "description": "The whole result as text. Read this first."},
    "decision": {"type": "string", "enum": ["accepted", "rejected"], "description": "accepted: at least one hunk of one file is applied."},
    "files": {
      "type": "array",
      "description": "The files in the order of the patch, but for those that held already what it wants.",
      "items": ` + strings.ReplaceAll(withProperties(reviewedSchema, map[string]string{
	"kind": `{"type": "string", "enum": ["create", "modify", "delete", "rename"], "description": "What was proposed for the file as a whole."}`,
	"done": `{"type": "array", "items": {"type": "string"}, "description": "What was done to the file as a whole, as: created, deleted, renamed to PATH, mode now 100755."}`,
}, "kind", "done"), "\n", "\n      ") + `
    },
    "comment": {"type": "string", "description": "The user's comment on the whole proposal."}
  },
  "required": ["message", "decision", "files", "comment"]
}`

// answerFiles makes the answer of the outcome of a review of many files.
func answerFiles(o *review.Outcome) Result {
	r := reviewedFiles{Decision: o.Decision(), Files: []reviewedFile{}, Comment: o.Comment}
	var out strings.Builder
	for i := range o.Files {
		f := &o.Files[i]
		comment := o.Comment
		if r.Decision == review.Accepted {
			comment = "" // it is said once, at the end
		}
		text := report(f, comment, nil, len(o.Files))
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "== %s\n%s", shown(f.Path), text)
		done := append([]string{}, moves(f)...) // null is no list
		if f.Mode != 0 {
			done = append(done, fmt.Sprintf("mode now %06o", f.Mode))
		}
		r.Files = append(r.Files, reviewedFile{reviewed: newReviewed(f, o.Comment, text, len(o.Files)), Kind: f.Kind, Done: done})
	}
	if len(o.Notes) > 0 || o.Comment != "" && r.Decision == review.Accepted {
		out.WriteByte('\n')
	}
	if o.Comment != "" && r.Decision == review.Accepted {
		fmt.Fprintf(&out, "The user's comment: %s\n", quoted(o.Comment))
	}
	for _, note := range o.Notes {
		out.WriteString(shown(note) + "\n")
	}
	r.Message = out.String()
	return Result{Text: r.Message, Structure: r, Decision: r.Decision}
}
