// Package approve asks for the approval of calls that a program has collected: those that the policy leaves open are
// reviewed together, in one sitting, as texts that the program's own tools will write. What a person accepts of an edit is
// handed back as other arguments for its tool.
package approve

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/policy"
	"nvim-agent-diff/review"
)

// Decision is what becomes of a call.
type Decision struct {
	Approved bool `json:"approved"`
	// Note is for the model: why not, or what is different from what it wanted. "" when there is nothing to say.
	Note string `json:"note"`
	// OverrideArgs are the arguments to call the tool with; nil for those of the request.
	OverrideArgs map[string]json.RawMessage `json:"override_args"`
	// Remember is how long the person does not want to be asked about the like of it. What is for always is remembered
	// here; a session is the program's, and so is remembering for it.
	Remember string `json:"remember"`
}

// How long a decision is remembered.
const (
	rememberNone    = "none"
	rememberSession = "session"
	rememberAlways  = "always"
)

// Answer is what the program reads.
type Answer struct {
	Approvals map[string]*Decision `json:"approvals"` // by tool_call_id
}

// Any says whether any call is approved, or there are none.
func (a *Answer) Any() bool {
	for _, d := range a.Approvals {
		if d.Approved {
			return true
		}
	}
	return len(a.Approvals) == 0
}

// Approver decides on calls.
type Approver struct {
	// Reviewer shows what is to be decided; the policy is not its business.
	Reviewer review.Reviewer
	// Record is a reviewer whose reviews are written down. It may be nil.
	Record func(review.Reviewer) review.Reviewer
	Guard  *policy.Guard
	// Locate finds the file that a path means, to be changed or only to be read, and the root that its name is relative to.
	// The error is a *review.Error.
	Locate func(ctx context.Context, path string, change bool) (f review.File, root string, err error)
	Agent  string // the program's name
	Dir    string // where it is
}

// call is a request on its way to a decision.
type call struct {
	*request
	file   review.File
	root   string
	failed *review.Error // why there is nothing to decide
	want   *wanted       // once drafted
	done   *Decision
}

// batch is one run.
type batch struct {
	*Approver
	texts map[string]hunks.Text // what files hold by the calls that were approved, by their absolute paths
}

// Run decides on all requests of an input. The error is an *InputError, or a *review.Error when nobody could be asked.
func (a *Approver) Run(ctx context.Context, input []byte) (*Answer, error) {
	requests, err := parseRequests(input)
	if err != nil {
		return nil, err
	}
	b := &batch{Approver: a, texts: map[string]hunks.Text{}}
	calls := make([]*call, len(requests))
	for i, r := range requests {
		calls[i] = b.locate(ctx, r)
	}
	for open := calls; len(open) > 0; {
		asked, later := b.round(ctx, open)
		if len(asked) > 0 {
			if err := b.sit(ctx, asked, len(later)); err != nil {
				return nil, err
			}
		}
		open = later
	}
	answer := &Answer{Approvals: map[string]*Decision{}}
	for _, c := range calls {
		answer.Approvals[c.id] = c.done
	}
	return answer, nil
}

// Describe is the input with the payload of each request whose type is known, made of what its file holds now.
func (a *Approver) Describe(ctx context.Context, input []byte) (any, error) {
	requests, err := parseRequests(input)
	if err != nil {
		return nil, err
	}
	b := &batch{Approver: a, texts: map[string]hunks.Text{}}
	type described struct {
		ToolCallID string                     `json:"tool_call_id"`
		ToolName   string                     `json:"tool_name"`
		Args       map[string]json.RawMessage `json:"args"`
		Metadata   map[string]any             `json:"metadata"`
		Summary    string                     `json:"summary"`
	}
	list := make([]described, len(requests))
	for i, r := range requests {
		metadata := map[string]any{}
		for name, value := range r.metadata {
			metadata[name] = value
		}
		c := b.locate(ctx, r)
		switch p := c.payloadOf(); {
		case c.done != nil:
			metadata["error"] = c.done.Note
		case p != nil:
			metadata["payload"] = p
		}
		list[i] = described{r.id, r.tool, r.args, metadata, r.summary}
	}
	return map[string]any{"requests": list}, nil
}

func (c *call) payloadOf() Payload {
	if c.done != nil || c.file.Abs == "" {
		return nil
	}
	text, err := review.ReadDisk(c.file.Abs)
	if err != nil {
		c.fail(review.Errorf(review.ToolFailed, "%v", err))
		return nil
	}
	return c.describe(c.file.Name, text)
}

// locate finds a request's file. One that must not be touched is decided by that.
func (b *batch) locate(ctx context.Context, r *request) *call {
	c := &call{request: r}
	if r.path == "" {
		return c
	}
	path := r.path
	for _, root := range b.Guard.Load(b.Dir).Roots() {
		if root.Name == r.sandbox && !filepath.IsAbs(path) {
			path = root.Dir + "/" + path // not cleaned: "link/.." is not where the link is
		}
	}
	var err error
	if c.file, c.root, err = b.Locate(ctx, path, r.typ != typeRead); err != nil {
		c.fail(err)
	}
	c.file.Path = r.path
	return c
}

// fail decides a call that cannot be carried out: that is no person's no.
func (c *call) fail(err error) {
	c.done = &Decision{Note: err.Error(), Remember: rememberNone}
}

// maxSitting is how many calls are decided in one sitting.
const maxSitting = 100

