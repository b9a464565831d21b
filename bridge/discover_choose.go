package bridge

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
)

// choose takes the candidate that the file belongs to, and notes at each other one why it was passed over. It returns -1
// when there is none.
func choose(candidates []Candidate, file string) (best int, why string) {
	best = -1
	for i := range candidates {
		c := &candidates[i]
		if c.Passed != "" {
			continue
		}
		c.near, c.depth = nearest(c.Dirs, file)
		if !c.around() && !c.Loaded && c.depth == 0 {
			c.Passed = unrelated(c)
			continue
		}
		if best < 0 || compare(c, &candidates[best]) > 0 {
			best = i
		}
	}
	if best < 0 {
		return best, ""
	}
	tie := false
	for i := range candidates {
		if c := &candidates[i]; i != best && c.Passed == "" {
			var equal bool
			c.Passed, equal = preferred(&candidates[best], c)
			tie = tie || equal
		}
	}
	return best, because(&candidates[best], tie)
}

// around says whether the agent runs in this Neovim: then there is nothing to compare.
func (c *Candidate) around() bool { return c.Source == "$NVIM" }

// mute says why the candidate cannot say what it has loaded; empty when it can.
func (c *Candidate) mute() string {
	switch {
	case c.AtPrompt:
		return "waits at a prompt"
	case c.Busy:
		return "is busy"
	}
	return ""
}

// compare is positive when a is preferred to b.
func compare(a, b *Candidate) int {
	return cmp.Or(compareBool(a.around(), b.around()), compareBool(a.Loaded, b.Loaded), cmp.Compare(a.depth, b.depth),
		a.LastUsed.Compare(b.LastUsed), cmp.Compare(a.PID, b.PID))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// preferred says what the best one has before another candidate, and whether they are equal but for when they were used.
func preferred(best, other *Candidate) (reason string, equal bool) {
	switch {
	case best.around():
		return "the agent runs in another one ($NVIM)", false
	case best.Loaded && !other.Loaded && other.mute() != "":
		return fmt.Sprintf("another one has the file loaded (this one %s and cannot say)", other.mute()), false
	case best.Loaded && !other.Loaded:
		return "another one has the file loaded", false
	case best.depth != other.depth:
		return fmt.Sprintf("it works in %s, another one nearer to the file", orNone(other.near, other.Dirs)), false
	}
	return "another one like it was used last", true
}

func because(c *Candidate, tie bool) string {
	why := "it has the file loaded"
	switch {
	case c.around():
		return "the agent runs in it ($NVIM)"
	case !c.Loaded:
		why = "it works in " + c.near + ", the nearest folder above the file"
	}
	if tie {
		why += ", and of those that do it was used last"
	}
	return why
}

// unrelated says what a candidate that has nothing to do with the file does instead.
func unrelated(c *Candidate) string {
	dirs := orNone("", c.Dirs)
	if mute := c.mute(); mute != "" {
		return fmt.Sprintf("it %s and cannot say what it has loaded; it works in %s", mute, dirs)
	}
	return "it works in " + dirs + " and does not have the file loaded"
}

func orNone(dir string, dirs []string) string {
	switch {
	case dir != "":
		return dir
	case len(dirs) == 0:
		return "an unknown folder"
	}
	return strings.Join(dirs, ", ")
}

// nearest is the folder that is the nearest ancestor of the file, or the file itself when that is a folder, and how many
// names its path has, counting from 1 for the root. The depth is 0 when there is none. All paths are resolved; Neovim and
// the system do that by themselves.
func nearest(dirs []string, file string) (dir string, depth int) {
	for _, d := range dirs {
		inside := strings.TrimSuffix(d, "/") + "/"
		if n := strings.Count(inside, "/"); n > depth && filepath.IsAbs(d) && strings.HasPrefix(file+"/", inside) {
			dir, depth = d, n
		}
	}
	return dir, depth
}
