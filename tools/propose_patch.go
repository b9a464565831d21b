package tools

import (
	"context"
	"errors"
	"fmt"
	"os"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

var proposePatch = &tool{
	name:  "propose_patch",
	title: "Propose a patch",
	description: "Use this to edit several files at once: a patch that can write, create, delete and rename files and set " +
		"their mode. The user reviews the diff of all files in Neovim in one sitting and accepts or rejects each hunk and each " +
		"file; what is accepted is applied. Waits until the user has decided, which can take long. The result says of each file " +
		"what became of it. A rejection is the user's decision and final.",
	params: []param{
		{name: "patch", kind: kindText, description: "A unified diff over one or more files, with a/ and b/ before the names or without, " +
			"as `git diff` writes it: /dev/null as the name of a file that is created or deleted, `rename from` and `rename to`, " +
			"`new mode 100755`. Line counts need not be right. Names are relative to the project's root, or absolute."},
		{name: "description", kind: kindText, description: "Why, in a sentence or two: the user sees it above the diff."},
	},
	output: reviewedFilesSchema,
	run: func(ctx context.Context, s *Server, c *Call) (Result, error) {
		args := &c.Arguments
		files, err := parsePatch(args.text("patch"))
		if err != nil {
			return Result{}, err
		}
		edits := make([]edit, len(files))
		for i := range files {
			edits[i] = patchEdit(files[i])
		}
		o, err := s.review(ctx, c, args.text("description"), edits...)
		if err != nil {
			return Result{}, err
		}
		return answerFiles(o), nil
	},
}

// maxPatchFiles is how many files are reviewed in one sitting: Neovim loads each of them.
const maxPatchFiles = 100

func parsePatch(patch string) ([]hunks.FilePatch, error) {
	files, err := hunks.ParsePatch(patch)
	if bad, ok := errors.AsType[*hunks.PatchError](err); ok {
		code := review.InvalidArgs
		if bad.Kind == hunks.PatchBinary {
			code = review.ToolFailed
		}
		return nil, review.Errorf(code, "\"patch\" cannot be used. %v Nothing was changed.", bad)
	}
	if err == nil && len(files) > maxPatchFiles {
		return nil, review.Errorf(review.InvalidArgs, "\"patch\" changes %d files, and %d is the most. "+
			"Nothing was changed. Divide it into several patches.", len(files), maxPatchFiles)
	}
	return files, err
}

// patchEdit is what a patch wants of one file. What was taken for a prefix may be a folder, and a file that is modified may
// have two names: then it is the first that exists, the old one before the new, as for the program patch.
func patchEdit(f hunks.FilePatch) edit {
	e := edit{path: f.OldName, others: []string{f.WrittenOld}, removes: f.Kind == hunks.Delete || f.Kind == hunks.Rename}
	switch f.Kind {
	case hunks.Create:
		e.path, e.others = f.NewName, []string{f.WrittenNew}
	case hunks.Rename:
		e.to = f.NewName
	case hunks.Modify:
		e.others = append(e.others, f.WrittenNew)
	case hunks.Delete:
	}
	e.draft = func(t target, current hunks.Text) (*hunks.Patch, error) { return draftPatch(f, t, current) }
	return e
}

// draftPatch places what a patch wants in the file as it is now. What has no place is in conflict; the error is for the
// case that nothing in the whole patch has one.
func draftPatch(f hunks.FilePatch, t target, current hunks.Text) (*hunks.Patch, error) {
	if f.NewMode != 0 {
		f.NewMode = gitMode(os.FileMode(f.NewMode))
	}
	if info, err := os.Stat(t.abs); err == nil {
		f.OldMode = gitMode(info.Mode())
	}
	patch, err := f.Draft(current)
	if errors.Is(err, hunks.ErrNothing) {
		return nil, review.Errorf(review.NothingToChange, "%s already holds what the patch wants. Nothing was changed.", shown(t.path))
	}
	if stale, ok := errors.AsType[*hunks.StaleError](err); ok {
		return patch, review.Errorf(review.StaleOriginal, "In %s: %s Nothing was changed. Read the file again and propose again.",
			shown(t.path), stale)
	}
	if err == nil && f.Kind == hunks.Modify && f.OldName != f.NewName {
		patch.Notes = append(patch.Notes, fmt.Sprintf("The patch names two files, %s and %s, and was taken for one of %s.",
			shown(f.OldName), shown(f.NewName), shown(t.path)))
	}
	if err != nil || f.Kind != hunks.Rename {
		return patch, err
	}
	if _, err := os.Lstat(t.to.abs); err == nil {
		for i := range patch.Whole {
			if w := &patch.Whole[i]; w.Kind == hunks.Rename {
				w.State, w.Reason = hunks.Conflict, fmt.Sprintf("%s exists already", shown(t.to.path))
			}
		}
	}
	return patch, nil
}

// gitMode is a file's mode as Git has it.
func gitMode(mode os.FileMode) uint32 {
	if mode&0o100 != 0 {
		return hunks.ProgramMode
	}
	return hunks.PlainMode
}
