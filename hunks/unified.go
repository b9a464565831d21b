package hunks

import (
	"fmt"
	"strconv"
	"strings"
)

// openFile is a file of the patch while it is read.
type openFile struct {
	line           int       // where it begins, from 0
	git            string    // what follows "diff --git "
	isGit          bool      // there is such a line
	old, new       *nameLine // of the lines "---" and "+++"
	from, to       string    // renamed
	isNew, deleted bool
	oldMode        uint32
	newMode        uint32
	hunks          []RawHunk
	repaired       int // hunks whose counts were wrong
}

// isFileMark says whether a line outside of hunks begins a file of a unified diff.
func isFileMark(line string) bool {
	return strings.HasPrefix(line, "diff --git ") || strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ")
}

// readUnified reads a unified diff.
func (r *patchReader) readUnified() error {
	for r.at < r.lines() {
		var err error
		line := r.head(r.at)
		switch {
		case strings.HasPrefix(line, "@@"):
			err = r.readHunk()
		case strings.HasPrefix(line, "diff --git "):
			err = r.beginGit(line)
		case r.hasNames(r.at):
			err = r.readNames()
		default:
			err = r.readOther(line)
			r.at++
		}
		if err != nil {
			return err
		}
	}
	return r.closeFile()
}

func (r *patchReader) beginGit(line string) error {
	err := r.closeFile()
	r.open = &openFile{line: r.at, isGit: true, git: strings.TrimPrefix(line, "diff --git ")}
	r.at++
	return err
}

// hasNames says whether a file's names are at line i: "---" and "+++", or one of them right before a hunk.
func (r *patchReader) hasNames(i int) bool {
	line, next := r.head(i), r.line(i+1)
	switch {
	case strings.HasPrefix(line, "--- "):
		return strings.HasPrefix(next, "+++ ") || strings.HasPrefix(next, "@@")
	case strings.HasPrefix(line, "+++ "):
		return strings.HasPrefix(next, "@@")
	}
	return false
}

// readNames reads the lines "---" and "+++".
func (r *patchReader) readNames() error {
	o := &openFile{line: r.at}
	if r.open != nil {
		o.isGit = r.open.isGit
	}
	for _, side := range []struct {
		mark string
		name **nameLine
	}{{"--- ", &o.old}, {"+++ ", &o.new}} {
		rest, ok := strings.CutPrefix(r.head(r.at), side.mark)
		if !ok {
			continue
		}
		name, err := r.readName(r.at, rest, o.isGit)
		if err != nil {
			return err
		}
		*side.name = name
		r.at++
	}
	if r.open != nil && r.open.awaits(o) {
		r.open.old, r.open.new = o.old, o.new
	} else {
		if err := r.closeFile(); err != nil {
			return err
		}
		o.isGit = false
		r.open = o
	}
	if c := r.line(r.at); c != "" && strings.IndexByte(" +-", c[0]) >= 0 && !r.ends(r.at) {
		return r.readLines(RawHunk{Line: r.at + 1}, unsaid) // a hunk whose header is missing
	}
	return nil
}

// readOther reads a line between hunks: a header of Git's, what cannot be read, or prose.
func (r *patchReader) readOther(line string) error {
	if f := r.open; f != nil && len(f.hunks) == 0 {
		if known, err := r.readExtended(f, line); known || err != nil {
			return err
		}
	}
	switch {
	case strings.HasPrefix(line, "```"):
		r.inFence = r.fenced && !r.inFence
		_, marked := r.hunkLine(r.at + 1)
		if r.fenced && !r.inFence && r.open != nil && marked && strings.TrimSpace(r.line(r.at+1)) != "" {
			return r.fail(PatchSyntax, r.at, "the line ends the hunk, but the hunk goes on.", adviceLines)
		}
	case strings.HasPrefix(line, "rename from ") && strings.HasPrefix(r.line(r.at+1), "rename to "):
		if err := r.closeFile(); err != nil {
			return err
		}
		r.open = &openFile{line: r.at}
		_, err := r.readExtended(r.open, line)
		return err
	case line == "GIT binary patch",
		(strings.HasPrefix(line, "Binary files ") || strings.HasPrefix(line, "Files ")) && strings.HasSuffix(line, " differ"):
		return r.fail(PatchBinary, r.at, "it changes a binary file, which cannot be reviewed as text.", "Leave the binary file out of the patch.")
	case strings.HasPrefix(line, "diff --cc "), strings.HasPrefix(line, "diff --combined "):
		return r.fail(PatchUnsupported, r.at, "it is the combined diff of a merge.", "Write the diff against the file as it is now.")
	case strings.HasPrefix(line, "*** ") && strings.HasPrefix(r.line(r.at+1), "--- ") && strings.HasPrefix(r.line(r.at+2), "****"):
		return r.fail(PatchUnsupported, r.at, "it is a context diff.", "Write a unified diff, as `diff -u` does.")
	case isCodexFile(line):
		return r.fail(PatchSyntax, r.at, "a unified diff goes on in another syntax.", "Write the whole patch as a unified diff.")
	case strings.HasPrefix(line, "<<<<<<< "):
		return r.fail(PatchSyntax, r.at, "it is no diff.", adviceHeader)
	}
	return nil
}

// readExtended reads one of Git's header lines.
func (r *patchReader) readExtended(f *openFile, line string) (known bool, err error) {
	for _, h := range []struct {
		mark string
		read func(value string) error
	}{
		{"old mode ", func(v string) error { return r.readMode(v, &f.oldMode) }},
		{"new mode ", func(v string) error { return r.readMode(v, &f.newMode) }},
		{"new file mode ", func(v string) error { f.isNew = true; return r.readMode(v, &f.newMode) }},
		{"deleted file mode ", func(v string) error { f.deleted = true; return r.readMode(v, &f.oldMode) }},
		{"rename from ", func(v string) error { return r.readLiteral(v, &f.from) }},
		{"rename to ", func(v string) error { return r.readLiteral(v, &f.to) }},
		{"rename old ", func(v string) error { return r.readLiteral(v, &f.from) }},
		{"rename new ", func(v string) error { return r.readLiteral(v, &f.to) }},
		{"copy from ", func(string) error {
			return r.fail(PatchUnsupported, r.at, "it copies a file.", "Write the copy as a new file with all its lines.")
		}},
		{"index ", func(v string) error {
			if _, mode, ok := strings.Cut(v, " "); ok && strings.Contains(v, "..") {
				return r.readMode(mode, &f.oldMode)
			}
			return nil
		}},
	} {
		if value, ok := strings.CutPrefix(line, h.mark); ok {
			return true, h.read(value)
		}
	}
	return false, nil
}

// readMode reads a mode as Git writes it, or only its last digits.
func (r *patchReader) readMode(s string, mode *uint32) error {
	n, err := strconv.ParseUint(strings.TrimSpace(s), 8, 32)
	if err != nil {
		return r.fail(PatchSyntax, r.at, fmt.Sprintf("%s is no file mode.", quoteCut(s, s)), "Write 100644, or 100755 for a program.")
	}
	if n <= 0o777 {
		n |= 0o100000
	}
	if n&^0o777 != 0o100000 {
		return r.fail(PatchUnsupported, r.at, fmt.Sprintf("mode %o is that of a symbolic link, a submodule or a folder.", n), "Leave it out of the patch.")
	}
	*mode = uint32(n)
	return nil
}
