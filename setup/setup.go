// Package setup tells coding agents about this program: it writes the MCP server and the gate into their configuration, says
// what is written there, and takes it out again.
//
// What an agent needs is a list of entries in files ([agent.targets]). An entry knows how to put itself into a document, to
// recognize itself there, and to take itself out ([entry]). A document is a file's text that is edited in place, so that
// everything else in it stays as it was ([document]).
package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// serverName is what the MCP server is called in every agent's configuration. It has no underscore: one agent splits names
// there.
const serverName = "nvim-diff"

// programName is the file name of this program, by which a registration of ours is recognized.
const programName = "nvim-agent-diff"

// A review takes as long as a person needs: a day, in the units that the agents count in. A JavaScript timer of more than
// 2,147,483,647 ms fires at once.
const (
	daySeconds      = 24 * 60 * 60
	dayMilliseconds = daySeconds * 1000
)

// Part is one of the two ways in which an agent meets us.
type Part string

// The parts.
const (
	MCP  Part = "mcp"  // the tools that the agent can call
	Gate Part = "gate" // the hook in front of the agent's own edits
)

// Title is a part in a sentence.
func (p Part) Title() string {
	if p == MCP {
		return "The MCP server"
	}
	return "The gate"
}

// Machine is where agents are set up.
type Machine struct {
	Program string              // the absolute path of this program, as agents shall start it
	Plugin  string              // what OpenCode loads, the source of a plugin that runs Program
	Home    string              // the user's
	Project string              // the folder of --project
	Getenv  func(string) string // nil for os.Getenv
	Now     func() time.Time    // nil for time.Now
}

// Options say what is set up.
type Options struct {
	Parts   []Part // none for all that the agent has
	Project bool   // in the project's folder, not for the user
}

func (o Options) has(p Part) bool {
	return len(o.Parts) == 0 || slices.Contains(o.Parts, p)
}

// agent is the one of a name; an error when there is none, or when it lacks something that is asked for.
func (o Options) agent(name string) (*agent, error) {
	a, err := findAgent(name)
	if err != nil {
		return nil, err
	}
	for _, p := range o.Parts {
		if !slices.Contains(a.parts, p) {
			return nil, fmt.Errorf("%s has no %s", a.title, p)
		}
	}
	return a, nil
}

func (m *Machine) getenv(name string) string {
	if m.Getenv != nil {
		return m.Getenv(name)
	}
	return os.Getenv(name)
}

func (m *Machine) now() time.Time {
	if m.Now != nil {
		return m.Now()
	}
	return time.Now()
}

// hasProject says whether there is a project besides the home folder: what is written there is for all projects.
func (m *Machine) hasProject() bool { return m.Project != "" && m.Project != m.Home }

// folder is the one that a variable names, else one in the home folder.
func (m *Machine) folder(variable, below string) string {
	if dir := m.getenv(variable); dir != "" {
		return dir
	}
	return filepath.Join(m.Home, below)
}

// Agents are the names of the agents that can be set up.
func Agents() []string {
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = a.name
	}
	return names
}

// Title is what an agent calls itself.
func Title(name string) string {
	if a, err := findAgent(name); err == nil {
		return a.title
	}
	return name
}

func findAgent(name string) (*agent, error) {
	for _, a := range agents {
		if a.name == name {
			return a, nil
		}
	}
	return nil, fmt.Errorf("there is no agent %q; there are: %s", name, strings.Join(Agents(), ", "))
}

// agent is a program that is set up.
type agent struct {
	name    string
	title   string
	command string // its program's name
	parts   []Part
	// folder is where it keeps its configuration. That it is there says that the agent is used here.
	folder func(m *Machine) string
	// targets are the files that are edited, in order. The entries of a later one may depend on what is in an earlier one.
	targets func(m *Machine, project bool) []target
	// off are the settings by which the user has switched all hooks off.
	off []setting
	// harmless is what a hook is told of a call that changes nothing.
	harmless map[string]any
	// trusted asks the agent whether it will run our hook. It is nil for an agent that runs every hook.
	trusted func(ctx context.Context, m *Machine, dir string) (well string, err error)
	// notes say what the user has to know or do besides.
	notes func(o Options) []string
}

// setting is a value at a place in the files of an agent, or a word in a list there.
type setting struct {
	at    []string
	value any
}

// program is the path of the agent's program, "" when it is not there.
func (a *agent) program() string {
	path, err := exec.LookPath(a.command)
	if err != nil {
		return ""
	}
	return path
}

// target is a file with what is to be in it.
type target struct {
	path   string
	format format
	perm   os.FileMode // of a file that is not there yet
	// entries are what is to be in the file, when the earlier targets are as given.
	entries func(earlier []document) []entry
}

// entry is one thing of ours in a document.
type entry interface {
	part() Part
	// find says whether it is there, and whether as it shall be.
	find(d document) (here bool, differs string)
	put(d document) error
	take(d document)
}

// document is the text of a file that is edited in place.
type document interface {
	// remember tells what the file was before us: what it had then stays, also when it gets empty.
	remember(before []byte)
	// text is the file's content, nil when there is nothing in it and it was not there before us.
	text() []byte
}

// format reads a document.
type format func(path string, raw []byte) (document, error)

// fixed are entries that depend on nothing.
func fixed(entries ...entry) func([]document) []entry {
	return func([]document) []entry { return entries }
}

// SyntaxError says where a configuration file is broken.
type SyntaxError struct {
	Path string
	Line int
	Text string
}

// unchanged is the error of a plan.
func unchanged(err error) error {
	if _, broken := errors.AsType[*SyntaxError](err); broken {
		return fmt.Errorf("%w. Nothing was changed: mend the file first", err)
	}
	return err
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Text)
}
