package bridge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nvim-agent-diff/review"
)

const (
	answerLimit = 300 * time.Millisecond // how long a candidate may take to answer
	promptAfter = 20 * time.Millisecond  // how long before it is asked whether it waits at a prompt
	dialLimit   = 2 * time.Second        // how long one may take to be reached: it may be far away, or this machine busy
)

// envAddr is the variable that names the address, where the command line does not.
const envAddr = "NVIM_AGENT_DIFF_ADDR"

// Finder finds the running Neovim that a file belongs to. It keeps nothing between searches, so a Neovim that was
// started a moment ago is found. It is safe for concurrent use.
type Finder struct {
	// Addr is the address that the user gave (--nvim); empty to search.
	Addr string
	// Env reads an environment variable; os.Getenv when nil. Nothing but HOME is needed.
	Env func(string) string

	// folders stands in for the folders of this machine, and answer for answerLimit, in tests.
	folders *socketFolders
	answer  time.Duration
}

// Candidate is a Neovim that was looked at.
type Candidate struct {
	Addr    string
	Source  string // where its address is from: "--nvim", "$NVIM", "registry", or the folder of its socket
	PID     int    // 0 when not known
	Version string // as "0.10.4"; empty when it did not answer
	Dirs    []string
	UIs     int  // screens that are attached
	Loaded  bool // it has the file in a loaded buffer
	// AtPrompt is a Neovim that waits for a key at a prompt and answers nothing else meanwhile: it cannot say what it has
	// loaded, and Dirs are known from outside.
	AtPrompt bool
	// Busy is a Neovim that did not answer in time, but whose process runs: it does something that takes long, like
	// ":!make". As at a prompt, Dirs are known from outside.
	Busy     bool
	LastUsed time.Time // when its current buffer was last entered
	Passed   string    // why it was passed over; empty for the one that was found

	given bool // named by the user
	old   bool
	depth int // of the working folder that is the nearest ancestor of the file; 0 when none is
	near  string
}

// Found is the outcome of a search.
type Found struct {
	Candidate
	Why        string      // one sentence without a period
	Candidates []Candidate // all that were looked at, this one too
}

// Find says which Neovim the file belongs to: the one whose address was given, else, of the live ones of this user, the
// one that has it loaded, else the one whose working folder is its nearest ancestor. file is absolute; it need not exist,
// and may be a folder.
//
// The error is a *review.Error of code editor_unavailable that tells which Neovims were looked at. There is never a Neovim
// that has nothing to do with the file.
func (f *Finder) Find(ctx context.Context, file string) (Found, error) {
	file = realPath(file)
	if addr, source := f.given(); addr != "" {
		return f.explicit(ctx, addr, source, file)
	}
	candidates := f.askAll(ctx, f.addresses(), file)
	if err := ctx.Err(); err != nil {
		return Found{Candidates: candidates}, review.Errorf(review.Cancelled, "The search for a Neovim was cancelled. Nothing was changed.")
	}
	best, why := choose(candidates, file)
	if best < 0 {
		return Found{Candidates: candidates}, f.noneFound(candidates, file)
	}
	return Found{Candidate: candidates[best], Why: why, Candidates: candidates}, nil
}

// given is the address that the user named, and where.
func (f *Finder) given() (addr, source string) {
	if f.Addr != "" {
		return f.Addr, "--nvim"
	}
	return f.env(envAddr), envAddr
}

func (f *Finder) env(name string) string {
	if f.Env == nil {
		return os.Getenv(name)
	}
	return f.Env(name)
}

// explicit takes the Neovim whose address was given, whatever it is doing, unless it is dead or too old.
func (f *Finder) explicit(ctx context.Context, addr, source, file string) (Found, error) {
	c := f.ask(ctx, Candidate{Addr: addr, Source: source, given: true}, file)
	switch {
	case c.Passed == "":
		return Found{Candidate: c, Why: "it was given by " + source, Candidates: []Candidate{c}}, nil
	case c.old:
		return Found{Candidates: []Candidate{c}}, review.Errorf(review.EditorUnavailable,
			"The Neovim at %s, given by %s, is %s. Nothing was changed.", addr, source, c.Passed)
	}
	return Found{Candidates: []Candidate{c}}, review.Errorf(review.EditorUnavailable,
		"No Neovim answers at %s, given by %s: %s. Start one there (nvim --listen %s), or leave %s out so that one is searched. "+
			"Nothing was changed.", addr, source, c.Passed, addr, source)
}

// noneFound tells the agent, and so its user, what was looked at and what would be found.
func (f *Finder) noneFound(candidates []Candidate, file string) error {
	var b strings.Builder
	if len(candidates) == 0 {
		// One with its sockets elsewhere may well be running: a stripped environment does not say where.
		fmt.Fprintf(&b, "No running Neovim of this user was found. Looked in: %s. One whose sockets are elsewhere is found when the "+
			"plugin is installed in it.", strings.Join(f.Places(), ", "))
	} else {
		fmt.Fprintf(&b, "None of the running Neovims has %s loaded or works in a folder above it. Looked at:\n", file)
		for _, c := range candidates {
			fmt.Fprintf(&b, "- %s (%s): %s\n", c.Addr, c.Source, c.Passed)
		}
	}
	fmt.Fprintf(&b, " Start Neovim in %s, or name one that runs elsewhere: start it with nvim --listen ADDR and set %s=ADDR or "+
		"give --nvim ADDR. Nothing was changed.", projectOf(file), envAddr)
	return &review.Error{Code: review.EditorUnavailable, Text: strings.ReplaceAll(b.String(), "\n ", "\n")}
}

// realPath resolves the symbolic links of a path, of which the last parts need not exist.
func realPath(path string) string {
	path = filepath.Clean(path)
	rest := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(resolved, rest)
		}
		if dir == filepath.Dir(dir) {
			return path
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// projectOf is the folder to start a Neovim in: the top of the file's Git working tree, else its nearest folder that
// exists.
func projectOf(file string) string {
	nearest := ""
	for dir := file; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); nearest == "" && err == nil && info.IsDir() {
			nearest = dir
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return nearest
		}
	}
}
