package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// person is a reviewer who decides as told: one letter for each hunk, a or r; what is left out stays undecided.
type person struct {
	keys    string
	comment string
	edit    func(hunks.Text) hunks.Text // besides, in the first file
	err     error
	panics  bool
	waits   bool // until the context ends
	asked   int
}

var _ review.Reviewer = (*person)(nil)

func (p *person) Read(context.Context, string) (*review.Document, error) {
	return nil, errors.New("a gate reads nothing")
}

func (p *person) Review(ctx context.Context, pr review.Proposal, _ func(string)) (*review.Outcome, error) {
	p.asked++
	switch {
	case p.panics:
		panic("the reviewer has a fault")
	case p.err != nil:
		return nil, p.err
	case p.waits:
		<-ctx.Done()
		return nil, review.Errorf(review.Cancelled, "The call was cancelled. Nothing was changed.")
	}
	out := &review.Outcome{Comment: p.comment}
	keys := p.keys
	next := func() hunks.State {
		state := hunks.Pending
		if keys != "" {
			state = map[byte]hunks.State{'a': hunks.Applied, 'r': hunks.Rejected}[keys[0]]
			keys = keys[1:]
		}
		return state
	}
	for i, f := range pr.Files {
		o, err := decided(f, next)
		if known, ok := errors.AsType[*review.Error](err); ok && known.Code == review.NothingToChange && len(pr.Files) > 1 {
			continue
		}
		if err != nil {
			return nil, err
		}
		if i == 0 && p.edit != nil {
			before := o.Text
			o.Text = p.edit(o.Text)
			o.UserDiff = hunks.Unified(f.Name, f.Name, before, o.Text)
		}
		out.Files = append(out.Files, *o)
	}
	return out, nil
}

// decided is one file after a review that touches nothing, as bridge makes it.
func decided(f review.File, next func() hunks.State) (*review.FileOutcome, error) {
	raw, err := os.ReadFile(f.Abs)
	disk := hunks.NewText(string(raw))
	disk.Missing = errors.Is(err, fs.ErrNotExist)
	p, err := f.Draft(disk)
	if err != nil {
		return nil, err
	}
	o := &review.FileOutcome{Path: f.Path}
	add := func(header string, state hunks.State) {
		o.Hunks = append(o.Hunks, review.HunkOutcome{Index: len(o.Hunks) + 1, Header: header, State: state})
	}
	applied := map[int]bool{}
	for i := range p.Whole {
		w, state := &p.Whole[i], next()
		add(w.Header(f.NewName), state)
		if state != hunks.Applied {
			continue
		}
		o.Deleted = o.Deleted || w.Kind == hunks.Delete
		if w.Kind == hunks.Rename {
			o.RenamedTo = f.NewPath
		}
		for _, h := range p.Hunks {
			applied[h.ID] = w.OwnsLines()
		}
	}
	if p.Owner() == nil {
		for _, h := range p.Hunks {
			state := h.State
			if state != hunks.Conflict {
				state = next()
			}
			add(h.Header(), state)
			applied[h.ID] = state == hunks.Applied
		}
	}
	o.Text = p.Base.With(p.Compose(func(id int) bool { return applied[id] }))
	if o.Deleted {
		o.Text = hunks.Text{Missing: true}
	}
	o.Text.Missing = o.Deleted || p.Base.Missing && o.Text.Body == "" && o.Decision() == review.Rejected
	if changed(o) && o.Decision() == review.Accepted {
		o.AppliedDiff = hunks.Unified(f.Name, f.Name, p.Base, o.Text)
	}
	return o, nil
}

// desk is a project with a gate before it.
type desk struct {
	t        testing.TB
	dir      string
	gate     *Gate
	reloaded []string
	log      bytes.Buffer
}

func newDesk(t testing.TB, agent string, p review.Reviewer) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir()}
	d.gate = &Gate{
		Agent: Find(agent), Reviewer: p, NoEditor: Deny, Fallback: Deny, Notes: filepath.Join(t.TempDir(), "notes"),
		Locate: func(_ context.Context, _, path string) (review.File, string, error) {
			if strings.HasPrefix(path, "../") {
				return review.File{}, "", review.Errorf(review.PathNotInSandbox, "%s is outside. Nothing was changed.", path)
			}
			return review.File{Path: path, Abs: filepath.Join(d.dir, path), Name: path}, d.dir, nil
		},
		Reload: func(_ context.Context, abs string) error {
			d.reloaded = append(d.reloaded, filepath.Base(abs))
			return nil
		},
	}
	d.gate.Log = slog.New(slog.NewTextHandler(&d.log, nil))
	return d
}

func (d *desk) file(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// run runs the hook with an input.
func (d *desk) run(input string) (code int, stdout, stderr string) {
	d.t.Helper()
	var out, errs bytes.Buffer
	code = d.gate.Run(d.t.Context(), strings.NewReader(input), &out, &errs)
	return code, out.String(), errs.String()
}

// hookInput is what an agent's hook is given before a call of a tool.
func hookInput(agent, tool string, args map[string]any) string {
	var input map[string]any
	switch agent {
	case "opencode":
		input = map[string]any{"event": "before", "tool": tool, "sessionID": "s", "callID": "c", "directory": "/p", "args": args}
	case "generic":
		input = map[string]any{"event": "before", "agent": "Some agent", "cwd": "/p"}
		maps.Copy(input, args)
	default:
		event := "PreToolUse"
		if agent == "gemini" {
			event = "BeforeTool"
		}
		input = map[string]any{"hook_event_name": event, "session_id": "s", "cwd": "/p", "tool_name": tool, "tool_input": args}
	}
	return string(toJSON(input))
}

// reply is an answer of any agent's form.
type reply struct {
	Decision, Reason, Note string
	Args                   fields
	Edits                  json.RawMessage
	Output                 struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
		Input    fields `json:"updatedInput"`
		Gemini   fields `json:"tool_input"`
		Context  string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

func parseReply(t testing.TB, stdout string) (r reply) {
	t.Helper()
	if stdout == "" {
		return r
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("the answer %q is no JSON: %v", stdout, err)
	}
	return r
}

// input is the rewritten input, nil for none.
func (r reply) input() fields {
	for _, f := range []fields{r.Args, r.Output.Input, r.Output.Gemini} {
		if f != nil {
			return f
		}
	}
	if r.Edits != nil {
		return fields{"edits": r.Edits}
	}
	return nil
}

// blocks says whether an agent does not go on with its edit. It is written from what was measured, not from our code.
func blocks(agent string, code int, stdout string, r reply) bool {
	if code == 2 {
		return true
	}
	switch agent {
	case "claude-code", "codex":
		return r.Output.Event == "PreToolUse" && r.Output.Decision == "deny" && r.Output.Reason != "" ||
			agent == "claude-code" && r.Output.Decision == "ask"
	case "gemini":
		return r.Decision == "deny" || r.Decision == "ask"
	}
	return stdout == "" || r.Decision != "allow"
}
