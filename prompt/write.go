package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"nvim-agent-diff/review"
)

// write puts a text in the place of what was read, and reads it again. Nothing is written when the disk has changed
// meanwhile. Errors are the rest of a sentence that begins with the file's name; the file is then as it was, but for an
// unsureError.
func (d disk) write(text string) error {
	r, err := os.OpenRoot(d.root)
	if err != nil {
		return writeError(err)
	}
	defer r.Close()
	raw, err := d.read(r)
	switch {
	case d.missing && errors.Is(err, fs.ErrNotExist):
		err = d.create(r, text)
	case d.missing && err == nil, err == nil && !bytes.Equal(raw, d.raw), errors.Is(err, fs.ErrNotExist):
		return errChanged
	case err == nil:
		err = d.replace(r, text)
	}
	if err != nil {
		return err
	}
	if raw, err = d.read(r); err != nil {
		return unsureError{err}
	}
	if string(raw) != text {
		return unsureError{errors.New("does not hold what was written")}
	}
	return nil
}

// unsureError is an error after which it is not certain what the file holds.
type unsureError struct{ error }

func (e unsureError) Unwrap() error { return e.error }

// remove deletes the file, if it is as it was.
func (d disk) remove() error {
	return d.untouched(func(r *os.Root) error { return r.Remove(d.name) })
}

// setProgram makes the file one that whoever may read it may run, as Git has it, or one that nobody may.
func (d disk) setProgram(program bool) error {
	r, err := os.OpenRoot(d.root)
	if err != nil {
		return writeError(err)
	}
	defer r.Close()
	info, err := r.Lstat(d.name)
	if err != nil || !info.Mode().IsRegular() {
		return errChanged
	}
	mode := info.Mode() &^ 0o111
	if program {
		mode = info.Mode() | info.Mode()&0o444>>2
	}
	if err := r.Chmod(d.name, mode); err != nil {
		return writeError(err)
	}
	return nil
}

// rename moves the file to where nothing is.
func (d disk) rename(root, name string) error {
	if d.root != root {
		d.name = filepath.Join(d.root, d.name)[1:]
		root, name = "/", filepath.Join(root, name)[1:]
	}
	r, err := os.OpenRoot(root)
	if err != nil {
		return writeError(err)
	}
	defer r.Close()
	if err := (disk{root: root, name: name}).unlinked(r); err != nil {
		return err
	}
	made, err := makeFolders(r, filepath.Dir(name))
	if err == nil {
		// Unlike renaming, linking never takes the place of something.
		if err = r.Link(d.name, name); err == nil {
			if err = r.Remove(d.name); err != nil {
				_ = r.Remove(name)
			}
		} else if _, there := r.Lstat(name); errors.Is(there, fs.ErrNotExist) {
			err = r.Rename(d.name, name) // not every file system has links
		}
	}
	if err != nil {
		for _, dir := range made {
			_ = r.Remove(dir)
		}
		return fmt.Errorf("could not be renamed: %w", cause(err))
	}
	return nil
}

// untouched does something with the file, if it is as it was.
func (d disk) untouched(do func(r *os.Root) error) error {
	r, err := os.OpenRoot(d.root)
	if err != nil {
		return writeError(err)
	}
	defer r.Close()
	raw, err := d.read(r)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(raw, d.raw) {
		return errChanged
	}
	if err == nil {
		if err = do(r); err != nil {
			err = writeError(err)
		}
	}
	return err
}

func writeError(err error) error { return fmt.Errorf("could not be written: %w", cause(err)) }

// create makes the file and its folders. A file that has come into being meanwhile is not touched.
func (d disk) create(r *os.Root, text string) error {
	made, err := makeFolders(r, filepath.Dir(d.name))
	if err == nil {
		err = d.createFile(r, text)
	}
	if err != nil {
		for _, dir := range made {
			_ = r.Remove(dir) // unless somebody has put something there
		}
	}
	return err
}

