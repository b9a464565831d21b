package review

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"nvim-agent-diff/hunks"
)

// ReadDisk reads a file as [ReadPlain] does; one that does not exist is an empty, missing text.
func ReadDisk(abs string) (hunks.Text, error) {
	raw, err := ReadPlain(abs)
	if errors.Is(err, os.ErrNotExist) {
		return hunks.Text{Missing: true}, nil
	}
	if err != nil {
		return hunks.Text{}, err
	}
	return hunks.NewText(string(raw)), nil
}

// ReadPlain reads the file that abs names, an absolute path with its symbolic links resolved. Since the path was allowed,
// something else may have been put in its way: a link is not followed, what is no regular file is not waited for, and a file
// larger than [MaxFile] is not taken.
func ReadPlain(abs string) ([]byte, error) {
	f, err := os.OpenFile(abs, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil {
		return nil, err
	}
	resolved, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, err
	}
	named, err := os.Lstat(abs)
	if err != nil {
		return nil, err
	}
	switch {
	case resolved != abs || !os.SameFile(opened, named):
		return nil, fmt.Errorf("%s leads to another file than when it was allowed", abs)
	case !named.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", abs)
	}
	// With room for what it holds now: growing on the way would take as much once more.
	raw := bytes.NewBuffer(make([]byte, 0, min(opened.Size(), MaxFile)+bytes.MinRead))
	if _, err := raw.ReadFrom(io.LimitReader(f, MaxFile+1)); err != nil {
		return nil, err
	}
	if raw.Len() > MaxFile {
		return nil, fmt.Errorf("%s is larger than %d MiB", abs, MaxFile>>20)
	}
	return raw.Bytes(), nil
}
