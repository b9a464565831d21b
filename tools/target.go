package tools

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"nvim-agent-diff/review"
)

// target is the file that an agent's path means.
type target struct {
	path string  // as the agent gave it
	abs  string  // absolute, with symbolic links resolved
	root root    // the innermost root around it
	name string  // slash separated, relative to root
	link bool    // path itself is a symbolic link
	to   *target // where the file is to be moved; nil when it stays
}

// exists says whether there is anything at the target.
func (t target) exists() bool {
	_, err := os.Lstat(t.abs)
	return t.abs != "" && err == nil
}

// places are the target and where it is to be moved.
func (t target) places() []target {
	if t.to == nil {
		return []target{t}
	}
	return []target{t, *t.to}
}

// nameIn is the name in a diff that is relative to a root: of a file in another root, all of its path.
func (t target) nameIn(root string) string {
	if root == string(t.root) {
		return t.name
	}
	return strings.TrimPrefix(filepath.ToSlash(t.abs), "/")
}

// findTarget finds the file that path means within the roots, which need not exist. A relative path is tried in each of
// dirs: the first where it exists, else the first.
func findTarget(roots []root, dirs []string, path string) (t target, exists bool, err error) {
	if filepath.IsAbs(path) {
		return inRoots(roots, path, path)
	}
	if len(dirs) == 0 {
		return target{}, false, outside(roots, path)
	}
	var first target
	var firstErr error
	for i, dir := range dirs {
		// Not cleaned: "link/.." is not where the link is.
		t, exists, err := inRoots(roots, path, dir+"/"+path)
		if exists {
			return t, true, err
		}
		if i == 0 {
			first, firstErr = t, err
		}
	}
	return first, false, firstErr
}

// dirs are the folders that a relative path may be relative to: the folder of the person who calls, if it is in a root,
// and the roots.
func dirs(roots []root, own string) []string {
	var all []string
	if r, err := openRoot(own); own != "" && err == nil && slices.ContainsFunc(roots, func(in root) bool { return in.contains(string(r)) }) {
		all = append(all, string(r))
	}
	for _, r := range roots {
		all = append(all, string(r))
	}
	return all
}

// inRoots follows full, the absolute form of path, and makes sure that it leads into one of the roots.
func inRoots(roots []root, path, full string) (t target, exists bool, err error) {
	p, err := resolve(full)
	if err != nil {
		return t, false, review.Errorf(review.ToolFailed, "%s cannot be reached: %v. Nothing was changed.", shown(path), err)
	}
	t = target{path: path, abs: p.abs, link: isLink(full)}
	for _, r := range roots {
		if r.contains(p.abs) && len(r) > len(t.root) {
			t.root = r
		}
	}
	if t.root == "" {
		return t, p.exists, outside(roots, path)
	}
	rel, err := filepath.Rel(string(t.root), p.abs)
	if err != nil {
		return t, p.exists, outside(roots, path)
	}
	t.name = filepath.ToSlash(rel)
	return t, p.exists, nil
}

func outside(roots []root, path string) error {
	if len(roots) == 0 {
		return review.Errorf(review.PathNotInSandbox, "%s is in no project: this server was started in the home folder or "+
			"above it, and no other folder was named. Nothing was changed. "+
			"Ask the user to start it in the project's folder, or with --root DIR.", shown(path))
	}
	names := make([]string, len(roots))
	for i, r := range roots {
		names[i] = shown(string(r))
	}
	return review.Errorf(review.PathNotInSandbox, "%s is outside of what this server may change: %s. Nothing was changed.",
		shown(path), strings.Join(names, ", "))
}

// again checks that the path still leads to the same file, now found: a link may have been put in its way while the review
// waited for its turn.
func (t target) again(now target, err error) error {
	if err != nil {
		return err
	}
	if now.abs != t.abs || t.to != nil && now.to.abs != t.to.abs {
		return review.Errorf(review.ToolFailed,
			"%s leads to another file than a moment ago. Nothing was changed. Read it again.", shown(t.path))
	}
	return nil
}

// sniffed is how much of a file is looked at to tell whether it is text, as in Git.
const sniffed = 8000

// checkText makes sure that the file is one that can be reviewed as text. One that does not exist can.
func (t target) checkText() error {
	fail := func(what string) error {
		return review.Errorf(review.ToolFailed, "%s %s. Nothing was changed.", shown(t.path), what)
	}
	info, err := os.Lstat(t.abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if strings.HasSuffix(t.path, "/") {
			return fail("names a directory, not a file")
		}
		return nil
	case err != nil:
		return fail("cannot be read: " + cause(err).Error())
	case info.IsDir():
		return fail("is a directory")
	case !info.Mode().IsRegular():
		return fail("is not a regular file")
	case strings.HasSuffix(t.path, "/"):
		return fail("is a file, not a directory")
	case info.Size() > review.MaxFile:
		return fail(fmt.Sprintf("is larger than %d MiB", review.MaxFile>>20))
	}
	head, err := readHead(t.abs)
	if err != nil {
		return fail("cannot be read: " + cause(err).Error())
	}
	if isBinary(head) {
		return fail("is a binary file")
	}
	return nil
}

func isLink(path string) bool {
	info, err := os.Lstat(strings.TrimRight(path, "/"))
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// checkOwn makes sure that the path names the file itself, which is to be deleted or moved.
func (t target) checkOwn() error {
	if t.link {
		return review.Errorf(review.ToolFailed, "%s is a symbolic link, which is neither deleted nor renamed. "+
			"Nothing was changed.", shown(t.path))
	}
	return nil
}

// checkFree makes sure that a file can be put where the target is, but for one that is there.
func (t target) checkFree() error {
	info, err := os.Lstat(t.abs)
	if strings.HasSuffix(t.path, "/") || err == nil && info.IsDir() {
		return review.Errorf(review.ToolFailed, "%s is a directory. Nothing was changed.", shown(t.path))
	}
	return nil
}

// readHead reads the beginning of a file. Should something else have taken its place, it does not wait for a writer, nor
// follow a link.
func readHead(abs string) ([]byte, error) {
	f, err := os.OpenFile(abs, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, sniffed)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return head[:n], nil
}

// isBinary says whether a file that begins so is no text: it holds a NUL, and no byte order mark says that it is UTF-16 or
// UTF-32.
func isBinary(head []byte) bool {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", "\x00\x00\xfe\xff"} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return false
		}
	}
	return bytes.IndexByte(head, 0) >= 0
}