// round decides what the policy decides, and gives the rest: what a person is asked about now, and what comes later,
// because an earlier call for the same file is open.
func (b *batch) round(ctx context.Context, open []*call) (asked, later []*call) {
	busy := map[string]bool{}
	for _, c := range open {
		if c.done != nil {
			continue
		}
		abs := c.file.Abs
		if c.isWrite() && busy[abs] || len(asked) == maxSitting {
			busy[abs] = busy[abs] || c.isWrite()
			later = append(later, c)
			continue
		}
		if b.byPolicy(ctx, c); c.done == nil {
			busy[abs] = busy[abs] || c.isWrite()
			asked = append(asked, c)
		}
	}
	return asked, later
}

// byPolicy decides a call that no person has to be asked about.
func (b *batch) byPolicy(ctx context.Context, c *call) {
	verdict, rule := b.verdict(b.Guard.Load(c.root), c)
	switch verdict {
	case policy.Deny:
		c.fail(policy.Denied(rule))
		b.record(ctx, c, nil, policy.Denied(rule))
		return
	case policy.Ask:
		return
	case policy.Accept:
	}
	note := "Accepted by policy " + rule.String() + ", without a review."
	if c.isWrite() {
		text, err := b.text(c.file.Abs)
		if err != nil {
			c.fail(review.Errorf(review.ToolFailed, "%s cannot be read: %v. Nothing was changed.", shown(c.path), err))
			return
		}
		w, err := b.wants(c, text)
		if known, ok := errors.AsType[*review.Error](err); ok && known.Code != review.NothingToChange {
			c.fail(err)
			return
		}
		if w != nil {
			c.want = w
			b.texts[c.file.Abs] = hunks.NewText(w.raw)
			b.record(ctx, c, &review.Outcome{Auto: true, Notes: []string{note}}, nil)
		}
	}
	c.done = &Decision{Approved: true, Note: note, Remember: rememberNone}
}

// wants is what the call would write. What is wrong with that is said as far as a model may know what the file holds.
func (b *batch) wants(c *call, current hunks.Text) (*wanted, error) {
	w, err := c.wants(current)
	if known, ok := errors.AsType[*review.Error](err); ok {
		reading := c.wish()
		reading.Action = policy.Read
		err = b.Guard.Load(c.root).Discreet(reading, shown(c.path), known)
	}
	return w, err
}

// record writes down what the policy has decided of an edit.
func (b *batch) record(ctx context.Context, c *call, out *review.Outcome, err error) {
	if b.Record == nil || !c.isWrite() {
		return
	}
	f := c.file
	f.Draft = func(hunks.Text) (*hunks.Patch, error) { return c.want.patch, nil }
	_, _ = b.Record(decided{out, err}).Review(ctx, review.Proposal{
		Tool: c.tool, Agent: b.Agent, Description: c.said(), Root: c.root, TextOnly: true, Files: []review.File{f},
	}, nil)
}

// decided is a reviewer of what is decided already.
type decided struct {
	out *review.Outcome
	err error
}

// Review says what was decided; see [review.Reviewer].
func (d decided) Review(_ context.Context, p review.Proposal, _ func(string)) (*review.Outcome, error) {
	if d.err != nil {
		return nil, d.err
	}
	patch, err := p.Files[0].Draft(hunks.Text{})
	if err != nil {
		return nil, err
	}
	o := review.FileOutcome{Path: p.Files[0].Path}
	for i, h := range patch.Hunks {
		o.Hunks = append(o.Hunks, review.HunkOutcome{Index: i + 1, Header: h.Header(), State: hunks.Applied})
	}
	d.out.Files = append(d.out.Files, o)
	return d.out, nil
}

// Read is not asked for; see [review.Reviewer].
func (decided) Read(context.Context, string) (*review.Document, error) {
	return nil, errors.New("there is nothing to read")
}

// verdict is what the policy says of a call. Of one that it knows nothing about, a person is asked, whatever the mode lets
// through.
func (b *batch) verdict(rules *policy.Policy, c *call) (policy.Verdict, policy.Rule) {
	r := c.wish()
	if c.file.Abs != "" {
		if readOnly, rule := rules.ReadOnly(c.file.Abs); readOnly && r.Action != policy.Read {
			return policy.Deny, rule
		}
		return rules.Decide(r)
	}
	if rule, broken := rules.Broken(); broken {
		return policy.Deny, rule
	}
	if granted, rule := rules.Granted(c.tool); !granted {
		return policy.Deny, rule
	}
	if b.Guard != nil && b.Guard.Memory != nil && rules.MayRemember(r) {
		if approval, found := b.Guard.Memory.Find(r); found {
			return policy.Accept, approval.Rule()
		}
	}
	if mode, rule := rules.Mode(); mode == policy.AutoDeny {
		return policy.Deny, rule
	}
	return policy.Ask, policy.Rule{}
}

// wish is the call in the policy's words.
func (c *call) wish() policy.Request {
	r := policy.Request{Action: policy.Write, Tool: c.tool, Path: c.file.Abs, Root: c.root, Key: c.key}
	switch c.typ {
	case typeEdit:
		r.Action = policy.Edit
	case typeRead:
		r.Action = policy.Read
	}
	return r
}

// key identifies the call.
func (c *call) key() string {
	args := make(map[string]any, len(c.args))
	for name, raw := range c.args {
		var value any
		if json.Unmarshal(raw, &value) != nil {
			return ""
		}
		args[name] = value
	}
	key, err := policy.Key(c.tool, args)
	if err != nil {
		return ""
	}
	return key
}

// text is what a file holds by the calls that were approved before.
func (b *batch) text(abs string) (hunks.Text, error) {
	if text, ok := b.texts[abs]; ok {
		return text, nil
	}
	return review.ReadDisk(abs)
}
