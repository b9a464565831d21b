package agents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"nvim-agent-diff/review"
)

// Choice is what to do where no person's decision is to be had.
type Choice string

// The choices.
const (
	Deny  Choice = "deny"
	Ask   Choice = "ask" // the agent's own prompt; deny where it has none
	Allow Choice = "allow"
)

// The exit codes of a hook. No other one blocks in every agent.
const (
	exitAnswered = 0
	exitBlocked  = 2
)

// stopTime is how long an answer may take after a signal. The agents kill a hook some seconds after they asked it to end.
const stopTime = 1500 * time.Millisecond

// Gate answers one call of an agent's hook.
type Gate struct {
	Agent    *Agent
	Reviewer review.Reviewer
	// Locate finds the file that a path means to a program that works in the folder dir; root is what its name is relative
	// to. The error is a *review.Error.
	Locate func(ctx context.Context, dir, path string) (f review.File, root string, err error)
	// Reload lets the editor read a file again that the agent has written.
	Reload func(ctx context.Context, abs string) error
	// NoEditor is what to do where no editor is to be found, and Fallback what to do when something fails.
	NoEditor, Fallback Choice
	// Notes is a folder for what an agent can only be told after its edit.
	Notes string
	Log   *slog.Logger
}

// Run answers the call that stdin tells of, and is the exit code. When ctx ends, the call is blocked soon.
func (g *Gate) Run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) int {
	type result struct {
		reply  []byte
		reason string // why there is none
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				g.Log.Error("the gate panicked", "panic", p, "stack", string(debug.Stack()))
				r.reply, r.reason = g.unread(&call{}, errors.New("the program has a fault, see its log"))
			}
			done <- r
		}()
		r.reply, r.reason = g.answer(ctx, stdin)
	}()
	var r result
	select {
	case r = <-done:
	case <-ctx.Done():
		select {
		case r = <-done:
		case <-time.After(stopTime):
			r.reason = "The review was interrupted. Nothing was changed."
		}
	}
	if r.reason == "" {
		_, err := stdout.Write(r.reply) // nothing where there is nothing to say
		if err == nil {
			return exitAnswered
		}
		r.reason = fmt.Sprintf("The answer could not be written: %v. Nothing was changed.", err)
	}
	fmt.Fprintln(stderr, r.reason)
	return exitBlocked
}

// answer is what is written to stdout; or why the call is blocked without an answer in the agent's form.
func (g *Gate) answer(ctx context.Context, stdin io.Reader) (reply []byte, reason string) {
	input, err := readFields(stdin)
	if err != nil {
		return g.unread(&call{}, err)
	}
	c, err := g.Agent.form.read(input)
	var ch changes
	if err == nil {
		ch, err = g.Agent.form.changes(c.tool, c.input)
	}
	switch {
	case c.after:
		if err != nil {
			g.Log.Warn("what the agent has done is not understood", "error", err)
		}
		return g.after(ctx, c, ch), ""
	case err != nil:
		return g.unread(c, err)
	case ch == nil:
		return g.Agent.form.reply(c, answer{kind: silent}), ""
	}
	a := g.decide(ctx, c, ch)
	g.Log.Info("a gate's answer", "agent", g.Agent.Name, "tool", c.tool, "kind", a.kind, "reason", a.reason)
	return g.Agent.form.reply(c, a), ""
}

// unread answers what could not be understood. Blocking by the exit code is what every agent honours, and needs no call
// that was understood.
func (g *Gate) unread(c *call, err error) (reply []byte, reason string) {
	form := g.Agent.form
	switch {
	case g.Fallback == Allow:
		return form.reply(c, answer{kind: silent}), ""
	case g.Fallback == Ask && !form.cannotAsk():
		return form.reply(c, answer{kind: ask, reason: failed(err)}), ""
	}
	return nil, failed(err)
}

// decide has a call reviewed.
func (g *Gate) decide(ctx context.Context, c *call, ch changes) (a answer) {
	s := &sitting{gate: g, call: c, changes: ch, files: ch.files()}
	defer func() { g.keepNote(c, s.proposed, a.note) }()
	p, err := s.proposal(ctx)
	if err != nil {
		return g.without(err)
	}
	out, err := g.Reviewer.Review(ctx, p, nil)
	if err != nil {
		if s.changesNothing() && asError(err).Code == review.NothingToChange {
			return answer{kind: silent}
		}
		return g.without(err)
	}
	if a, err = s.answer(out); err != nil {
		a = answer{reason: failed(err)}
	}
	return a
}

// without is the answer when nobody has decided. What the agent has done wrong, and what a rule forbids, is blocked
// whatever the choices are.
func (g *Gate) without(err error) answer {
	choice := Deny
	switch {
	case asError(err).Code == review.EditorUnavailable:
		choice = g.NoEditor
	case lost(err):
		choice = g.Fallback
	}
	a := answer{reason: failed(err)}
	switch {
	case choice == Allow:
		// Nothing was changed yet; but now it is.
		a = answer{kind: allow, note: "Nobody has reviewed this edit: " + strings.ReplaceAll(a.reason, " Nothing was changed.", "")}
	case choice == Ask && !g.Agent.form.cannotAsk():
		a.kind = ask
	}
	return a
}

// reloadTime is how long the agent waits for the editor after its edit. One that is busy for longer looks at its files by
// itself later.
const reloadTime = 3 * time.Second

// after is called when the agent has written: the editor reads the files again. Nothing that fails here can be a no.
func (g *Gate) after(ctx context.Context, c *call, ch changes) []byte {
	ctx, cancel := context.WithTimeout(ctx, reloadTime)
	defer cancel()
	var files []review.File
	if ch != nil {
		for _, f := range ch.files() {
			file, err := g.reload(ctx, c, f)
			if err != nil {
				g.Log.Warn("the editor does not read a file again", "path", f.path, "error", err)
			}
			if file.Abs != "" {
				files = append(files, file)
			}
		}
	}
	return g.Agent.form.reply(c, answer{kind: silent, note: g.takeNote(c, files)})
}

// reload lets the editor read one file again, and is that file.
func (g *Gate) reload(ctx context.Context, c *call, f change) (file review.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a panic: %v", p)
		}
	}()
	for _, path := range []string{f.newPath, f.path} {
		if path == "" {
			continue
		}
		if file, _, err = g.Locate(ctx, c.dir, path); err != nil {
			return file, err
		}
		if err = g.Reload(ctx, file.Abs); err != nil {
			return file, err
		}
	}
	return file, nil
}

// line is a reply of one line.
func line(v any) []byte { return append(toJSON(v), '\n') }
