// Package review holds the words that tools (who ask) and editors (who answer) share: a proposal goes in, an outcome
// or an [Error] comes out. It knows neither MCP nor Neovim, so that every tool can stand on every reviewer.
package review

import (
	"context"

	"nvim-agent-diff/hunks"
)

// MaxFile is how many bytes a file may have, also after an edit: Neovim and we hold it in memory, some times over.
const MaxFile = 64 << 20

// Proposal is one wanted change of one or more files, decided in one sitting.
type Proposal struct {
	Tool        string // the tool that was called, as "propose_file_edit"
	Agent       string // the calling program's name for the review's head; may be empty
	Description string // why, in the agent's words; hostile input
	Root        string // absolute folder that the names in the diff header are relative to
	Files       []File // at least one
	// TextOnly proposals never touch a buffer or a file: the review compares with the disk, because the agent writes there,
	// and only composes the text that it may write ([FileOutcome.Text]; gates, batches).
	TextOnly bool

	// Key identifies the call, its tool and arguments; approvals of exactly this call are remembered by it. It may be nil. A
	// reviewer that waits sets it to nil: it holds the arguments.
	Key func() string
	// Auto is the rule that lets the proposal through: it is applied without a review. Where that cannot be done as
	// proposed, the person is asked after all. Empty for a review.
	Auto string
	// Remember says that the person may let the like of it through from now on, Session that they may do so for a session.
	Remember, Session bool
}

// File is the change that a proposal wants in one file.
type File struct {
	Path string // as the agent gave it: texts and results repeat it
	Abs  string // absolute, symbolic links resolved; where the editor reads and writes
	Name string // slash separated, relative to Proposal.Root; the diff header says a/NAME and b/NAME
	// NewPath, NewAbs and NewName are where the file goes, in the same forms, when the proposal renames it; else "".
	NewPath, NewAbs, NewName string
	// Written says that the tool writes the whole file, whatever it held.
	Written bool
	// Call says that it is no file: it stands for a call that writes no text, and its lines say what the call does. To accept
	// it is to let the call run. Only TextOnly proposals have such.
	Call bool
	// Draft turns the file's text at the review's turn into hunks: not before, because an earlier review may have changed
	// the file, and again when the text changes before the review is drawn. Then the reviewer sets it to nil, because
	// its texts are large and a review may last for hours. It returns an *Error when there is nothing to review, and
	// with one of code StaleOriginal perhaps a Patch too, in which everything is in conflict: for the case that there is
	// something to review in other files. The patch's base is current; of a TextOnly proposal it may be a part of it, a
	// notebook's cell for instance.
	Draft func(current hunks.Text) (*hunks.Patch, error)
}

// Places are the file, and what it will be where it goes.
func (f File) Places() []File {
	if f.NewAbs == "" {
		return []File{f}
	}
	moved := f
	moved.Path, moved.Abs, moved.Name = f.NewPath, f.NewAbs, f.NewName
	return []File{f, moved}
}

// Decision is a person's answer. A review that ends by a decision always has one of the two.
type Decision string

// The two decisions.
const (
	Accepted Decision = "accepted" // at least one hunk was in the source when the review ended
	Rejected Decision = "rejected"
)

// Outcome is how a review ended by a decision.
type Outcome struct {
	Files   []FileOutcome
	Comment string   // the person's comment on the whole proposal
	Notes   []string // further facts the agent must know, each one sentence
	Auto    bool     // it was applied by Proposal.Auto, and nobody has reviewed it
	// Remember is what the person wants to let through from now on; nil for nothing.
	Remember *Remember
}

// Remember is a person's wish not to be asked again.
type Remember struct {
	Scope  string // "file", "folder" or "tool"
	Path   string // File.Abs of the file that is meant, or whose folder is
	Always bool   // else for the session
}

