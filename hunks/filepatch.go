package hunks

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// Kind is what a patch does to a file as a whole.
type Kind string

// The kinds.
const (
	Create Kind = "create"
	Modify Kind = "modify" // its lines, its mode, or both
	Delete Kind = "delete"
	Rename Kind = "rename" // and perhaps its lines and mode too
)

// FilePatch is what a patch wants of one file, as it is written: nothing is compared with any file yet.
//
// Names are slash separated and without a/ and b/. They are not checked: they can be absolute or lead out of a folder.
// WrittenOld and WrittenNew are the names with what was taken for a prefix, for a patch without prefixes whose files are
// in a folder called a or b. Of a file that is modified the two names differ where diff compared two files: it is one of
// them, and for who sees the files to say which.
type FilePatch struct {
	OldName, NewName       string // one of them is "" when the file is created or deleted
	WrittenOld, WrittenNew string
	Kind                   Kind
	OldMode, NewMode       uint32 // as Git has them, 0o100644 or 0o100755; 0: not said. Only a NewMode that differs is a change
	Hunks                  []RawHunk
	Merged                 bool     // the patch speaks of the file in several places, whose hunks are one list here
	Line                   int      // where the patch begins to speak of the file, from 1
	Notes                  []string // how sloppy text was read, each one sentence
}

// RawHunk is a hunk as a patch has it.
type RawHunk struct {
	Line    int            // of its header in the patch, from 1
	Start   int            // the line of the file, from 1, that its first line is said to be at; without old lines, the one it goes before; 0: not said
	Anchors []string       // lines of the file that are somewhere above it, the outermost first; as a function's
	AtEnd   bool           // its last line is said to be the file's
	Lines   []gitdiff.Line // each with its "\n", unless it is said to have none
}

// changes says whether the hunk removes or adds a line.
func (h *RawHunk) changes() bool {
	return slices.ContainsFunc(h.Lines, func(l gitdiff.Line) bool { return l.Op != gitdiff.OpContext })
}

// Name is the file's name after the patch, or before it when the patch deletes the file.
func (f FilePatch) Name() string {
	if f.Kind == Delete {
		return f.OldName
	}
	return f.NewName
}

// changesMode says whether the patch sets another mode than the file is said to have.
func (f FilePatch) changesMode() bool {
	return f.Kind != Create && f.NewMode != 0 && f.NewMode != f.OldMode
}

// mayCreate says whether the patch has a meaning where the file does not exist: it creates the file, or only adds lines
// and shows none that are there.
func (f FilePatch) mayCreate() bool {
	if f.Kind != Modify {
		return f.Kind == Create
	}
	for i := range f.Hunks {
		for _, l := range f.Hunks[i].Lines {
			if l.Op != gitdiff.OpAdd {
				return false
			}
		}
	}
	return len(f.Hunks) > 0
}

// PatchErrorKind is what is wrong with a patch.
type PatchErrorKind string

// The kinds of a PatchError.
const (
	PatchSyntax      PatchErrorKind = "syntax"      // it cannot be read
	PatchBinary      PatchErrorKind = "binary"      // it changes a binary file
	PatchUnsupported PatchErrorKind = "unsupported" // a copy, a symbolic link, a submodule, a merge
	PatchDuplicate   PatchErrorKind = "duplicate"   // it wants several things of one file
	PatchTooLarge    PatchErrorKind = "too large"
)

// PatchError says what in a patch cannot be read, where, and what to write instead.
type PatchError struct {
	Kind   PatchErrorKind
	Line   int    // of the patch, from 1
	Reason string // one sentence
	Advice string // one sentence
}

// Error is the line, the reason and the advice.
func (e *PatchError) Error() string {
	return fmt.Sprintf("Line %d of the patch: %s %s", e.Line, e.Reason, e.Advice)
}

// The bounds of a patch: far more than a person reviews, and little enough to be read at once.
const (
	maxPatchSize  = 16 << 20
	maxPatchFiles = 2000
	maxPatchHunks = 20_000
	maxHeaderLine = 8 << 10
)

// ParsePatch reads a patch over one or more files: a unified diff, as Git and diff write it and as language models do, or
// what Codex calls a patch (*** Begin Patch). What is unambiguous is read although it is sloppy: prefixes and counts and
// numbers may be missing or wrong, empty context lines bare, the whole may be in CRLF, in a Markdown fence and between
// prose. The error is a *PatchError.
func ParsePatch(patch string) ([]FilePatch, error) {
	if len(patch) > maxPatchSize {
		return nil, &PatchError{
			PatchTooLarge, 1,
			fmt.Sprintf("the patch has %d bytes, and %d is the most.", len(patch), maxPatchSize),
			"Divide it into several patches.",
		}
	}
	r := newPatchReader(patch)
	read := r.readUnified
	if r.isCodex() {
		read = r.readCodex
	}
	if err := read(); err != nil {
		return nil, err
	}
	if len(r.files) == 0 {
		return nil, r.fail(PatchSyntax, 0, "no change of a file was found in it.", adviceHeader)
	}
	return r.merge()
}

