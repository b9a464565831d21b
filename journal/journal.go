// Package journal is the log of proposals: one line of JSON for each, with what became of it. It is for the person, who
// wants to know later what agents have wanted and got. Several programs append to it at once. Nothing that goes wrong with
// it ever keeps a call from its answer.
package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// The bounds of the log.
const (
	maxFile  = 8 << 20   // a file that is larger gives way to a new one; one older file is kept
	maxEntry = 512 << 10 // of a line
)

// Journal is a log in a file.
type Journal struct {
	path string
	max  int64
}

// At is the journal in a file; its folder is made when it is first needed.
func At(path string) *Journal { return &Journal{path: path, max: maxFile} }

// Path is where the log of this user is. It follows from $HOME alone, as the registry of Neovims does: who reads it, a
// Neovim for instance, may not know the variables of who wrote it.
func Path() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local/state/nvim-agent-diff/log.jsonl"), nil
}

// older is the file that the log's older entries are in.
func (j *Journal) older() string { return j.path + ".1" }

// Append adds an entry, in one write: entries of several programs do not mix.
func (j *Journal) Append(e *Entry) error {
	line, err := e.line()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	f, err := j.open()
	if err != nil {
		return err
	}
	defer f.Close()
	if torn(f) {
		line = append([]byte{'\n'}, line...)
	}
	_, err = f.Write(line)
	return errors.Join(err, j.rotate(f))
}

// open opens the file. What has taken its place, a link or a pipe, is neither followed nor waited for.
func (j *Journal) open() (*os.File, error) {
	f, err := os.OpenFile(j.path, os.O_RDWR|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file", j.path)
	case info.Mode().Perm()&0o077 != 0:
		err = f.Chmod(0o600) // it holds the texts of files
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// torn says whether the last line has no end, because its program could not write all of it.
func torn(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}

// rotate makes place for a new file when this one is large. Of several programs that see so, one does it.
func (j *Journal) rotate(f *os.File) error {
	info, err := f.Stat()
	if err != nil || info.Size() < j.max {
		return err
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil // another one is at it
	case err != nil:
		return err
	}
	now, err := os.Lstat(j.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, now) {
		return nil // another one has done it
	}
	if err != nil {
		return err
	}
	return os.Rename(j.path, j.older())
}

// Last are the last n entries, the newest last, and how many lines there were that are none. n is negative for all.
func (j *Journal) Last(n int) (entries []Entry, broken int, err error) {
	for _, path := range []string{j.path, j.older()} {
		raw, err := readFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		var here []Entry
		for line := range bytes.Lines(raw) {
			var e Entry
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			if json.Unmarshal(line, &e) != nil {
				broken++
				continue
			}
			here = append(here, e)
		}
		entries = append(here, entries...)
		if n >= 0 && len(entries) >= n {
			return entries[len(entries)-n:], broken, nil
		}
	}
	return entries, broken, nil
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return os.ReadFile(path)
}
