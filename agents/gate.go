package agents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"nvim-agent-diff/hunks"
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
func (g *Gate) decide(ctx context.Context, c *call, ch changes) answer {
	s := &sitting{gate: g, call: c, changes: ch, files: ch.files()}
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
	a, err := s.answer(out)
	if err != nil {
		a = answer{reason: failed(err)}
	}
	g.keepNote(c, s.proposed, a.note)
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
		a = answer{kind: allow, note: "Nobody has reviewed this edit: " + a.reason}
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

// sitting is the review of one call.
type sitting struct {
	gate     *Gate
	call     *call
	changes  changes
	files    []change
	proposed []review.File
	disks    []hunks.Text // what the files held when they were compared
	wants    []*wanted
}

// proposal is what is to be reviewed.
func (s *sitting) proposal(ctx context.Context) (review.Proposal, error) {
	g, c := s.gate, s.call
	p := review.Proposal{Tool: c.tool, Agent: g.Agent.Title, Description: c.why, TextOnly: true}
	if c.who != "" && p.Agent != "" {
		p.Agent += " (" + c.who + ")"
	} else if c.who != "" {
		p.Agent = c.who
	}
	if p.Description == "" {
		p.Description = "with the agent's own tool " + c.tool
	}
	s.disks, s.wants = make([]hunks.Text, len(s.files)), make([]*wanted, len(s.files))
	for i, ch := range s.files {
		f, root, err := s.locate(ctx, ch)
		if err != nil {
			return p, err
		}
		f.Draft = func(disk hunks.Text) (*hunks.Patch, error) { return s.draft(ctx, i, f, disk) }
		p.Files = append(p.Files, f)
		if p.Root == "" {
			p.Root = root
		}
	}
	s.proposed = append(s.proposed, p.Files...)
	return p, nil
}

// locate finds a file, and where it is to be moved.
func (s *sitting) locate(ctx context.Context, ch change) (f review.File, root string, err error) {
	g, dir := s.gate, s.call.dir
	if f, root, err = g.Locate(ctx, dir, ch.path); err != nil || ch.newPath == "" {
		return f, root, err
	}
	to, _, err := g.Locate(ctx, dir, ch.newPath)
	if err != nil {
		return f, root, err
	}
	f.NewPath, f.NewAbs, f.NewName = ch.newPath, to.Abs, to.Name
	if _, err := os.Lstat(to.Abs); err == nil {
		return f, root, review.Errorf(review.StaleOriginal, "%s exists already. Nothing was changed.", shown(ch.newPath))
	}
	return f, root, nil
}

// draft turns one of the changes into hunks, now that the file's turn has come.
func (s *sitting) draft(ctx context.Context, i int, f review.File, disk hunks.Text) (*hunks.Patch, error) {
	ch := s.files[i]
	now, _, err := s.locate(ctx, ch)
	if err != nil {
		return nil, err
	}
	if now.Abs != f.Abs || now.NewAbs != f.NewAbs {
		return nil, review.Errorf(review.StaleOriginal, "%s leads to another file than a moment ago. Nothing was changed.", shown(ch.path))
	}
	w, err := ch.wants(disk)
	if w == nil {
		return nil, asError(err)
	}
	s.disks[i], s.wants[i] = disk, w
	switch {
	case err != nil:
		return w.patch, asError(err)
	case w.isNothing():
		return nil, review.Errorf(review.NothingToChange, "%s already holds this text. Nothing was changed.", shown(ch.path))
	}
	return w.patch, nil
}

// changesNothing says whether what the tool would write is what is there, to the byte.
func (s *sitting) changesNothing() bool {
	for i := range s.files {
		if !s.isNothing(i) {
			return false
		}
	}
	return true
}

func (s *sitting) isNothing(i int) bool {
	w := s.wants[i]
	return w != nil && w.isNothing() && w.holds(w.patch.Base)
}

// answer is what becomes of the call by the outcome of the review.
func (s *sitting) answer(out *review.Outcome) (answer, error) {
	if out.Decision() == review.Rejected {
		return answer{reason: Rejection(out)}, nil
	}
	texts, exact, err := s.written(out)
	if err != nil {
		return answer{}, err
	}
	a := answer{kind: allow, note: Note(out)}
	if exact {
		return a, nil
	}
	input, err := s.changes.rewrite(s.call.input, texts)
	if err != nil {
		return answer{}, err
	}
	if err := s.verify(input, texts); err != nil {
		return answer{}, review.Errorf(review.StaleOriginal, "What the user accepted cannot be said with the tool %s (%v). Nothing was changed. "+
			"Propose it again in parts, or write the whole file.", shown(s.call.tool), err)
	}
	a.input = input
	return a, nil
}

// written are the texts that were decided on; exact: the call as it is writes them.
func (s *sitting) written(out *review.Outcome) (texts []written, exact bool, err error) {
	texts, exact = make([]written, len(s.files)), true
	rest := out.Files
	for i, ch := range s.files {
		if len(rest) == 0 || rest[0].Path != ch.path { // nothing was to be decided
			exact = exact && s.isNothing(i)
			continue
		}
		f, w := rest[0], s.wants[i]
		rest = rest[1:]
		if f.Unwritable != "" {
			return nil, false, review.Errorf(review.StaleOriginal, "The user accepted, but %s must not be written now. %s Nothing was changed. "+
				"Read it again and propose again.", shown(f.Path), f.Unwritable)
		}
		t := written{
			accepted: f.Decision() == review.Accepted, moved: f.RenamedTo != "", disk: s.disks[i], base: w.patch.Base, text: f.Text,
		}
		texts[i] = t
		exact = exact && t.accepted && w.holds(t.text) && !w.unsure && t.moved == (ch.newPath != "")
	}
	if len(rest) > 0 {
		return nil, false, review.Errorf(review.StaleOriginal, "The review was of other files than the edit is. Nothing was changed.")
	}
	return texts, exact, nil
}

// verify makes sure that a rewritten input writes what was decided, by what we know of the tool: whatever is in the way of
// it, the agent must not write something else.
func (s *sitting) verify(input fields, texts []written) error {
	again, err := parseFields(toJSON(input)) // as the agent will read it
	if err != nil {
		return err
	}
	ch, err := s.gate.Agent.form.changes(s.call.tool, again)
	if err != nil {
		return err
	}
	rest := ch.files()
	for i, t := range texts {
		if !t.accepted {
			continue
		}
		if len(rest) == 0 || rest[0].path != s.files[i].path || (rest[0].newPath != "") != t.moved {
			return errors.New("the rewritten input is about other files")
		}
		w, err := rest[0].wants(t.disk)
		rest = rest[1:]
		if err != nil {
			return err
		}
		if !w.holds(t.text) || w.unsure {
			return errors.New("the tool would write something else")
		}
	}
	if len(rest) > 0 {
		return errors.New("the rewritten input is about other files")
	}
	return nil
}

// line is a reply of one line.
func line(v any) []byte { return append(toJSON(v), '\n') }