// merge makes one FilePatch of several that change the lines of the same file.
func (r *patchReader) merge() ([]FilePatch, error) {
	seen := map[string]int{} // by name, the index in out
	out := r.files[:0]
	for _, f := range r.files {
		first, again := seen[f.OldName]
		if f.Kind == Modify && again && out[first].Kind == Modify && out[first].NewName == f.NewName {
			g := &out[first]
			g.Hunks, g.Merged = append(g.Hunks, f.Hunks...), true
			g.Notes = append(g.Notes, f.Notes...)
			if f.OldMode != 0 {
				g.OldMode = f.OldMode
			}
			if f.NewMode != 0 {
				g.NewMode = f.NewMode
			}
			continue
		}
		for _, name := range []string{f.OldName, f.NewName} {
			if name == "" {
				continue
			}
			if first, again := seen[name]; again && first != len(out) {
				return nil, r.fail(PatchDuplicate, f.Line-1,
					fmt.Sprintf("%s is in the patch already, from line %d on.", quoteCut(name, name), out[first].Line),
					"Write everything that is to happen to a file in one place.")
			}
			seen[name] = len(out)
		}
		out = append(out, f)
	}
	return out, nil
}

// patchReader has a patch by its lines, and what was read of it.
type patchReader struct {
	text    string
	starts  []int32 // where each line begins; one more at the end
	crlf    bool    // the CR at each line's end belongs to the patch, not to the file
	fenced  bool    // the patch is in a Markdown fence, so that a line of ``` ends a hunk
	inFence bool
	at      int // the line to be read next
	open    *openFile
	files   []FilePatch
	hunks   int
	ahead   []bool // by line, whether a line that is marked as a hunk's comes before the hunk must end; made when needed
}

func newPatchReader(patch string) *patchReader {
	r := &patchReader{text: patch, starts: make([]int32, 0, CountLines(patch)+1)}
	for at := 0; at < len(patch); at += lineEnd(patch[at:]) {
		r.starts = append(r.starts, int32(at))
	}
	r.starts = append(r.starts, int32(min(len(patch), math.MaxInt32)))
	for i := range r.lines() {
		h := r.head(i)
		if isFileMark(h) || isCodexMark(h) {
			r.crlf = strings.HasSuffix(r.line(i), "\r")
			break
		}
		r.fenced = r.fenced || strings.HasPrefix(h, "```")
	}
	return r
}

func (r *patchReader) lines() int { return len(r.starts) - 1 }

// line is a line of the patch without its end; past the last one it is "".
func (r *patchReader) line(i int) string {
	if i >= r.lines() {
		return ""
	}
	s := strings.TrimSuffix(r.text[r.starts[i]:r.starts[i+1]], "\n")
	if r.crlf {
		s = strings.TrimSuffix(s, "\r")
	}
	return s
}

// head is a line that is a header, and to which no CR belongs.
func (r *patchReader) head(i int) string { return strings.TrimSuffix(r.line(i), "\r") }

// fail is the error of the line i, counted from 0.
func (r *patchReader) fail(kind PatchErrorKind, i int, reason, advice string) error {
	return &PatchError{Kind: kind, Line: i + 1, Reason: reason, Advice: advice}
}

const (
	adviceHeader = "Begin each file with the lines `--- a/PATH` and `+++ b/PATH`, and each hunk with `@@ -LINE,COUNT +LINE,COUNT @@`."
	adviceLines  = "Begin each line of a hunk with a space (unchanged), - (removed) or + (added)."
)

// addHunk counts and keeps a hunk of the open file.
func (r *patchReader) addHunk(h RawHunk) error {
	if r.hunks++; r.hunks > maxPatchHunks {
		return r.fail(PatchTooLarge, h.Line-1, fmt.Sprintf("the patch has more than %d hunks.", maxPatchHunks), "Divide it into several patches.")
	}
	r.open.hunks = append(r.open.hunks, h)
	return nil
}

// addFile counts and keeps a file.
func (r *patchReader) addFile(f FilePatch) error {
	if len(r.files) == maxPatchFiles {
		return r.fail(PatchTooLarge, f.Line-1, fmt.Sprintf("the patch has more than %d files.", maxPatchFiles), "Divide it into several patches.")
	}
	r.files = append(r.files, f)
	return nil
}
