// Package tools is what agents call: the MCP server, the tools with their arguments and answers, the folders that they may
// touch. It asks a [review.Reviewer] and knows nothing of editors.
//
// Every call goes one way, whether it comes over MCP or from the command line: the arguments are checked ([param]), the
// path is found within the roots ([findTarget]), the proposal is reviewed ([Server.propose]), the outcome becomes a text
// and a structure ([report], [reviewed]). A tool is an entry in [registry].
package tools

import (
	"cmp"
	"context"
	"log/slog"
	"runtime/debug"
	"time"

	"nvim-agent-diff/policy"
	"nvim-agent-diff/review"
)

// Options are what a Server needs.
type Options struct {
	Reviewer review.Reviewer
	// Guard is the policy: which folders, files and tools there are for an agent, and who is asked. Nil for none.
	Guard *policy.Guard
	// Roots are the folders that tools may touch, as a person named them. When there are none, they are the client's,
	// else the Git working tree around the working folder, else that folder.
	Roots   []string
	Dir     string // the working folder; "" for the process's
	Version string
	Log     *slog.Logger // nil for none

	progressEvery time.Duration // 0 for progressEvery
	drainTime     time.Duration // 0 for drainTime
}

// Server answers tool calls. It is safe for concurrent use.
type Server struct {
	reviewer review.Reviewer
	guard    *policy.Guard
	version  string
	log      *slog.Logger
	every    time.Duration // between progress notifications
	drain    time.Duration // see drainTime
	named    []root        // by a person
	working  []root        // when nobody names any
}

// New makes a server. The error says what is wrong with the roots.
func New(o Options) (*Server, error) {
	named, err := namedRoots(o.Roots)
	if err != nil {
		return nil, err
	}
	s := &Server{
		reviewer: o.Reviewer, guard: o.Guard, version: o.Version, log: o.Log, named: named,
		every: cmp.Or(o.progressEvery, progressEvery), drain: cmp.Or(o.drainTime, drainTime),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if len(named) == 0 {
		s.working = workingRoots(o.Dir)
	}
	return s, nil
}

// Call is one call of a tool.
type Call struct {
	Tool      string
	Arguments Arguments
	Agent     string // the calling program's name
	Dir       string // where the caller is: relative paths are tried there first; "" for nowhere
	// Progress is told in a short sentence why the call waits, whenever that changes. It may be nil.
	Progress func(string)

	// clientRoots are the calling program's own roots, asked for when they are needed. It may be nil.
	clientRoots func(context.Context) []root

	sandbox   *sandbox      // once it is read
	reviewing bool          // a person has it, or had
	key       func() string // see policy.Key
}

// state is what is known of the files when the call ends by an error that does not say it.
func (c *Call) state() string {
	if c.reviewing {
		return untold
	}
	return unchanged
}

// Call runs a tool and waits for its answer. When ctx ends, the answer comes soon, and says what had been changed.
func (s *Server) Call(ctx context.Context, c Call) (result Result) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("a tool panicked", "tool", c.Tool, "panic", p, "stack", string(debug.Stack()))
			result = failed(review.Errorf(review.ToolFailed,
				"The program has a fault, see its log. %s", c.state()), "")
		}
	}()
	t := findTool(c.Tool)
	if t == nil {
		return failed(review.Errorf(review.InvalidArgs, "There is no tool %s. %s", shown(c.Tool), unchanged), "")
	}
	if err := c.Arguments.check(t.params); err != nil {
		return failed(err, c.state())
	}
	if err := s.sandboxOf(ctx, &c).granted(t.name); err != nil {
		return failed(err, c.state())
	}
	c.key = c.Arguments.key(t.name)
	result, err := t.run(ctx, s, &c)
	if err != nil {
		s.log.Info("no decision", "tool", c.Tool, "error", err)
		return failed(err, c.state())
	}
	return result
}

// File is where a path leads that a person gave in the folder dir. The error is a *review.Error.
func (s *Server) File(ctx context.Context, dir, path string) (abs string, err error) {
	t, err := s.sandbox(ctx, &Call{Dir: dir}).find(path)
	if err == nil {
		err = t.checkText()
	}
	return t.abs, err
}

// roots are the folders that this call may touch.
func (s *Server) roots(ctx context.Context, c *Call) []root {
	if len(s.named) > 0 {
		return s.named
	}
	if c.clientRoots != nil {
		if roots := c.clientRoots(ctx); len(roots) > 0 {
			return roots
		}
	}
	return s.working
}
