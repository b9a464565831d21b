package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"nvim-agent-diff/agents"
	"nvim-agent-diff/setup"
	"nvim-agent-diff/tools"
)

// setupCommand tells agents about this program. Each agent is a command of its own, so that flags may follow its name.
func setupCommand() *cli.Command {
	command := &cli.Command{
		Name:  "setup",
		Usage: "set a coding agent up: the MCP server and the gate in front of its own edits",
		Description: "Without a name it lists the agents on this machine and how they are set up. With one it shows what it " +
			"would change in the agent's configuration, asks, keeps a copy, and writes. What else is in the files stays.",
		ArgsUsage:       "[AGENT]",
		HideHelpCommand: true,
		Action:          listAgents,
	}
	for _, name := range setup.Agents() {
		command.Subcommands = append(command.Subcommands, &cli.Command{
			Name:         name,
			Usage:        "set up " + setup.Title(name),
			OnUsageError: usageError,
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "project", Usage: "for this project only, not for all that you do"},
				&cli.BoolFlag{Name: "mcp", Usage: "only the MCP server (default: that and the gate)"},
				&cli.BoolFlag{Name: "gate", Usage: "only the gate"},
				&cli.BoolFlag{Name: "dry-run", Usage: "only show what would be changed"},
				&cli.BoolFlag{Name: "undo", Usage: "take out what was put in"},
				&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"},
			},
			Action: withoutArguments(setUp),
		})
	}
	return command
}

func setUp(c *cli.Context) error {
	m, err := newMachine(c)
	if err != nil {
		return err
	}
	options := setup.Options{Project: c.Bool("project")}
	for _, p := range []setup.Part{setup.MCP, setup.Gate} {
		if c.Bool(string(p)) {
			options.Parts = append(options.Parts, p)
		}
	}
	makePlan := m.Plan
	if c.Bool("undo") {
		makePlan = m.Undo
	}
	plan, err := makePlan(c.Command.Name, options)
	if err != nil {
		return err
	}
	title := setup.Title(c.Command.Name)
	if len(options.Parts) == 1 {
		title = options.Parts[0].Title() + " of " + title
	}
	if len(plan.Changes) == 0 {
		what := "is already set up"
		if c.Bool("undo") {
			what = "is not set up; there is nothing to undo"
		}
		_, err := fmt.Fprintf(c.App.Writer, "%s %s.\n", title, what)
		return err
	}
	for _, change := range plan.Changes {
		if _, err := io.WriteString(c.App.Writer, onScreen(c.App.Writer, change.Diff())); err != nil {
			return err
		}
	}
	if c.Bool("dry-run") {
		return nil
	}
	warnOfProgram(m.Program, c.Bool("undo"))
	if !c.Bool("yes") {
		if err := ask(c, len(plan.Changes)); err != nil {
			return err
		}
	}
	return carryOut(c, m, plan, title)
}

// ask asks whether to go ahead. No answer is no.
func ask(c *cli.Context, files int) error {
	if !onTerminal(os.Stdin) {
		return errors.New("there is no terminal to ask on: give --yes to write, or --dry-run to look only. Nothing was changed")
	}
	what := "Write this file?"
	if files > 1 {
		what = fmt.Sprintf("Write these %d files?", files)
	}
	fmt.Fprintf(c.App.Writer, "\n%s [y/N] ", what)
	answer, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return cli.Exit("Nothing was changed.", exitRejected)
}

func carryOut(c *cli.Context, m *setup.Machine, plan *setup.Plan, title string) error {
	copies, err := plan.Apply(m)
	for _, path := range copies {
		fmt.Fprintf(c.App.Writer, "kept a copy: %s\n", path)
	}
	if err != nil {
		return err
	}
	if c.Bool("undo") {
		_, err := fmt.Fprintf(c.App.Writer, "%s is not set up any more.\n", title)
		return err
	}
	fmt.Fprintf(c.App.Writer, "%s is set up. Start the agent anew where it runs; nvim-agent-diff doctor tries it.\n", title)
	for _, note := range plan.Notes {
		fmt.Fprintln(c.App.Writer, note)
	}
	return nil
}

// newMachine is where this command runs. The project is the first root.
func newMachine(c *cli.Context) (*setup.Machine, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	program, err := ownPath()
	if err != nil {
		return nil, err
	}
	server, closeServer, err := newServer(c)
	if err != nil {
		return nil, err
	}
	defer closeServer()
	m := &setup.Machine{Program: program, Plugin: agents.OpenCodePlugin(program), Home: home}
	if roots := server.Roots(context.Background()); len(roots) > 0 {
		m.Project = roots[0]
	}
	return m, nil
}

// ownPath is where this program is, as the PATH has it when it is there: what that leads to may be gone after an update.
func ownPath() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	own, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if found, err := exec.LookPath("nvim-agent-diff"); err == nil && filepath.IsAbs(found) {
		if info, err := os.Stat(found); err == nil && os.SameFile(own, info) {
			return found, nil
		}
	}
	return path, nil
}

// warnOfProgram warns of a program that will not stay where it is.
func warnOfProgram(path string, undo bool) {
	if undo {
		return
	}
	below := func(dir string) bool {
		rel, err := filepath.Rel(dir, path)
		return err == nil && filepath.IsLocal(rel)
	}
	temporary := below(os.TempDir()) || below("/tmp")
	if cache, err := os.UserCacheDir(); err == nil {
		temporary = temporary || below(filepath.Join(cache, "go-build"))
	}
	if temporary {
		fmt.Fprintf(os.Stderr, "nvim-agent-diff: this program is in a temporary folder, %s: "+
			"the agent will not find it when that is cleared. Install it first.\n", path)
	}
}

// listAgents lists the agents that are here.
func listAgents(c *cli.Context) error {
	if c.Args().Present() {
		return fmt.Errorf("there is no agent %q; there are: %s", c.Args().First(), strings.Join(setup.Agents(), ", "))
	}
	m, err := newMachine(c)
	if err != nil {
		return err
	}
	states := m.States()
	if len(states) == 0 {
		_, err := fmt.Fprintf(c.App.Writer, "No agent was found. There are: %s.\n", strings.Join(setup.Agents(), ", "))
		return err
	}
	for _, s := range states {
		printState(c.App.Writer, s)
	}
	return nil
}

func printState(w io.Writer, s setup.State) {
	program := s.Program
	switch {
	case s.Project:
		program = "in this project"
	case program == "":
		program = "not in the PATH"
	}
	var parts, reasons []string
	for _, p := range s.Parts {
		parts = append(parts, fmt.Sprintf("%s: %-8s", p.Part, p.Has))
		if p.Reason != "" {
			reasons = append(reasons, p.Reason)
		}
	}
	if s.Err != nil {
		reasons = append(reasons, s.Err.Error())
	}
	fmt.Fprintf(w, "%-11s  %s  %s\n", s.Agent, strings.Join(parts, "  "), program)
	for _, reason := range reasons {
		fmt.Fprintf(w, "%-11s  %s\n", "", tools.Visible(reason))
	}
}
