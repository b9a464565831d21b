// Package policy says what agents may do without asking, what a person has to be asked, and what is not done at all.
//
// The rules come from the user's configuration, and from a project's own file, which may only tighten them: an agent can
// write it. They are read anew for each call ([Load]); nothing that cannot be read ever loosens them. A [Guard] holds them
// against calls and proposals, and remembers what a person has let through ([Memory]).
package policy

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"nvim-agent-diff/visible"
)

// Mode says what becomes of an edit that no other rule decides.
type Mode string

// The modes, from the loosest to the strictest.
const (
	AutoApprove Mode = "auto_approve" // it is applied without a review
	Interactive Mode = "interactive"  // a person reviews it
	AutoDeny    Mode = "auto_deny"    // it is refused; so is everything else that a person would have to be asked
)

var strictness = map[Mode]int{AutoApprove: 0, Interactive: 1, AutoDeny: 2}

// Action is what is done to a file.
type Action int

// The actions that have an approval each.
const (
	Read  Action = iota
	Write        // a new file, or the whole of one
	Edit         // a part of one
)

// approvalKeys are the actions' keys in the configuration.
var approvalKeys = [...]string{Read: "read_approval", Write: "write_approval", Edit: "edit_approval"}

// Verdict is what the policy says.
type Verdict int

// The verdicts, from the loosest to the strictest.
const (
	Accept Verdict = iota // done without asking
	Ask                   // a person decides
	Deny                  // not done
)

// Rule is why: a line of a file, a remembered approval, or a default, which has no file.
type Rule struct {
	Text string // as `deny = "secrets/**"`
	File string
	Line int
}

// String is the rule as it is told, in one line and with nothing hidden in it: with its file and line.
func (r Rule) String() string {
	text := r.Text
	if r.File != "" {
		text = strings.TrimPrefix(fmt.Sprintf("%s (%s:%d)", r.Text, r.File, r.Line), " ")
	}
	return visible.Line(text, false)
}

// Request is what somebody wants to do.
type Request struct {
	Action Action
	Tool   string   // as "edit_file"
	Grants []string // the tools of which one has to be granted; nil for Tool
	Path   string   // absolute, with symbolic links resolved
	Root   string   // the root that it is in
	// Key is of exactly this call, see [Key]; it may be nil. It is asked for only where a call has been remembered: making it
	// takes longer than everything else that is decided here.
	Key func() string
}

// Policy is what the files said when they were read.
type Policy struct {
	// Notes are lines that are not followed, and why: a project's that would loosen, a root that is not there.
	Notes []Note

	dirs      []dir   // what the user's globs are relative to
	layers    []layer // the user's first, then the projects', the outer first
	broken    []Note  // why nothing may be done at all
	protected protected
	memory    *Memory
}

// Note is something to say about a line.
type Note struct {
	Rule
	Problem string
}

// broken is the note as the reason for which nothing is done.
func (n Note) broken() Rule {
	return Rule{Text: strings.TrimPrefix(n.Text+": "+n.Problem, ": "), File: n.File, Line: n.Line}
}

func (n Note) String() string { return n.Rule.String() + ": " + visible.Line(n.Problem, false) }

// dir is a folder that globs are relative to, and the name that a person gave it.
type dir struct{ name, path string }

// Mode is the mode in force, and where it comes from.
func (p *Policy) Mode() (Mode, Rule) {
	mode, rule := Interactive, Rule{Text: `mode = "interactive", the default`}
	for i := range p.layers {
		l := &p.layers[i]
		if l.mode == "" || l.project != "" && strictness[l.mode] <= strictness[mode] {
			continue
		}
		mode, rule = l.mode, l.rule("mode", fmt.Sprintf("mode = %q", l.mode))
	}
	return mode, rule
}

// Broken is why nothing may be done, when a file cannot be understood; the first of the [Policy.Problems].
func (p *Policy) Broken() (Rule, bool) {
	if len(p.broken) == 0 {
		return Rule{}, false
	}
	return p.broken[0].broken(), true
}

// Problems are all the reasons for which nothing may be done.
func (p *Policy) Problems() []Note { return p.broken }

// Granted says whether one of the tools may be used, and what forbids it.
func (p *Policy) Granted(tools ...string) (bool, Rule) {
	for i := range p.layers {
		l := &p.layers[i]
		if l.tools != nil && !slices.ContainsFunc(tools, func(tool string) bool { return slices.Contains(*l.tools, tool) }) {
			return false, l.toolsRule()
		}
	}
	return true, Rule{}
}

// Forbidden says whether nothing may be done to a file, not even with a person's approval, and what forbids it. Paths are
// compared without regard to upper and lower case: a disk may not know the difference.
func (p *Policy) Forbidden(path string) (bool, Rule) {
	if rule, broken := p.Broken(); broken {
		return true, rule
	}
	for i := range p.layers {
		if rule, found := p.layers[i].match(p.layers[i].deny, p.names(&p.layers[i], path), path, strictly); found {
			return true, rule
		}
	}
	return false, Rule{}
}

