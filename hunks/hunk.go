// Package hunks is the model of a change under decision: texts in; blocks, hunks, their states, the resulting text and
// a patch out. It is pure: no goroutine, clock, file, log or editor.
//
// Lines are counted from 0 and ranges exclude their end, except in hunk headers, which count from 1 as diff does.
package hunks

import "github.com/bluekeyes/go-gitdiff/gitdiff"

// Text is a file's text as an editor holds it. Line endings and byte order mark belong to the file, not to the text:
// Body has neither a BOM nor the CR of a file whose lines all end in CRLF.
type Text struct {
	Body    string // lines, each ended by "\n", except the last where the file has no final newline; "" is an empty file
	CRLF    bool   // every line of the file ends in CRLF
	BOM     bool   // the file begins with a byte order mark
	Missing bool   // the file does not exist; Body is then ""
}

// Block is one run of removed and added lines with no context inside: the smallest thing that is anchored in a buffer.
// At least one of Old and New is not empty. A line is its text with its "\n"; only the last line of a file may lack it.
type Block struct {
	ID   int      // unique in its Patch, from 1, stable
	Line int      // index in the base of the first removed line; for an insertion, of the line it goes before; -1: no place
	Old  []string // removed lines
	New  []string // added lines
}

// Hunk is the unit that a person decides on: neighbouring blocks with their context.
type Hunk struct {
	ID     int     // unique in its Patch, from 1, stable
	Blocks []Block // in order
	State  State   // Pending, or Conflict when no place was found for it
	Reason string  // why State is Conflict
	Moved  bool    // placed by its context elsewhere than the agent believed
	// Fragment is the hunk in go-gitdiff's form, with its context, against the base. Read only.
	Fragment *gitdiff.TextFragment
}

// Patch is one file's proposed change: its base text, what happens to the file as a whole, and its hunks in order of place.
type Patch struct {
	Base     Text
	Modified string  // the whole proposed text, as Base.Body with every placed hunk applied
	Whole    []Whole // what happens to the file as a whole, before its lines
	Hunks    []*Hunk
	Notes    []string // facts the agent should know of how the proposal was read, each one sentence
	Warnings []string // what the person should see above the hunks, each one sentence

	lastHunk, lastBlock int // the highest ids ever given by a split
}

// Clone is a patch that can be divided and rewritten without changing this one.
func (p *Patch) Clone() *Patch {
	out := *p
	out.Hunks = make([]*Hunk, len(p.Hunks))
	for i, h := range p.Hunks {
		copied := *h
		out.Hunks[i] = &copied
	}
	return &out
}

// State is how a hunk stands.
type State string

// The states of a hunk.
const (
	Pending  State = "pending"
	Applied  State = "applied"
	Rejected State = "rejected"
	Conflict State = "conflict"
)
