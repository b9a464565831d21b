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
	of := files(len(o.Files))
	declined := false
	for i := range o.Files {
		f := &o.Files[i]
		comment := o.Comment
		if f.Decision() == review.Accepted {
			comment = "" // it is said at the end
		}
		text := report(f, comment, nil, of)
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "== %s\n%s", shown(f.Path), text)
		if of.brief() {
			text, _, _ = strings.Cut(text, "\n")
		}
		done := append([]string{}, moves(f)...) // null is no list
		if f.Mode != 0 {
			done = append(done, fmt.Sprintf("mode now %06o", f.Mode))
		}
		declined = declined || f.Decision() == review.Rejected && !unapplied(f)
		r.Files = append(r.Files, reviewedFile{reviewed: newReviewed(f, o.Comment, text, of), Kind: f.Kind, Done: done})
	}
	out.WriteString(filesEnd(o, of, declined))
	r.Message = out.String()
	return Result{Text: r.Message, Structure: r, Decision: r.Decision}
}

// filesEnd is what is said of all files together. declined: the person said no to one of them at least.
func filesEnd(o *review.Outcome, of files, declined bool) string {
	var out strings.Builder
	switch {
	case of.brief() && declined && o.Comment != "":
		out.WriteString("Of the files that were rejected: " + review.StopOtherwiseText + "- " + quoted(o.Comment) + "\n")
	case of.brief() && declined:
		out.WriteString("Of the files that were rejected: " + review.StopText)
	case o.Comment != "" && o.Decision() == review.Accepted:
		out.WriteString("The user's comment: " + quoted(o.Comment) + "\n")
	}
	for _, note := range o.Notes {
		out.WriteString(shown(note) + "\n")
	}
	if out.Len() == 0 {
		return ""
	}
	return "\n" + out.String()
}
