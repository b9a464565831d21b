package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"nvim-agent-diff/bridge"
	"nvim-agent-diff/policy"
	"nvim-agent-diff/review"
	"nvim-agent-diff/tools"
)

// examineLimit is how long doctor waits for the Neovim that it found.
const examineLimit = 5 * time.Second

// doctorCommand says what a proposal would meet here.
func doctorCommand() *cli.Command {
	return &cli.Command{
		Name:        "doctor",
		Usage:       "say which Neovim would be used, and why, and try it and what is set up in the agents",
		Description: "Exit codes: 0 all is well, 2 something is wrong, 3 no Neovim.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "file", Usage: "the `FILE` that would be changed (default: any in the working folder)"},
		},
		Action: interruptible(doctor),
	}
}

func doctor(ctx context.Context, c *cli.Context) error {
	r := report{c.App.Writer}
	r.line("program", "%s, protocol %d", versionLine(), bridge.Protocol)
	neovim := doctorNeovim(ctx, c, r)
	agents := doctorAgents(ctx, c, r)
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case neovim != nil:
		return neovim
	}
	return agents
}

// doctorNeovim says which Neovim would be used, and tries it.
func doctorNeovim(ctx context.Context, c *cli.Context, r report) error {
	file, err := doctorFile(ctx, c, r)
	if err != nil {
		return exitWith(err)
	}
	finder := &bridge.Finder{Addr: c.String("nvim")}
	found, err := finder.Find(ctx, file)
	if err != nil {
		r.line("Neovim", "none") // the error lists those that were looked at
		for _, place := range finder.Places() {
			r.line("searched", "%s", place)
		}
		return exitWith(err)
	}
	r.found(found)
	err = examine(ctx, r, found)
	r.candidates(found.Candidates, found.Addr)
	return err
}

// doctorAgents tries what is written in the agents' configurations, as they do.
func doctorAgents(ctx context.Context, c *cli.Context, r report) error {
	m, err := newMachine(c)
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	wrong := 0
	for _, f := range m.Check(ctx, dir) {
		mark, where := "ok: ", ""
		if f.Project {
			where = " in this project"
		}
		if !f.OK {
			mark = "WRONG: "
			wrong++
		}
		r.line("agent", "%s%s, %s %s%s", f.Agent, where, f.What, mark, f.Text)
	}
	if wrong > 0 {
		return cli.Exit(fmt.Sprintf("%d of the agents' settings are wrong; see above", wrong), exitError)
	}
	return nil
}

// doctorFile is the file or folder that the search is for; it says where it is and what may be changed.
func doctorFile(ctx context.Context, c *cli.Context, r report) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	server, closeServer, err := newServer(c)
	if err != nil {
		return "", err
	}
	defer closeServer()
	for _, root := range server.Roots(ctx) {
		r.line("root", "%s", root)
	}
	if err := r.policy(server.Policy(ctx)); err != nil {
		return "", err
	}
	if !c.IsSet("file") {
		r.line("folder", "%s", dir)
		return dir, nil
	}
	abs, err := server.File(ctx, dir, c.String("file"))
	if err != nil {
		return "", err
	}
	r.line("file", "%s", abs)
	return abs, nil
}

// examine tries the Neovim that was found.
func examine(ctx context.Context, r report, found bridge.Found) error {
	ctx, cancel := context.WithTimeout(ctx, examineLimit)
	defer cancel()
	health, err := bridge.Examine(ctx, found.Addr)
	switch {
	case err != nil && found.AtPrompt:
		r.line("answers", "not now: it waits for a key at a prompt; a review waits until that is over")
		return nil
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		r.line("answers", "not within %v: it is busy or suspended", examineLimit)
		return cli.Exit(review.Errorf(review.EditorUnavailable, "the Neovim at %s does not answer", found.Addr), exitError)
	case err != nil:
		r.line("answers", "no")
		return cli.Exit(err, exitError)
	}
	r.line("answers", "in %.2f ms; %d reviews", float64(health.RoundTrip.Microseconds())/1000, health.Reviews)
	switch {
	case health.Installed == "":
		r.line("plugin", "not installed, and not needed: the program brings its Lua along")
	case health.Protocol != bridge.Protocol:
		r.line("plugin", "%s has protocol %d: it is not used; update it or the program", filepath.Dir(health.Installed), health.Protocol)
	default:
		r.line("plugin", "%s, protocol %d", filepath.Dir(health.Installed), health.Protocol)
	}
	return nil
}

// report prints one fact to a line. What it says of files and folders may be anybody's, and must not drive the terminal.
type report struct{ w io.Writer }

func (r report) line(name, format string, args ...any) {
	fmt.Fprintf(r.w, "%-9s %s\n", name, tools.Visible(fmt.Sprintf(format, args...)))
}

// policy lists the rules in force, and what is wrong with the files.
func (r report) policy(p *policy.Policy) error {
	for _, rule := range p.Rules() {
		r.line("policy", "%s", rule)
	}
	if places, err := policy.UserPlaces(); err == nil && filepath.Dir(filepath.Dir(places.Config)) != filepath.Join(places.Home, ".config") {
		r.line("policy", "an agent that does not pass $XDG_CONFIG_HOME on reads %s in the place of %s",
			filepath.Join(places.Home, ".config", "nvim-agent-diff", "config.toml"), places.Config)
	}
	for _, name := range p.Tools() {
		if !slices.Contains(tools.Tools(), name) {
			r.line("policy", "there is no tool %q to be granted; there are: %s", name, strings.Join(tools.Tools(), ", "))
		}
	}
	for _, note := range p.Notes {
		r.line("ignored", "%s", note)
	}
	for _, problem := range p.Problems() {
		r.line("wrong", "%s", problem)
	}
	if rule, broken := p.Broken(); broken {
		return policy.Denied(rule)
	}
	return nil
}

func (r report) found(f bridge.Found) {
	r.line("Neovim", "%s", f.Addr)
	r.line("because", "%s", f.Why)
	var facts []string
	if f.Version != "" {
		facts = append(facts, "version "+f.Version)
	}
	if f.PID != 0 {
		facts = append(facts, fmt.Sprintf("process %d", f.PID))
	}
	if f.Version != "" {
		facts = append(facts, fmt.Sprintf("screens attached: %d", f.UIs))
	}
	if len(f.Dirs) > 0 {
		facts = append(facts, "works in "+strings.Join(f.Dirs, ", "))
	}
	if len(facts) > 0 {
		r.line("it is", "%s", strings.Join(facts, ", "))
	}
}

// candidates lists what was looked at, but for the one that was found.
func (r report) candidates(list []bridge.Candidate, found string) {
	for _, c := range list {
		if c.Addr != found {
			r.line("passed", "%s (%s): %s", c.Addr, c.Source, c.Passed)
		}
	}
}