// ReadOnly says whether a file may be read only, and what says so.
func (p *Policy) ReadOnly(path string) (bool, Rule) {
	for i := range p.layers {
		l := &p.layers[i]
		for _, r := range l.rootsOf(path) {
			if r.readOnly != nil && *r.readOnly {
				return true, l.modeRule(r)
			}
			if l.project == "" && r.readOnly != nil {
				break // the innermost of the user's counts
			}
		}
	}
	return false, Rule{}
}

// Decide says whether something is done, and why.
func (p *Policy) Decide(r Request) (Verdict, Rule) {
	tools := r.Grants
	if tools == nil {
		tools = []string{r.Tool}
	}
	if granted, rule := p.Granted(tools...); !granted {
		return Deny, rule
	}
	if forbidden, rule := p.Forbidden(r.Path); forbidden {
		return Deny, rule
	}
	mode, modeRule := p.Mode()
	must := func(rule Rule) (Verdict, Rule) {
		if mode == AutoDeny {
			return Deny, modeRule
		}
		return Ask, rule
	}
	if rule, fixed := p.fixed(r); fixed {
		return must(rule)
	}
	if p.layers != nil && p.layers[0].project == "" {
		user := &p.layers[0]
		if rule, found := user.match(user.allow, p.names(user, r.Path), r.Path, exactly); found {
			return Accept, rule
		}
	}
	needed, rule := p.approval(r)
	if needed != nil && !*needed {
		return Accept, rule
	}
	if needed == nil && r.Action == Read {
		return Accept, Rule{}
	}
	if approval, found := p.remembered(r); found {
		return Accept, approval.Rule()
	}
	switch {
	case needed != nil:
		return must(rule)
	case mode == AutoApprove:
		return Accept, modeRule
	case mode == AutoDeny:
		return Deny, modeRule
	}
	return Ask, modeRule
}

// MayRemember says whether a person's yes to this request may be remembered.
func (p *Policy) MayRemember(r Request) bool {
	if _, fixed := p.fixed(r); fixed || p.memory == nil {
		return false
	}
	off, _ := p.memoryOff()
	return !off
}

// fixed says whether a person is asked each time, whatever else is said: an "ask" glob, what the policy is made of, and what
// Git would run.
func (p *Policy) fixed(r Request) (Rule, bool) {
	if r.Action != Read && p.protected.holds(r.Path) {
		return Rule{Text: "the policy's own files are changed by a person only"}, true
	}
	if r.Action != Read && slices.Contains(strings.Split(fold(r.Path), "/"), ".git") {
		return Rule{Text: "what is in .git, as the hooks that Git runs, is changed by a person only"}, true
	}
	for i := range p.layers {
		l := &p.layers[i]
		if rule, found := l.match(l.ask, p.names(l, r.Path), r.Path, strictly); found {
			return rule, true
		}
	}
	return Rule{}, false
}

// approval says whether a person has to be asked by a root's rule, or by one for all roots; nil when no rule says.
func (p *Policy) approval(r Request) (needed *bool, rule Rule) {
	key := approvalKeys[r.Action]
	for i := range p.layers {
		l := &p.layers[i]
		value, at := l.approvals[r.Action], key
		for _, root := range l.rootsOf(r.Path) { // the innermost first
			if own := root.approvals[r.Action]; own != nil {
				value, at = own, "roots."+root.name+"."+key
				break
			}
		}
		// A project's can only be true.
		if value != nil {
			needed, rule = value, l.rule(at, fmt.Sprintf("%s = %v", at, *value))
		}
	}
	return needed, rule
}

// Logged says whether proposals are written down. They are, unless the user's file says otherwise.
func (p *Policy) Logged() bool {
	for i := range p.layers {
		if l := &p.layers[i]; l.log != nil && !*l.log {
			return false
		}
	}
	return true
}

// memoryOff says whether nothing is remembered, and what says so.
func (p *Policy) memoryOff() (bool, Rule) {
	for i := range p.layers {
		if l := &p.layers[i]; l.memory != nil && !*l.memory {
			return true, l.rule("memory", "memory = false")
		}
	}
	return false, Rule{}
}

func (p *Policy) remembered(r Request) (Approval, bool) {
	if !p.MayRemember(r) {
		return Approval{}, false
	}
	return p.memory.Find(r)
}

// names are what a path is called in a file's globs: relative to the project, or to any root for the user's.
func (p *Policy) names(l *layer, path string) []string {
	if l.project != "" {
		if name, in := within(l.project, path); in {
			return []string{name}
		}
		return nil
	}
	var names []string
	for _, d := range p.dirs {
		if name, in := within(d.path, path); in {
			names = append(names, name)
			if d.name != "" {
				names = append(names, d.name+"/"+name)
			}
		}
	}
	return names
}

// within is a path relative to a folder that it is in, slash separated; "." for the folder itself.
func within(folder, path string) (string, bool) {
	switch folder {
	case "":
		return "", false
	case "/":
		return strings.TrimPrefix(path, "/"), true
	}
	rest, ok := strings.CutPrefix(path, folder)
	switch {
	case !ok:
		return "", false
	case rest == "":
		return ".", true
	case rest[0] != filepath.Separator:
		return "", false
	}
	return filepath.ToSlash(rest[1:]), true
}
