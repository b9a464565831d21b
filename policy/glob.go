package policy

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// glob is a pattern for paths. As in .gitignore, one without a slash is for names at any depth, and one that ends in a slash
// for all in a folder.
type glob struct {
	text     string   // as it was written
	key      string   // where, as "deny[0]"
	patterns []string // what a path, or a name relative to a folder, is matched with
	absolute bool
}

// strictly or exactly: what forbids something takes in what is in a folder that matches, and does not tell upper from lower
// case; what allows something means what it says.
type strict bool

const (
	strictly strict = true
	exactly  strict = false
)

func newGlob(text, home string) (glob, error) {
	g := glob{text: text}
	pattern := strings.TrimPrefix(text, "./")
	if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
		pattern = escape(home) + "/" + rest
	}
	bare := strings.TrimSuffix(pattern, "/")
	if bare == "" || bare == "." || bare == ".." || strings.HasPrefix(bare, "../") || strings.Contains(bare, "/../") ||
		strings.HasSuffix(bare, "/..") {
		return g, errors.New("is no pattern for paths in a root")
	}
	if !doublestar.ValidatePattern(bare) {
		return g, errors.New("is no valid pattern")
	}
	if alternatives(bare) > maxAlternatives {
		return g, fmt.Errorf("stands for more than %d patterns: write several", maxAlternatives)
	}
	g.absolute = filepath.IsAbs(bare)
	if !g.absolute && !strings.Contains(bare, "/") {
		bare = "**/" + bare
	}
	g.patterns = []string{bare}
	if g.absolute {
		// Paths have their links resolved: the folder that the pattern begins with is to be compared like them.
		base, rest := doublestar.SplitPattern(bare)
		if resolved := resolveFar(unescape(base)); resolved != base {
			g.patterns = append(g.patterns, strings.TrimSuffix(escape(resolved), "/")+"/"+rest)
		}
	}
	if strings.HasSuffix(pattern, "/") {
		for i := range g.patterns {
			g.patterns[i] += "/**"
		}
	}
	return g, nil
}

// maxAlternatives is how many patterns one with braces may stand for. A path is matched with each of them: twenty times
// {a,b} in a project's file would keep a call waiting for minutes.
const maxAlternatives = 1000

// alternatives is how many patterns without braces a pattern stands for, or more than that: of braces within braces, and
// never more than one above maxAlternatives.
func alternatives(pattern string) int {
	product := 1
	var open []int // how many alternatives each of the braces has so far
	for i := 0; i < len(pattern); i++ {
		last := len(open) - 1
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '{':
			open = append(open, 1)
		case c == ',' && last >= 0:
			open[last]++
		case c == '}' && last >= 0:
			product = min(product*open[last], maxAlternatives+1)
			open = open[:last]
		}
	}
	return product
}

// escape is a path as a pattern that matches only it.
func escape(path string) string {
	var out strings.Builder
	for _, r := range path {
		if strings.ContainsRune(`*?[]{}\`, r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

func unescape(pattern string) string {
	var out strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' && i+1 < len(pattern) {
			i++
		}
		out.WriteByte(pattern[i])
	}
	return out.String()
}

func (g glob) matches(name string, how strict) bool {
	for _, pattern := range g.patterns {
		if how == exactly {
			if ok, err := doublestar.Match(pattern, name); ok && err == nil {
				return true
			}
			continue
		}
		folded := fold(pattern)
		for at := fold(name); at != "." && at != "/" && at != ""; at = parent(at) {
			// What cannot be matched is not let through.
			if ok, err := doublestar.Match(folded, at); ok || err != nil {
				return true
			}
		}
	}
	return false
}

func parent(name string) string {
	i := strings.LastIndexByte(name, '/')
	return name[:max(i, 0)]
}

// list is the key of the list that the glob is in.
func (g glob) list() string {
	list, _, _ := strings.Cut(g.key, "[")
	return list
}

// match is the first of the globs that is for a path, which is called names.
func (l *layer) match(globs []glob, names []string, path string, how strict) (Rule, bool) {
	for _, g := range globs {
		its := names
		if g.absolute {
			its = []string{filepath.ToSlash(path)}
		}
		for _, name := range its {
			if g.matches(name, how) {
				return l.globRule(g), true
			}
		}
	}
	return Rule{}, false
}

// fold makes names the same that a disk may take for the same: in upper or lower case, in whatever way characters are
// composed.
func fold(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return strings.ToLower(name)
	}
	return norm.NFD.String(cases.Fold().String(norm.NFD.String(name)))
}
