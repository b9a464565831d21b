package hunks

import (
	"fmt"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// closeFile makes a FilePatch of the file that was read.
func (r *patchReader) closeFile() error {
	o := r.open
	r.open = nil
	if o == nil {
		return nil
	}
	f := FilePatch{Line: o.line + 1, OldMode: o.oldMode, NewMode: o.newMode, Hunks: o.hunks}
	if o.repaired > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%s had wrong line counts, and its lines were counted instead.", counted(o.repaired, "hunk header")))
	}
	if err := r.name(&f, o); err != nil {
		return err
	}
	if err := r.checkWhole(&f, o); err != nil {
		return err
	}
	return r.addFile(f)
}

// name finds out which file it is, and what happens to it as a whole.
func (r *patchReader) name(f *FilePatch, o *openFile) error {
	before, after := o.sides()
	isNew := o.isNew || o.old != nil && o.old.none
	deleted := o.deleted || o.new != nil && o.new.none
	switch {
	case isNew && deleted:
		return r.fail(PatchSyntax, o.line, "the file is both created and deleted.", "Use /dev/null on one side only.")
	case o.from != "" && o.to != "":
		return r.nameRenamed(f, o)
	case o.from != "" || o.to != "":
		return r.fail(PatchSyntax, o.line, "only one of the two names of a rename is there.", "Write both `rename from` and `rename to`.")
	case isNew:
		f.Kind, before = Create, ""
	case deleted:
		f.Kind, after = Delete, ""
	default:
		f.Kind = Modify
	}
	f.WrittenOld, f.WrittenNew = before, after
	f.OldName, f.NewName = cutPrefixes(before, after)
	o.agree(f)
	f.OldName, f.NewName = cleanName(f.OldName), cleanName(f.NewName)
	if f.OldName == "" && f.NewName == "" {
		return r.fail(PatchSyntax, o.line, "the file has no name.", adviceHeader)
	}
	if f.Kind != Modify || f.OldName == f.NewName {
		return nil
	}
	o.nameUnlike(f)
	return nil
}

// awaits says whether names can be those of the file whose header was read so far: not those of the next, which has no
// header of Git's.
func (o *openFile) awaits(names *openFile) bool {
	if o.old != nil || o.new != nil || len(o.hunks) > 0 {
		return false
	}
	before, after := o.from, o.to
	if before == "" || after == "" {
		var ok bool
		if before, after, ok = gitNames(o.git); !ok {
			return true
		}
	}
	return names.old.mayBe(before) || names.new.mayBe(after)
}

// mayBe says whether a name is another but for a prefix.
func (n *nameLine) mayBe(name string) bool {
	return n != nil && !n.none && (strings.HasSuffix("/"+n.name, "/"+name) || strings.HasSuffix("/"+name, "/"+n.name))
}

// sides are the two names as they are written, "" where there is none.
func (o *openFile) sides() (before, after string) {
	if o.isGit {
		before, after, _ = gitNames(o.git)
	}
	if o.old != nil && !o.old.none {
		before = o.old.name
	}
	if o.new != nil && !o.new.none {
		after = o.new.name
	}
	if o.isGit {
		return before, after
	}
	if o.old == nil && before == "" {
		before = after
	}
	if o.new == nil && after == "" {
		after = before
	}
	return before, after
}

// agree lets the line that has both names say whether a created or deleted file has a prefix: "diff --git", or the two of
// diff -N, which names a file that is missing too.
func (o *openFile) agree(f *FilePatch) {
	before, after, ok := gitNames(o.git)
	if !o.isGit {
		if ok = o.old != nil && o.new != nil; ok {
			before, after = o.old.name, o.new.name
		}
	}
	if !ok || before == devNull || after == devNull {
		return
	}
	old, name := cutPrefixes(before, after)
	if old != name && tail(before) == tail(after) {
		old, name = tail(before), tail(after)
	}
	switch {
	case f.Kind == Create && (f.WrittenNew == after || f.WrittenNew == name):
		f.NewName = name
	case f.Kind == Delete && (f.WrittenOld == before || f.WrittenOld == old):
		f.OldName = old
	}
}

