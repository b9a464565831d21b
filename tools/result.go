package tools

import (
	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// Result is what a tool answers.
type Result struct {
	Text string // what the agent reads
	// Structure repeats Text and is complete in itself, because some clients show their model only it. It marshals to
	// the tool's output schema; it is nil when Err is not.
	Structure any
	Decision  review.Decision // of a review; "" when Err is not nil
	Same      bool            // of a diff: there is no difference
	Err       *review.Error
}

// failed is the answer that an error makes. state says what is known of the files, where the error itself does not.
func failed(err error, state string) Result {
	e := asError(err, state)
	return Result{Text: e.Error(), Err: e}
}

// reviewed is the structure of a review of one file.
type reviewed struct {
	Message     string          `json:"message"` // first: what is cut is cut at the end
	Decision    review.Decision `json:"decision"`
	Path        string          `json:"path"`
	Saved       bool            `json:"saved"`
	Hunks       review.Count    `json:"hunks"`
	HunkResults []hunkResult    `json:"hunk_results"`
	// HunkResultsOmitted is how many hunks, all applied as proposed if that is possible, are not in HunkResults.
	HunkResultsOmitted int    `json:"hunk_results_omitted,omitempty"`
	AppliedDiff        string `json:"applied_diff"`
	Comment            string `json:"comment"`

	Diagnostics []review.Diagnostic `json:"diagnostics,omitempty"`
}

type hunkResult struct {
	Index         int         `json:"index"`
	Header        string      `json:"header"`
	State         hunks.State `json:"state"`
	Edited        bool        `json:"edited"`
	Partial       bool        `json:"partial"`
	Comment       string      `json:"comment,omitempty"`
	StillInBuffer bool        `json:"still_in_buffer"`
}

// reviewedSchema is the JSON schema of reviewed.
const reviewedSchema = `{
  "type": "object",
  "properties": {
    "message": {"type": "string", "description": "The whole result as text. Read this first."},
    "decision": {"type": "string", "enum": ["accepted", "rejected"], "description": "accepted: at least one hunk is applied."},
    "path": {"type": "string", "description": "The file, as it was given."},
    "saved": {"type": "boolean", "description": "Whether the file on disk holds the result."},
    "hunks": {
      "type": "object",
      "description": "How many hunks are in each state.",
      "properties": {
        "total": {"type": "integer"},
        "applied": {"type": "integer"},
        "rejected": {"type": "integer"},
        "pending": {"type": "integer", "description": "Left undecided by the user: not applied."},
        "conflict": {"type": "integer", "description": "Not applied because the file has changed there."}
      },
      "required": ["total", "applied", "rejected", "pending", "conflict"]
    },
    "hunk_results": {
      "type": "array",
      "description": "The hunks in the order of the file.",
      "items": {
        "type": "object",
        "properties": {
          "index": {"type": "integer", "description": "Counted from 1."},
          "header": {"type": "string", "description": "The hunk's @@ line, or what happens to the file as a whole."},
          "state": {"type": "string", "enum": ["applied", "rejected", "pending", "conflict"]},
          "edited": {"type": "boolean", "description": "Applied, and changed by the user."},
          "partial": {"type": "boolean", "description": "Only a part of a proposed hunk."},
          "comment": {"type": "string", "description": "The user's comment on this hunk."},
          "still_in_buffer": {"type": "boolean", "description": "Not marked as applied, but its text is in the buffer."}
        },
        "required": ["index", "header", "state", "edited", "partial", "still_in_buffer"]
      }
    },
    "hunk_results_omitted": {"type": "integer", "description": "How many further hunks are not listed."},
    "applied_diff": {"type": "string", "description": "What was really changed in the file, when that is not what was proposed."},
    "comment": {"type": "string", "description": "The user's comment on the whole proposal."},
    "diagnostics": {
      "type": "array",
      "description": "What the editor reports about the file since hunks were applied, and did not before.",
      "items": {
        "type": "object",
        "properties": {
          "line": {"type": "integer"},
          "severity": {"type": "string", "enum": ["error", "warning", "information", "hint"]},
          "source": {"type": "string"},
          "message": {"type": "string"}
        },
        "required": ["line", "severity", "source", "message"]
      }
    }
  },
  "required": ["message", "decision", "path", "saved", "hunks", "hunk_results", "applied_diff", "comment"]
}`

// maxHunkResults bounds the list of hunks: clients cut long results, and nothing says where.
const maxHunkResults = 100

// newReviewed is the structure of one file's outcome, which is one of so many in the result. message is its text.
func newReviewed(f *review.FileOutcome, comment, message string, of files) reviewed {
	r := reviewed{
		Message: message, Decision: f.Decision(), Path: f.Path, Saved: f.Saved, Hunks: f.Count(),
		HunkResults: []hunkResult{}, AppliedDiff: cut(f.AppliedDiff, of.share(appliedLimit)), Comment: comment,
		Diagnostics: f.Diagnostics,
	}
	// When not all have a place, those not applied as proposed come first.
	limit := of.hunkResults()
	room := limit
	for i := range f.Hunks {
		if !asProposed(&f.Hunks[i]) && room > 0 {
			room--
		}
	}
	told := limit
	for i := range f.Hunks {
		h := &f.Hunks[i]
		left := &told
		if asProposed(h) {
			left = &room
		}
		if *left == 0 {
			r.HunkResultsOmitted++
			continue
		}
		*left--
		r.HunkResults = append(r.HunkResults, hunkResult{
			Index: h.Index, Header: h.Header, State: h.State, Edited: h.Edited, Partial: h.Partial,
			Comment: h.Comment, StillInBuffer: h.StillInBuffer,
		})
	}
	return r
}

// asProposed says whether a hunk is in the file just as the agent proposed it, and there is nothing to say about it.
func asProposed(h *review.HunkOutcome) bool {
	return h.State == hunks.Applied && !h.Edited && !h.Partial && h.Comment == ""
}
