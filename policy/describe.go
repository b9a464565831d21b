package policy

import (
	"fmt"
	"strconv"
)

// Rules are all rules in force, each with the line that it comes from, the user's first.
func (p *Policy) Rules() []Rule {
	_, mode := p.Mode()
	rules := []Rule{mode}
	for i := range p.layers {
		l := &p.layers[i]
		rules = append(rules, l.approvalRules("", l.approvals)...)
		for _, globs := range [][]glob{l.deny, l.ask, l.allow} {
			for _, g := range globs {
				rules = append(rules, l.globRule(g))
			}
		}
		if l.tools != nil {
			rules = append(rules, l.toolsRule())
		}
		if l.memory != nil {
			rules = append(rules, l.rule("memory", fmt.Sprintf("memory = %v", *l.memory)))
		}
		if l.log != nil {
			rules = append(rules, l.rule("log", fmt.Sprintf("log = %v", *l.log)))
		}
		for _, r := range l.roots {
			rules = append(rules, l.rootRules(r)...)
		}
	}
	return rules
}

func (l *layer) approvalRules(prefix string, a approvals) []Rule {
	var rules []Rule
	for action, value := range a {
		if value != nil {
			key := prefix + approvalKeys[action]
			rules = append(rules, l.rule(key, fmt.Sprintf("%s = %v", key, *value)))
		}
	}
	return rules
}

func (l *layer) rootRules(r rootRules) []Rule {
	prefix := "roots." + r.name + "."
	rules := []Rule{l.rule(prefix+"path", prefix+"path = "+strconv.Quote(r.dir))}
	if r.readOnly != nil {
		rules = append(rules, l.modeRule(r))
	}
	return append(rules, l.approvalRules(prefix, r.approvals)...)
}

func (l *layer) modeRule(r rootRules) Rule {
	key, mode := "roots."+r.name+".mode", "rw"
	if *r.readOnly {
		mode = "ro"
	}
	return l.rule(key, fmt.Sprintf("%s = %q", key, mode))
}

func (l *layer) globRule(g glob) Rule {
	return l.rule(g.key, g.list()+" = "+strconv.Quote(g.text))
}

func (l *layer) toolsRule() Rule {
	return l.rule("tools", "tools = ["+quotedList(*l.tools)+"]")
}

// Tools are all names of tools in the files.
func (p *Policy) Tools() []string {
	var names []string
	for i := range p.layers {
		if list := p.layers[i].tools; list != nil {
			names = append(names, *list...)
		}
	}
	return names
}
