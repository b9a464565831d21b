package main

import (
	"fmt"
	"strings"
	"time"
)

// The file that the agent wants to change, in three places.
const fileName = "notes.txt"

// lines are thirty lines, some of them changed.
func lines(changed ...int) string {
	var out strings.Builder
	for i := 1; i <= 30; i++ {
		line := fmt.Sprintf("line %d", i)
		for _, c := range changed {
			if c == i {
				line = strings.ToUpper(line)
			}
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

// The places.
const first, second, third = 3, 15, 27

// codexPatch is the edit in the form that Codex's model writes.
func codexPatch(name, before, after string) string {
	old, wanted := strings.Split(before, "\n"), strings.Split(after, "\n")
	var out strings.Builder
	out.WriteString("*** Begin Patch\n*** Update File: " + name + "\n")
	for i := range old {
		if old[i] != wanted[i] {
			fmt.Fprintf(&out, "@@\n %s\n-%s\n+%s\n %s\n", old[i-1], old[i], wanted[i], old[i+1])
		}
	}
	return out.String() + "*** End Patch\n"
}

// way is how the agent's edit comes to us.
type way string

const (
	byTool way = "mcp"  // the model calls our tool
	byGate way = "gate" // the model calls the agent's own
)

// scene is one case: what the person does, and what has to come of it.
type scene struct {
	name string
	// editor says whether a Neovim runs.
	editor bool
	// keys are pressed when the review is there.
	keys string
	// wait is how long the person lets the agent wait: longer than the agent would by itself. No time says that the agent has
	// no such limit, or one of more than some minutes. It is nil where nobody has to wait.
	wait map[[2]string]time.Duration
	// kill ends something in the middle of the review: "editor" or "program", which is our server or hook.
	kill string
	// file is what it has to hold in the end.
	file string
	// told are the words that the model has to be shown.
	told map[way][]string
}

var scenes = []scene{
	{
		name: "all accepted", editor: true, keys: "A", file: lines(first, second, third),
		told: map[way][]string{byTool: {"Changes accepted and applied to " + fileName}},
	},
	{
		name: "accepted after the agent's own time limit", editor: true, keys: "A", file: lines(first, second, third),
		wait: map[[2]string]time.Duration{
			{"opencode", string(byTool)}: 65 * time.Second,
			{"gemini", string(byGate)}:   65 * time.Second,
			{"codex", string(byTool)}:    305 * time.Second,
		},
		told: map[way][]string{byTool: {"Changes accepted and applied to " + fileName}},
	},
	{
		name: "some accepted", editor: true, keys: "araq", file: lines(first, third),
		told: map[way][]string{byTool: {"2 of 3 hunks applied", "rejected"}, byGate: {"2 of 3 hunks applied", "hunk 2 "}},
	},
	{
		name: "rejected", editor: true, keys: "R", file: lines(),
		told: map[way][]string{byTool: {"REJECTED", "STOP: Do NOT retry"}, byGate: {"STOP: Do NOT retry"}},
	},
	{
		name: "rejected with a comment", editor: true, keys: "Cuse four spaces<Esc><CR>R", file: lines(),
		told: map[way][]string{
			byTool: {"The user asks for something else", "use four spaces"},
			byGate: {"The user asks for something else", "use four spaces"},
		},
	},
	{
		name: "no editor", file: lines(),
		told: map[way][]string{byTool: {"editor_unavailable"}, byGate: {"editor_unavailable"}},
	},
	{
		name: "editor killed", editor: true, kill: "editor", file: lines(),
		told: map[way][]string{byTool: {"editor_lost"}, byGate: {"editor_lost"}},
	},
	{
		name: "our program killed", editor: true, kill: "program", file: lines(),
		told: map[way][]string{byGate: {"Nothing was changed"}},
	},
}
