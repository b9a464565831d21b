package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
	"nvim-agent-diff/visible"
)

// disk is a file as it was read, and where. Everything goes through the folder that the file must be in: a link that is
// put in its way does not lead out of it.
type disk struct {
	root, name string
	raw        []byte
	missing    bool
	notices    []string
}

// errChanged says that the disk is not what was reviewed.
var errChanged = errors.New("has changed on disk since it was read")

// placeOf is where a file is: relative to the proposal's root, or to / when it is in another one.
func placeOf(root, abs string) (in, name string) {
	if rel, err := filepath.Rel(root, abs); err == nil && filepath.IsLocal(rel) {
		return root, rel
	}
	return "/", strings.TrimPrefix(abs, "/")
}

// readDisk reads a file, which need not exist. Errors are the rest of a sentence that begins with its name.
func readDisk(root, name string) (disk, error) {
	d := disk{root: root, name: name}
	r, err := os.OpenRoot(root)
	if err != nil {
		return d, fmt.Errorf("cannot be read: %w", cause(err))
	}
	defer r.Close()
	d.raw, err = d.read(r)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.missing = true
	case err != nil:
		return d, err
	case bytes.IndexByte(d.raw, 0) >= 0, bytes.HasPrefix(d.raw, []byte("\xff\xfe")), bytes.HasPrefix(d.raw, []byte("\xfe\xff")):
		return d, errors.New("is no text that a terminal can show")
	case !utf8.Valid(d.raw):
		d.notices = append(d.notices, "The file has bytes that are not UTF-8: they are left as they are.")
	}
	return d, nil
}

// read is what the file holds now. What has taken its place, or that of a folder on the way, a link or a pipe, is not read.
func (d disk) read(r *os.Root) ([]byte, error) {
	if err := d.unlinked(r); err != nil {
		return nil, err
	}
	before, err := r.Lstat(d.name)
	if err != nil {
		return nil, readError(err)
	}
	if !before.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	if before.Size() > review.MaxFile {
		return nil, fmt.Errorf("is larger than %d MiB", review.MaxFile>>20)
	}
	f, err := r.OpenFile(d.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, readError(err)
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(before, now) {
		return nil, errChanged
	}
	raw, err := io.ReadAll(io.LimitReader(f, review.MaxFile+1))
	if err != nil {
		return nil, readError(err)
	}
	return raw, nil
}

// unlinked makes sure that no folder on the way is a link: the path had none when it was found.
func (d disk) unlinked(r *os.Root) error {
	for dir := filepath.Dir(d.name); dir != "."; dir = filepath.Dir(dir) {
		if info, err := r.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return errors.New("is not where it was: a link leads elsewhere")
		}
	}
	return nil
}

func readError(err error) error { return fmt.Errorf("cannot be read: %w", cause(err)) }

// cause is a file system's error without the path, which is said already.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// same says whether a file is as it was.
func (d disk) same(before disk) bool {
	return d.missing == before.missing && bytes.Equal(d.raw, before.raw)
}

func (d disk) text() hunks.Text {
	text := hunks.NewText(string(d.raw))
	text.Missing = d.missing
	return text
}

// holds says what of a proposal the file's encoding, which is not known when it is not UTF-8, may not hold.
func (d disk) holds(p *hunks.Patch) error {
	if utf8.Valid(d.raw) {
		return nil
	}
	for _, h := range p.Hunks {
		for _, b := range h.Blocks {
			for _, line := range b.New {
				if i := strings.IndexFunc(line, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
					r, _ := utf8.DecodeRuneInString(line[i:])
					return fmt.Errorf("is in an encoding that is not known here, which may not hold the character %q", r)
				}
			}
		}
	}
	return nil
}

// isAlarming says whether a line holds characters that are invisible or turn the direction of writing.
func isAlarming(line string) bool {
	for _, m := range visible.Marks(line) {
		if m.Alarming {
			return true
		}
	}
	return false
}
