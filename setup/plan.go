package setup

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"nvim-agent-diff/hunks"
)

// Plan is what is going to be changed. Nothing is until [Plan.Apply].
type Plan struct {
	Agent   string
	Changes []Change
	Notes   []string // what the user has to know or do besides
}

// Change is that of one file.
type Change struct {
	Path          string
	Before, After []byte // nil for a file that is not there
	perm          os.FileMode
	backup        bool   // a copy is to be kept
	spent         string // a copy that holds nothing else than After: it goes
}

// Diff is the change as a unified diff.
func (c Change) Diff() string {
	text := func(raw []byte) hunks.Text {
		t := hunks.NewText(string(raw))
		t.Missing = raw == nil
		return t
	}
	name := strings.TrimPrefix(c.Path, "/")
	return hunks.Unified(name, name, text(c.Before), text(c.After))
}

// Plan says what has to be changed so that an agent meets us. A plan without changes means that it does already.
func (m *Machine) Plan(name string, o Options) (*Plan, error) {
	a, err := o.agent(name)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Agent: name}
	var docs []document
	for _, t := range a.targets(m, o.Project) {
		if err := m.bounds(t, o); err != nil {
			return nil, err
		}
		raw, err := readFile(t.path)
		if err != nil {
			return nil, err
		}
		changed, d, err := t.edited(raw, docs, o)
		if err != nil {
			return nil, unchanged(err)
		}
		docs = append(docs, d)
		if changed {
			plan.Changes = append(plan.Changes, Change{Path: t.path, Before: raw, After: d.text(), perm: t.perm, backup: true})
		}
	}
	if a.notes != nil {
		plan.Notes = a.notes(o)
	}
	if o.has(Gate) && m.hasProject() && m.state(a, "", !o.Project).has(Gate) {
		plan.Notes = append(plan.Notes, "The gate is set up for you and for this project: what the agent edits here may be reviewed twice.")
	}
	return plan, nil
}

// bounds refuses a project's file that is somewhere else.
func (m *Machine) bounds(t target, o Options) error {
	if !o.Project {
		return nil
	}
	return staysWithin(m.Project, t.path)
}

// edited is the document of a file with our entries in it.
func (t target) edited(raw []byte, earlier []document, o Options) (changed bool, d document, err error) {
	if d, err = t.format(t.path, raw); err != nil {
		return false, nil, err
	}
	for _, e := range t.entries(earlier) {
		if !o.has(e.part()) {
			continue
		}
		if here, differs := e.find(d); here && differs == "" {
			continue
		}
		if err := e.put(d); err != nil {
			return false, nil, err
		}
		changed = true
	}
	return changed, d, nil
}

// Undo says what has to be changed so that an agent does not meet us any more. A file that nobody else has changed gets its
// old bytes back; from another one our entries are taken out.
func (m *Machine) Undo(name string, o Options) (*Plan, error) {
	a, err := o.agent(name)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Agent: name}
	targets := a.targets(m, o.Project)
	for _, t := range targets {
		if err := m.bounds(t, o); err != nil {
			return nil, err
		}
	}
	raws, docs, err := load(targets)
	if err != nil {
		return nil, unchanged(err)
	}
	var entries [][]entry // before any of them is taken: where the one is depends on the other
	for i, t := range targets {
		entries = append(entries, slices.DeleteFunc(t.entries(docs[:i]), func(e entry) bool { return !o.has(e.part()) }))
	}
	for i, t := range targets {
		if !anyOf(entries[i], docs[i]) {
			continue
		}
		plan.Changes = append(plan.Changes, t.without(raws[i], docs[i], entries[i]))
	}
	return plan, nil
}

// load reads the documents as they are.
func load(targets []target) (raws [][]byte, docs []document, err error) {
	for _, t := range targets {
		raw, err := readFile(t.path)
		if err != nil {
			return nil, nil, err
		}
		d, err := t.format(t.path, raw)
		if err != nil {
			return nil, nil, err
		}
		raws, docs = append(raws, raw), append(docs, d)
	}
	return raws, docs, nil
}

// anyOf says whether any of the entries is in a document.
func anyOf(entries []entry, d document) bool {
	return slices.ContainsFunc(entries, func(e entry) bool {
		here, _ := e.find(d)
		return here
	})
}

// without is the change that takes the entries out of a file.
func (t target) without(raw []byte, d document, entries []entry) Change {
	c := Change{Path: t.path, Before: raw, perm: t.perm}
	for _, old := range backups(t.path) { // the oldest first
		if t.makes(old.content, raw, entries) {
			c.After, c.spent = old.content, old.path
			return c
		}
	}
	if t.makes(nil, raw, entries) {
		return c // there was no file
	}
	for _, old := range backups(t.path) {
		if was, err := t.format(t.path, old.content); err == nil && !anyOf(entries, was) {
			d.remember(old.content)
			break
		}
	}
	for _, e := range entries {
		e.take(d)
	}
	c.After, c.backup = d.text(), true
	return c
}

// makes says whether our entries, and nothing else, made of one text the other.
func (t target) makes(old, now []byte, entries []entry) bool {
	d, err := t.format(t.path, old)
	if err != nil || anyOf(entries, d) {
		return false
	}
	for _, e := range entries {
		if e.put(d) != nil {
			return false
		}
	}
	return bytes.Equal(d.text(), now)
}

// Apply makes the changes, and returns the copies that it has kept of what was there.
func (p *Plan) Apply(m *Machine) (copies []string, err error) {
	for _, c := range p.Changes {
		kept, err := c.apply(m.now())
		if kept != "" {
			copies = append(copies, kept)
		}
		if err != nil {
			return copies, fmt.Errorf("%w; %s", err, p.done(c.Path))
		}
	}
	return copies, nil
}

// done says which files have been changed when one could not be.
func (p *Plan) done(failed string) string {
	var paths []string
	for _, c := range p.Changes {
		if c.Path == failed {
			break
		}
		paths = append(paths, c.Path)
	}
	if len(paths) == 0 {
		return "nothing was changed"
	}
	return "changed were: " + strings.Join(paths, ", ")
}
