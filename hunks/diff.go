package hunks

import (
	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

// contextLines is how many unchanged lines a hunk shows on each side of its changes.
const contextLines = 3

// Diff finds the hunks that turn base into modified, which is a Body: without byte order mark, and without the CR of a
// CRLF file. Equal texts have no hunks. Blocks and hunks are numbered from 1 in order of place.
//
// A line is compared with its "\n", so a change of only the final newline is a change of the last line.
func Diff(base Text, modified string) *Patch { return DiffContext(base, modified, contextLines) }

// DiffContext is Diff with another number of unchanged lines around the changes of each hunk, 0 or more.
func DiffContext(base Text, modified string, context int) *Patch {
	p := &Patch{Base: base, Modified: modified}
	if base.Body == modified {
		return p
	}
	found := textHunks(base.Body, modified, context)
	b := newBuilder(found)
	p.Hunks = make([]*Hunk, len(found))
	hunks := make([]Hunk, len(found))
	fragments := make([]gitdiff.TextFragment, len(found))
	for i := range found {
		hunks[i] = Hunk{ID: i + 1, State: Pending, Fragment: &fragments[i]}
		b.fill(&hunks[i], &found[i])
		p.Hunks[i] = &hunks[i]
	}
	return p
}

// builder makes hunks of the diff's edits. All hunks share few arrays, because a patch may have very many hunks.
type builder struct {
	lines  []gitdiff.Line
	texts  []string
	blocks []Block
	nextID int
}

// newBuilder counts what all hunks need together.
func newBuilder(found []textdiff.Hunk[string]) *builder {
	var lines, texts, blocks int
	for i := range found {
		lines += len(found[i].Edits)
		last := diff.Match
		for _, e := range found[i].Edits {
			if e.Op != diff.Match {
				texts++
				if last == diff.Match {
					blocks++
				}
			}
			last = e.Op
		}
	}
	return &builder{
		lines:  make([]gitdiff.Line, 0, lines),
		texts:  make([]string, 0, texts),
		blocks: make([]Block, 0, blocks),
		nextID: 1,
	}
}

// fill fills in h with the lines of one hunk of the diff.
func (b *builder) fill(h *Hunk, found *textdiff.Hunk[string]) {
	f := h.Fragment
	f.OldPosition = position(found.LineNoX, found.EndLineNoX)
	f.NewPosition = position(found.LineNoY, found.EndLineNoY)
	firstLine, firstBlock := len(b.lines), len(b.blocks)
	line := found.LineNoX
	for edits := found.Edits; len(edits) > 0; {
		if edits[0].Op == diff.Match {
			b.lines = append(b.lines, gitdiff.Line{Op: gitdiff.OpContext, Line: edits[0].Line})
			edits = edits[1:]
			line++
			continue
		}
		old, rest := b.run(edits, diff.Delete, gitdiff.OpDelete)
		added, rest := b.run(rest, diff.Insert, gitdiff.OpAdd)
		b.blocks = append(b.blocks, Block{ID: b.nextID, Line: line, Old: old, New: added})
		b.nextID++
		line += len(old)
		edits = rest
	}
	f.Lines = b.lines[firstLine:len(b.lines):len(b.lines)]
	count(f)
	h.Blocks = b.blocks[firstBlock:len(b.blocks):len(b.blocks)]
}

// run takes the edits of one kind from the front.
func (b *builder) run(edits []textdiff.Edit[string], op diff.Op, lineOp gitdiff.LineOp) (texts []string, rest []textdiff.Edit[string]) {
	first := len(b.texts)
	n := 0
	for n < len(edits) && edits[n].Op == op {
		b.lines = append(b.lines, gitdiff.Line{Op: lineOp, Line: edits[n].Line})
		b.texts = append(b.texts, edits[n].Line)
		n++
	}
	return b.texts[first:len(b.texts):len(b.texts)], edits[n:]
}

// position is a fragment's position for the lines from start to end: it counts from 1, and for no lines at all it is the
// line before, as Git has it.
func position(start, end int) int64 {
	if start == end {
		return int64(start)
	}
	return int64(start) + 1
}

// count fills in a fragment's counts from its lines.
func count(f *gitdiff.TextFragment) {
	f.OldLines, f.NewLines, f.LinesAdded, f.LinesDeleted = 0, 0, 0, 0
	f.LeadingContext, f.TrailingContext = 0, 0
	for _, l := range f.Lines {
		switch l.Op {
		case gitdiff.OpAdd:
			f.LinesAdded++
			f.NewLines++
			f.TrailingContext = 0
		case gitdiff.OpDelete:
			f.LinesDeleted++
			f.OldLines++
			f.TrailingContext = 0
		default:
			f.OldLines++
			f.NewLines++
			if f.LinesAdded+f.LinesDeleted == 0 {
				f.LeadingContext++
			} else {
				f.TrailingContext++
			}
		}
	}
}
