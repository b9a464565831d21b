package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The table is between these lines of the page.
const (
	tableBegins = "<!-- made by make test-agents: begin -->\n"
	tableEnds   = "<!-- made by make test-agents: end -->\n"
)

// writeTable puts the results into a page.
func writeTable(page, modules string, all results) error {
	raw, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(raw), tableBegins)
	_, after, closed := strings.Cut(rest, tableEnds)
	if !found || !closed {
		return fmt.Errorf("%s has no place for the table", page)
	}
	table, err := all.table(modules)
	if err != nil {
		return err
	}
	return os.WriteFile(page, []byte(before+tableBegins+table+tableEnds+after), 0o644)
}

// table has a line for each agent and way, and a column for each scene.
func (all results) table(modules string) (string, error) {
	var out strings.Builder
	out.WriteString("| agent | way |")
	for _, s := range scenes {
		out.WriteString(" " + s.name + " |")
	}
	out.WriteString("\n| --- | --- |" + strings.Repeat(" --- |", len(scenes)) + "\n")
	for _, a := range agents {
		version, err := versionOf(modules, a.pkg)
		if err != nil {
			return "", err
		}
		for _, w := range []way{byTool, byGate} {
			fmt.Fprintf(&out, "| %s %s | %s |", a.title, version, w)
			for _, s := range scenes {
				out.WriteString(" " + all.of(a, w, s) + " |")
			}
			out.WriteString("\n")
		}
	}
	return out.String(), nil
}

func (all results) of(a agent, w way, s scene) string {
	for _, r := range all {
		if r.agent.name == a.name && r.way == w && r.scene.name == s.name {
			return strings.ReplaceAll(r.outcome(), "|", `\|`)
		}
	}
	return "-"
}

// versionOf is the version of an installed package.
func versionOf(modules, pkg string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(modules, pkg, "package.json"))
	if err != nil {
		return "", err
	}
	var p struct{ Version string }
	err = json.Unmarshal(raw, &p)
	return p.Version, err
}