// nameRenamed takes the names of "rename from" and "rename to", which Git writes without prefixes.
func (r *patchReader) nameRenamed(f *FilePatch, o *openFile) error {
	f.Kind, f.OldName, f.NewName = Rename, o.from, o.to
	f.WrittenOld, f.WrittenNew = o.from, o.to
	if before, after, ok := gitNames(o.git); o.isGit && ok && before == o.from && after == o.to {
		f.OldName, f.NewName = cutPrefixes(o.from, o.to)
	}
	if o.old != nil && o.new != nil && !o.old.none && !o.new.none {
		if o.old.name == o.from && o.new.name == o.to && !o.isGit {
			f.OldName, f.NewName = cutPrefixes(o.from, o.to)
		}
		if !strings.HasSuffix(o.old.name, f.OldName) || !strings.HasSuffix(o.new.name, f.NewName) {
			return r.fail(PatchSyntax, o.new.line, fmt.Sprintf("the file is renamed to %s, but this line says otherwise.", quoteCut(o.to, "")),
				"Write the same names in `rename from`, `rename to`, `---` and `+++`.")
		}
	}
	f.OldName, f.NewName = cleanName(f.OldName), cleanName(f.NewName)
	if f.OldName == f.NewName {
		f.Kind = Modify
	}
	return nil
}

// nameUnlike decides what two different names mean when no rename is said. Of diff -u OLD NEW both are kept: which one it is,
// those say who see the files.
func (o *openFile) nameUnlike(f *FilePatch) {
	p, _ := cutPrefix(f.WrittenOld)
	q, _ := cutPrefix(f.WrittenNew)
	switch {
	case p == 'a' && q == 'b' || p == 'b' && q == 'a':
		f.Kind = Rename
	case f.OldName == "" || f.NewName == "":
		f.OldName += f.NewName
		f.NewName = f.OldName
	case isBackup(f.OldName, f.NewName):
		f.OldName = f.NewName
	case isBackup(f.NewName, f.OldName):
		f.NewName = f.OldName
	case tail(f.WrittenOld) == tail(f.WrittenNew) && tail(f.WrittenOld) != "": // prefixes of another kind, or diff -r
		f.OldName, f.NewName = tail(f.WrittenOld), tail(f.WrittenNew)
	case o.isGit && (p == 0) == (q == 0):
		f.Kind = Rename
	}
}

// tail is a name without its first folder, "" for one without.
func tail(name string) string {
	_, rest, _ := strings.Cut(name, "/")
	return rest
}

// isBackup says whether a name is that of a copy of the file put aside.
func isBackup(name, file string) bool {
	switch rest, ok := strings.CutPrefix(name, file); rest {
	case "~", ".orig", ".bak", ".old", ".new":
		return ok
	}
	return false
}

// checkWhole checks that the hunks are such as can create or delete a file, and that there is something to do.
func (r *patchReader) checkWhole(f *FilePatch, o *openFile) error {
	only, verb := gitdiff.OpAdd, "created"
	switch f.Kind {
	case Delete:
		only, verb = gitdiff.OpDelete, "deleted"
	case Create:
	case Rename:
		return nil
	}
	if len(f.Hunks) == 0 && !o.isGit && f.Kind != Delete {
		return r.fail(PatchSyntax, o.line, "the file has no hunks.", adviceHeader)
	}
	if f.Kind == Modify {
		return nil
	}
	for i := range f.Hunks {
		h := &f.Hunks[i]
		for j := range h.Lines {
			l := &h.Lines[j]
			switch {
			case l.Op == only:
			case l.Op == gitdiff.OpContext && (only == gitdiff.OpDelete || strings.TrimSpace(l.Line) == ""):
				l.Op = only // a bare empty line
			default:
				return r.fail(PatchSyntax, h.Line-1, fmt.Sprintf("the file is %s, but not all lines of the hunk are.", verb),
					"Begin every line of a created file with +, and every line of a deleted one with -.")
			}
		}
	}
	return nil
}