// FileOutcome is what became of one file of a proposal.
type FileOutcome struct {
	Path  string     // File.Path
	Kind  hunks.Kind // what the proposal does to the file as a whole
	Hunks []HunkOutcome
	// AppliedDiff is the unified diff of what the review changed in the file; empty when nothing was, or when
	// everything was applied as proposed.
	AppliedDiff string
	// UserDiff is the unified diff of what the person changed in the source during the review besides the hunks.
	UserDiff string
	// Direct says that there was no editor: the reviewer changed the file itself.
	Direct  bool
	Saved   bool   // the disk, read again, holds what was meant
	Unsaved string // why it was not saved, one sentence; empty when Saved or nothing was to be saved
	// FormatDiff is the unified diff of what saving changed further (a formatter on save).
	FormatDiff string
	// Diagnostics is what the editor reports about the file since hunks were applied, and did not before. It is bounded.
	Diagnostics []Diagnostic
	Notes       []string // further facts about this file, each one sentence

	// What was done to the file as a whole, as the disk shows it afterwards.
	Created, Deleted bool
	RenamedTo        string // File.NewPath; "" when it was not renamed
	Mode             uint32 // as Git writes it, when the proposal changed it; else 0

	// Text is what the agent may write, of a TextOnly proposal: Raw is the file's bytes. What the person changed besides
	// is in it. Missing means that the file does not exist and shall not.
	Text hunks.Text
	// Unwritable is why the agent must not write Text all the same, one sentence: the disk holds something else by now, or
	// the editor changes that are not saved. Empty when it may.
	Unwritable string
}

// Diagnostic is something that a language server, say, reports about a file.
type Diagnostic struct {
	Line     int    `json:"line"`     // from 1
	Severity string `json:"severity"` // error, warning, information or hint
	Source   string `json:"source"`   // who reports it; may be empty
	Message  string `json:"message"`
}

// HunkOutcome is one hunk at the end of a review.
type HunkOutcome struct {
	Index         int    // 1-based, in the order of the file
	Header        string // its line "@@", or what happens to the file as a whole, as "rename to NAME"
	Whole         bool   // it changes no line, only the file as a whole
	State         hunks.State
	Edited        bool   // applied, and changed by the person since, or applied in the person's own version
	Partial       bool   // a part of a proposed hunk: some of its lines were decided otherwise
	StillInBuffer bool   // not marked as applied, but its text is in the source (toggle_applied = "mark")
	Comment       string // the person's
	Reason        string // why it is in conflict
	Tried         bool   // it is in conflict although the person accepted it
	// Blocks are the lines that it changes of the text as it was at the review's turn; none where no line changes.
	Blocks []hunks.Block
}

// Decision says how the whole review was decided.
func (o *Outcome) Decision() Decision {
	for i := range o.Files {
		if o.Files[i].Decision() == Accepted {
			return Accepted
		}
	}
	return Rejected
}

// Decision says how this file was decided: accepted if at least one hunk is in the source.
func (f *FileOutcome) Decision() Decision {
	for i := range f.Hunks {
		if f.Hunks[i].InSource() {
			return Accepted
		}
	}
	return Rejected
}

// InSource says whether what the hunk wants was done.
func (h *HunkOutcome) InSource() bool { return h.State == hunks.Applied || h.StillInBuffer }

// Count is how many hunks are in each state.
type Count struct {
	Total    int `json:"total"`
	Applied  int `json:"applied"`
	Rejected int `json:"rejected"`
	Pending  int `json:"pending"`
	Conflict int `json:"conflict"`
}

// Count counts the file's hunks by state.
func (f *FileOutcome) Count() Count {
	c := Count{Total: len(f.Hunks)}
	for _, h := range f.Hunks {
		switch h.State {
		case hunks.Applied:
			c.Applied++
		case hunks.Rejected:
			c.Rejected++
		case hunks.Pending:
			c.Pending++
		case hunks.Conflict:
			c.Conflict++
		}
	}
	return c
}

// Document is a file as the person sees it.
type Document struct {
	Text    hunks.Text
	Loaded  bool // it is open in the editor
	Unsaved bool // the editor's text differs from the disk
}

// Reviewer shows proposals to a person and reads files as that person sees them. Implementations are safe for
// concurrent use; reviews of one editor are shown one after the other in order of arrival.
type Reviewer interface {
	// Review blocks until the review has ended, or ctx has. The error is always an *Error. When ctx ends first, the
	// review is closed with a notice, nothing is taken back, and the error has code Cancelled and names what had been
	// applied. progress may be nil; it is called with a short sentence whenever the waiting has a new reason.
	Review(ctx context.Context, p Proposal, progress func(string)) (*Outcome, error)
	// Read returns the file as the person sees it: the buffer when it is loaded, else the disk. abs is absolute, with
	// symbolic links resolved.
	Read(ctx context.Context, abs string) (*Document, error)
}
