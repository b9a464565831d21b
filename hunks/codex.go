package hunks

import (
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// The lines that Codex's patches are made of, besides those of hunks.
const (
	codexBegin  = "*** Begin Patch"
	codexEnd    = "*** End Patch"
	codexAdd    = "*** Add File:"
	codexDelete = "*** Delete File:"
	codexUpdate = "*** Update File:"
	codexMove   = "*** Move to:"
	codexEOF    = "*** End of File"
)

const adviceCodex = "Write `*** Update File: PATH`, `*** Add File: PATH` or `*** Delete File: PATH`, and below it hunks that begin with @@."

// isCodexMark says whether a line is one of Codex's own.
func isCodexMark(line string) bool {
	if !strings.HasPrefix(line, "*** ") {
		return false
	}
	switch strings.TrimSpace(line) {
	case codexBegin, codexEnd, codexEOF:
		return true
	}
	return isCodexFile(line) || strings.HasPrefix(line, codexMove)
}

// isCodexFile says whether a line begins a file.
func isCodexFile(line string) bool {
	return strings.HasPrefix(line, codexAdd) || strings.HasPrefix(line, codexDelete) || strings.HasPrefix(line, codexUpdate)
}

// isCodex says whether the patch is in Codex's syntax: such a file comes before any of a unified diff.
func (r *patchReader) isCodex() bool {
	for i := range r.lines() {
		switch line := r.head(i); {
		case isCodexFile(line):
			return true
		case isFileMark(line) || strings.HasPrefix(line, "@@"):
			return false
		}
	}
	return false
}

// readCodex reads a patch in Codex's syntax.
func (r *patchReader) readCodex() error {
	for r.at < r.lines() {
		line := r.head(r.at)
		var err error
		switch {
		case strings.HasPrefix(line, codexAdd):
			err = r.codexFile(Create, codexAdd)
		case strings.HasPrefix(line, codexDelete):
			err = r.codexFile(Delete, codexDelete)
		case strings.HasPrefix(line, codexUpdate):
			err = r.codexFile(Modify, codexUpdate)
		case strings.HasPrefix(line, "*** ") && !isCodexMark(line):
			err = r.fail(PatchSyntax, r.at, "the line is none of those that a patch is made of.", adviceCodex)
		case strings.HasPrefix(line, "@@"), isFileMark(line):
			err = r.fail(PatchSyntax, r.at, "a change comes before any file.", adviceCodex)
		default:
			r.at++
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// codexFile reads what is to happen to one file.
func (r *patchReader) codexFile(kind Kind, mark string) error {
	f := FilePatch{Kind: kind, Line: r.at + 1}
	name := strings.TrimSpace(strings.TrimPrefix(r.head(r.at), mark))
	if err := r.checkName(r.at, name); err != nil {
		return err
	}
	name = cleanName(name)
	r.at++
	r.open = &openFile{line: r.at}
	var err error
	switch kind {
	case Create:
		f.NewName = name
		err = r.codexAdded()
	case Delete:
		f.OldName = name
	default:
		f.OldName, f.NewName = name, name
		if to, ok := strings.CutPrefix(r.head(r.at), codexMove); ok {
			to = strings.TrimSpace(to)
			if err := r.checkName(r.at, to); err != nil {
				return err
			}
			r.at++
			if f.NewName = cleanName(to); f.NewName != name {
				f.Kind = Rename
			}
		}
		err = r.codexHunks()
		if err == nil && len(r.open.hunks) == 0 && f.Kind == Modify {
			err = r.fail(PatchSyntax, f.Line-1, "the file has no hunks.", adviceCodex)
		}
	}
	if err != nil {
		return err
	}
	f.WrittenOld, f.WrittenNew = f.OldName, f.NewName
	f.Hunks = r.open.hunks
	r.open = nil
	return r.addFile(f)
}

// codexAdded reads the lines of an added file.
func (r *patchReader) codexAdded() error {
	h := RawHunk{Line: r.at + 1, Start: 1}
	bare := 0
	for ; r.at < r.lines() && !strings.HasPrefix(r.line(r.at), "*** "); r.at++ {
		if r.noNewline(r.at, h.Lines) {
			continue
		}
		line := r.line(r.at)
		switch {
		case strings.HasPrefix(line, "+"):
			h.Lines = append(h.Lines, gitdiff.Line{Op: gitdiff.OpAdd, Line: line[1:] + "\n"})
			bare = 0
		case strings.TrimSpace(line) == "":
			h.Lines = append(h.Lines, gitdiff.Line{Op: gitdiff.OpAdd, Line: "\n"})
			bare++
		case strings.HasPrefix(line, "```"), line == "EOF", line == "PATCH":
		default:
			return r.fail(PatchSyntax, r.at, "the line of an added file does not begin with +.", "Begin every line of an added file with +.")
		}
	}
	if h.Lines = h.Lines[:len(h.Lines)-bare]; len(h.Lines) == 0 {
		return nil
	}
	return r.addHunk(h)
}

// codexHunks reads the hunks of an updated file.
func (r *patchReader) codexHunks() error {
	for r.at < r.lines() {
		line := r.head(r.at)
		var err error
		switch {
		case strings.HasPrefix(line, "@@"):
			err = r.readHunk()
		case strings.TrimSpace(line) == codexEOF:
			if n := len(r.open.hunks); n > 0 {
				r.open.hunks[n-1].AtEnd = true
			}
			r.at++
		case strings.HasPrefix(line, "*** "):
			return nil
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "```"):
			r.at++
		case len(r.open.hunks) == 0 && r.hasNames(r.at):
			r.at++ // the names again, as in a unified diff
			if strings.HasPrefix(r.line(r.at), "+++ ") {
				r.at++
			}
		case !r.ends(r.at) && r.hasMore(r.at):
			err = r.readLines(RawHunk{Line: r.at + 1}, unsaid)
		default:
			return r.codexTail()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// codexTail passes over what comes after the last hunk and is none; what looks like a change must not be passed over.
func (r *patchReader) codexTail() error {
	if r.ends(r.at) {
		return r.fail(PatchSyntax, r.at, "the line does not belong to a patch that begins so.", adviceCodex)
	}
	for r.at < r.lines() && !r.ends(r.at) {
		r.at++
	}
	return nil
}
