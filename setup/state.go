package setup

import (
	"os"
	"slices"
	"strings"
)

// State is how an agent is set up, in one place.
type State struct {
	Agent   string
	Title   string
	Program string // the agent's; "" when it is not in the PATH
	Project bool
	Parts   []PartState
	Err     error // a file that cannot be read
}

// PartState is how one part is.
type PartState struct {
	Part   Part
	Has    string // "yes", "no", "outdated"
	Reason string // why it is outdated
}

// States are the agents on this machine: those whose program or folder is there, and what is written in the project's
// folder.
func (m *Machine) States() []State {
	var list []State
	for _, a := range agents {
		program := a.program()
		user := m.state(a, program, false)
		if _, err := os.Stat(a.folder(m)); program != "" || err == nil || user.any() {
			list = append(list, user)
		}
		if project := m.state(a, program, true); m.hasProject() && project.any() {
			list = append(list, project)
		}
	}
	return list
}

// any says whether there is anything to say of it.
func (s State) any() bool {
	return s.has(MCP) || s.has(Gate) || s.Err != nil
}

// has says whether a part is set up, in whatever way.
func (s State) has(part Part) bool {
	return slices.ContainsFunc(s.Parts, func(p PartState) bool { return p.Part == part && p.Has != "no" })
}

func (m *Machine) state(a *agent, program string, project bool) State {
	s := State{Agent: a.name, Title: a.title, Program: program, Project: project}
	targets := a.targets(m, project)
	_, docs, err := load(targets)
	if err != nil {
		s.Err = err
		return s
	}
	for _, part := range a.parts {
		found, all := 0, 0
		var reasons []string
		for i, t := range targets {
			for _, e := range t.entries(docs[:i]) {
				if e.part() != part {
					continue
				}
				all++
				here, differs := e.find(docs[i])
				if here {
					found++
				}
				if differs != "" {
					reasons = append(reasons, t.path+": "+differs)
				}
			}
		}
		s.Parts = append(s.Parts, judge(part, found, all, reasons))
	}
	return s
}

func judge(part Part, found, all int, reasons []string) PartState {
	switch {
	case found == 0:
		return PartState{Part: part, Has: "no"}
	case len(reasons) > 0:
		return PartState{part, "outdated", strings.Join(reasons, "; ")}
	case found < all:
		return PartState{part, "outdated", "not all of it is there"}
	}
	return PartState{Part: part, Has: "yes"}
}
