package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// cause is a file system's error without the path, which is said already.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// A root is a folder that tools may read and change: absolute, with symbolic links resolved.
type root string

// contains says whether a resolved absolute path is the root or in it.
func (r root) contains(abs string) bool {
	rest, ok := strings.CutPrefix(abs, string(r))
	return ok && (rest == "" || rest[0] == filepath.Separator || r == "/")
}

// namedRoots are the folders that a person named. Each must be there.
func namedRoots(dirs []string) ([]root, error) {
	var roots []root
	for _, dir := range dirs {
		if dir == "" {
			return nil, errors.New("a root is empty")
		}
		r, err := openRoot(dir)
		if err != nil {
			return nil, fmt.Errorf("root %s: %w", dir, err)
		}
		roots = append(roots, r)
	}
	return roots, nil
}

func openRoot(dir string) (root, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	resolved, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", cause(err)
	}
	if info, err := os.Stat(resolved); err != nil || !info.IsDir() {
		return "", errors.New("not a directory")
	}
	return root(resolved), nil
}

// workingRoots are the roots that nobody named: the top of the Git working tree around dir, else dir.
func workingRoots(dir string) []root {
	r, err := openRoot(dir)
	if err != nil {
		return nil
	}
	if top := gitTop(r); top != "" && !top.holdsHome() {
		return []root{top}
	}
	if r.holdsHome() {
		return nil
	}
	return []root{r}
}

// gitTop is the nearest folder around r, r itself included, that has a .git: a folder, or the file that a linked working
// tree or a submodule has.
func gitTop(r root) root {
	for dir := string(r); ; {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return root(dir)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// clientRoots are the folders among a client's roots: file URIs of folders that are there.
func clientRoots(uris []string) []root {
	var roots []root
	for _, uri := range uris {
		u, err := url.Parse(uri)
		if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || u.Path == "" {
			continue
		}
		if r, err := openRoot(u.Path); err == nil && !r.holdsHome() {
			roots = append(roots, r)
		}
	}
	return roots
}

// holdsHome says whether the root is the home folder or holds it, as / does. Such a root counts only when a person names
// it: an agent started there by chance shall not get everything.
func (r root) holdsHome() bool {
	if r == "/" {
		return true
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	if resolved, err := filepath.EvalSymlinks(home); err == nil {
		home = resolved
	}
	return r.contains(home)
}

// place is where a path leads.
type place struct {
	abs    string // absolute, with symbolic links resolved
	exists bool
}

// maxLinks is how many symbolic links a path may lead through, as in the kernel.
const maxLinks = 40

// resolve follows a path, absolute and not cleaned, as the kernel does: symbolic links are followed before "..", those that
// lead to nothing too. What does not exist is taken as it is written.
func resolve(path string) (place, error) {
	cur, links := "/", 0
	exists := true
	rest := strings.Split(path, "/")
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			cur = filepath.Dir(cur)
			continue
		}
		next := filepath.Join(cur, name)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			exists = false
		case err != nil:
			return place{}, cause(err)
		case info.Mode()&fs.ModeSymlink != 0:
			if links++; links > maxLinks {
				return place{}, errors.New("too many levels of symbolic links")
			}
			target, err := os.Readlink(next)
			if err != nil {
				return place{}, cause(err)
			}
			if filepath.IsAbs(target) {
				cur = "/"
			}
			rest = append(strings.Split(target, "/"), rest...)
			continue
		}
		cur = next
	}
	if !exists {
		// "new/../old" leads to something that exists, although "new" does not.
		_, err := os.Lstat(cur)
		exists = err == nil
	}
	return place{cur, exists}, nil
}
