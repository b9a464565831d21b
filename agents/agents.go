// Package agents is the gate in front of what coding agents write with their own tools. An agent runs it as a hook: it
// reads what the agent is about to do, has a person review it, and answers in that agent's own form. The agent writes the
// file itself afterwards, so a review here only composes a text ([review.Proposal.TextOnly]).
//
// What the agents do, how they are told a no, and what they make of a rewritten input differs; where a file says that an
// agent does something, it was measured or read in the program. They have one thing in common: every one of them goes on
// with its edit when its hook fails in an unexpected way. So a [Gate] ends in one of two ways only: it has written an answer
// in the agent's form and exits with 0, or it has said why not on stderr and exits with 2, which blocks everywhere.
package agents

import (
	"maps"
	"slices"

	"nvim-agent-diff/review"
)

// An Agent is a program whose hooks we know.
type Agent struct {
	Name  string // on the command line
	Title string // as people know it
	form  form
}

// form is how an agent asks and wants to be answered.
type form interface {
	// read takes a hook's input apart.
	read(input fields) (*call, error)
	// changes are what a call of a tool does to files; nil when the tool edits none.
	changes(tool string, input fields) (changes, error)
	// reply is the answer on stdout; nothing for one without words.
	reply(c *call, a answer) []byte
	// cannotAsk: the agent has no prompt of its own that a hook can call for.
	cannotAsk() bool
}

// call is what a hook is told.
type call struct {
	after   bool // the agent has done it; else it is about to
	session string
	dir     string // where the agent works
	who     string // a part of the agent, where it says so
	tool    string
	why     string // in the agent's words, if it has any
	input   fields // the tool's
}

// answer is what becomes of a call.
type answer struct {
	kind   kind
	reason string // why it is blocked, or what the agent's own prompt shall say
	input  fields // what the tool shall be called with in the place of its input; nil for that
	note   string // what the model must be told besides
}

type kind int

const (
	deny   kind = iota // the zero answer blocks
	silent             // it is none of our business
	allow
	ask // the agent's own prompt
)

var known = map[string]*Agent{}

func register(name, title string, f form) {
	known[name] = &Agent{Name: name, Title: title, form: f}
}

func init() {
	register("claude-code", "Claude Code", claudeCode{})
	register("codex", "Codex", codex{})
	register("gemini", "Gemini CLI", gemini{})
	register("opencode", "OpenCode", openCode{})
	register("generic", "", generic{})
}

// Names are the agents that a gate can stand before.
func Names() []string { return slices.Sorted(maps.Keys(known)) }

// Find is the agent of a name; nil when there is none.
func Find(name string) *Agent { return known[name] }

// failed is the error as the reason of an answer.
func failed(err error) string { return asError(err).Error() }

// lost says whether nobody could be asked, in contrast to an answer or to a rule.
func lost(err error) bool {
	switch asError(err).Code {
	case review.ToolFailed, review.EditorLost, review.InvalidArgs:
		return true
	}
	return false
}
