package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"time"
)

// maxSize is the size of the largest file that is edited. Claude Code's own state can be some megabytes.
const maxSize = 64 << 20

// readFile is the content of a file, nil when there is none.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", path)
	case info.Size() > maxSize:
		return nil, fmt.Errorf("%s is larger than %d MB", path, maxSize>>20)
	}
	raw, err := os.ReadFile(path)
	if raw == nil && err == nil {
		raw = []byte{}
	}
	return raw, err
}

// backup is a copy of a file from before we changed it.
type backup struct {
	path    string
	content []byte
}

const backupMark = ".before-" + programName + "-"

// backups are the copies of a file, the oldest first.
func backups(path string) []backup {
	dir, name := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && len(e.Name()) > len(name+backupMark) && e.Name()[:len(name+backupMark)] == name+backupMark {
			names = append(names, e.Name())
		}
	}
	sort.Strings(names) // their end is the time
	var list []backup
	for _, n := range names {
		if raw, err := readFile(filepath.Join(dir, n)); err == nil && raw != nil {
			list = append(list, backup{filepath.Join(dir, n), raw})
		}
	}
	return list
}

// apply changes the file, if it still is as it was, and returns the copy that it has kept.
func (c Change) apply(now time.Time) (copied string, err error) {
	raw, err := readFile(c.Path)
	if err != nil {
		return "", err
	}
	if !bytes.Equal(raw, c.Before) || (raw == nil) != (c.Before == nil) {
		return "", fmt.Errorf("%s has been changed meanwhile; run this again", c.Path)
	}
	perm := c.perm
	if info, err := os.Stat(c.Path); err == nil {
		perm = info.Mode().Perm()
	}
	if c.Before != nil && c.backup {
		copied = c.Path + backupMark + now.UTC().Format("20060102T150405.000Z")
		if err := writeNew(copied, c.Before, perm); err != nil {
			return "", err
		}
	}
	if c.After == nil {
		err = remove(c.Path)
	} else {
		err = replace(c.Path, c.After, perm)
	}
	if err != nil {
		return copied, err
	}
	if c.spent != "" {
		err = os.Remove(c.spent)
	}
	return copied, err
}

// writeNew writes a file that must not be there yet.
func writeNew(path string, content []byte, perm os.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Chmod(perm), f.Close())
}

// replace writes a file so that every reader finds the old or the new one, whole. A link stays a link: what it leads to is
// replaced.
func replace(path string, content []byte, perm os.FileMode) error {
	path, err := behindLinks(path)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+programName+"-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone already when all went well
	_, err = f.Write(content)
	if err := errors.Join(err, f.Chmod(perm), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// remove removes a file. A link stays a link: what it leads to goes.
func remove(path string) error {
	path, err := behindLinks(path)
	if err != nil {
		return err
	}
	return os.Remove(path)
}

// behindLinks is the file that a path leads to, also when that is not there yet.
func behindLinks(path string) (string, error) {
	for range 40 {
		target, err := os.Readlink(path)
		if err != nil {
			return path, nil //nolint:nilerr // it is no link
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", fmt.Errorf("%s leads through too many links", path)
}

// staysWithin refuses a path below a folder that leads out of it, by links: a project's files may be anybody's.
func staysWithin(folder, path string) error {
	if rel, err := filepath.Rel(folder, path); err != nil || !filepath.IsLocal(rel) {
		return nil //nolint:nilerr // it is not of that folder
	}
	end, err := behindLinks(path)
	if err != nil {
		return err
	}
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return err
	}
	for dir := filepath.Dir(end); ; dir = filepath.Dir(dir) {
		behind, err := filepath.EvalSymlinks(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it will be made
		}
		if err != nil {
			return err
		}
		if rel, err := filepath.Rel(root, behind); err != nil || !filepath.IsLocal(rel) {
			return fmt.Errorf("%s leads out of the project, to %s. Nothing was changed", path, end)
		}
		return nil
	}
}