func (d disk) createFile(r *os.Root, text string) error {
	f, err := r.OpenFile(d.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return errChanged
	}
	if err == nil {
		if err = fill(f, text); err != nil {
			_ = r.Remove(d.name)
		}
	}
	if err != nil {
		return writeError(err)
	}
	return nil
}

// makeFolders makes the folders that are missing on the way to dir. made are those, the innermost first.
func makeFolders(r *os.Root, dir string) (made []string, err error) {
	var missing []string
	for ; dir != "."; dir = filepath.Dir(dir) {
		if _, err := r.Stat(dir); err == nil {
			break
		}
		missing = append(missing, dir)
	}
	for _, dir := range slices.Backward(missing) {
		if err := r.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return made, writeError(err)
		}
		made = append([]string{dir}, made...)
	}
	return made, nil
}

// replace writes the file that is there: a new one is put in its place, so that it is never half written. Where that would
// lose something (other names of the file, its owner, its attributes), its bytes are written over.
func (d disk) replace(r *os.Root, text string) error {
	old, err := r.OpenFile(d.name, os.O_RDWR, 0)
	if err != nil {
		return writeError(err) // a file that may not be written is not replaced either
	}
	defer old.Close()
	info, err := old.Stat()
	if err != nil {
		return writeError(err)
	}
	if isPlain(old, info) {
		done, err := d.swap(r, info, text)
		if done || err != nil {
			return err
		}
	}
	return d.overwrite(old, text)
}

// isPlain says whether a copy with the same owner and mode is as good as the file.
func isPlain(f *os.File, info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 1 && !hasAttributes(f)
}

// swap puts a new file in the place of the old one. done is false where that cannot be done just so.
func (d disk) swap(r *os.Root, old fs.FileInfo, text string) (done bool, err error) {
	dir, base := filepath.Split(d.name)
	name := dir + fmt.Sprintf(".%.200s.%08x", strings.TrimPrefix(base, "."), rand.Uint32())
	f, err := r.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false, nil // the folder takes no new file: the old one may take the bytes
	}
	defer func() {
		if !done {
			_ = r.Remove(name)
		}
	}()
	if !inherit(f, old) {
		_ = f.Close()
		return false, nil
	}
	if err := fill(f, text); err != nil {
		return false, writeError(err)
	}
	if err := r.Rename(name, d.name); err != nil {
		return false, writeError(err)
	}
	if folder, err := r.Open(filepath.Dir(d.name)); err == nil {
		_ = folder.Sync() // not every file system can
		_ = folder.Close()
	}
	return true, nil
}

// inherit gives a file the owner and the mode of another one.
func inherit(f *os.File, from fs.FileInfo) bool {
	stat, ok := from.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil {
		return false
	}
	own, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	if own.Uid != stat.Uid || own.Gid != stat.Gid {
		if f.Chown(int(stat.Uid), int(stat.Gid)) != nil {
			return false
		}
	}
	return f.Chmod(from.Mode()) == nil
}

// overwrite writes the bytes of a file over. It is not cut before, so that the old bytes can be put back where they were.
func (d disk) overwrite(f *os.File, text string) error {
	err := rewrite(f, []byte(text))
	if err == nil {
		return nil
	}
	if back := rewrite(f, d.raw); back != nil {
		now, unread := io.ReadAll(io.NewSectionReader(f, 0, review.MaxFile+1))
		if unread != nil || !bytes.Equal(now, d.raw) {
			return unsureError{fmt.Errorf("could not be written: %w, and its old text could not be put back: %w", cause(err), cause(back))}
		}
	}
	return writeError(err)
}

func rewrite(f *os.File, raw []byte) error {
	if _, err := f.WriteAt(raw, 0); err != nil {
		return err
	}
	if err := f.Truncate(int64(len(raw))); err != nil {
		return err
	}
	return f.Sync()
}

// fill writes a new file and closes it.
func fill(f *os.File, text string) error {
	_, err := f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
