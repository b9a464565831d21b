package setup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// checkLimit is how long a program that an agent starts may take to answer.
const checkLimit = 10 * time.Second

// Finding is what came of trying one thing that is written in an agent's configuration.
type Finding struct {
	Agent   string
	Project bool   // it is about the project's files, not the user's
	What    string // "mcp", "gate", "trust"
	OK      bool
	Text    string // what was seen, and what to do
}

// Check tries what is written in the configurations, as the agents do it, in the folder dir: the servers and hooks run with
// nothing of the environment but what every agent hands on. A project's files may be anybody's: of them only what runs this
// program as the server or the hook, and nothing else, is tried.
func (m *Machine) Check(ctx context.Context, dir string) []Finding {
	var list []Finding
	for _, a := range agents {
		for _, project := range []bool{false, true} {
			if !project || m.hasProject() {
				list = append(list, m.check(ctx, a, project, dir)...)
			}
		}
	}
	return list
}

// checking is the check of an agent in one place, the user's or the project's.
type checking struct {
	*Machine
	agent   *agent
	project bool
	dir     string
	found   []Finding
}

// add is a finding: an error and what to do, or what was seen.
func (c *checking) add(what string, err error, well string) {
	f := Finding{c.agent.name, c.project, what, err == nil, well}
	if err != nil {
		f.Text = err.Error() + "; run: nvim-agent-diff setup " + c.agent.name
		if c.project {
			f.Text += " --project"
		}
	}
	c.found = append(c.found, f)
}

// wrong is a finding that setup cannot mend.
func (c *checking) wrong(what, text string) {
	c.found = append(c.found, Finding{c.agent.name, c.project, what, false, text})
}

func (m *Machine) check(ctx context.Context, a *agent, project bool, dir string) []Finding {
	c := &checking{Machine: m, agent: a, project: project, dir: dir}
	state := m.state(a, "", project)
	for _, p := range state.Parts {
		if p.Has == "outdated" {
			c.add(string(p.Part), errors.New("outdated: "+p.Reason), "")
		}
	}
	targets := a.targets(m, project)
	_, docs, err := load(targets)
	if err != nil {
		c.wrong("config", err.Error()+"; mend the file")
		return c.found
	}
	gate, off := false, false
	for i, t := range targets {
		for _, e := range t.entries(docs[:i]) {
			r, ok := e.(runnable)
			if here, _ := e.find(docs[i]); !ok || !here {
				continue
			}
			isGate := e.part() == Gate
			if d, ok := docs[i].(*jsonDoc); ok && isGate && !off && a.switchedOff(d) != "" {
				off = true
				c.wrong("gate", t.path+": "+a.switchedOff(d)+" switches it off")
			}
			gate = gate || isGate
			c.try(ctx, e, r.command(docs[i]), t.path)
		}
	}
	if gate && a.trusted != nil {
		well, err := a.trusted(ctx, m, dir)
		c.add("trust", err, well)
	}
	return c.found
}

// try runs what an entry makes the agent run.
func (c *checking) try(ctx context.Context, e entry, run command, path string) {
	does := []string{"hook", c.agent.name}
	if e.part() == MCP {
		does = []string{"mcp"}
	}
	if c.project && !c.runsOnly(run, does) {
		c.wrong(string(e.part()), path+" runs something else, which was not tried: "+run.String())
		return
	}
	if e.part() == MCP {
		well, err := c.tryServer(ctx, run, c.dir)
		c.add("mcp", err, well)
		return
	}
	input, at := map[string]any{}, ""
	if hook, ok := e.(jsonHook); ok {
		event := hook.at[len(hook.at)-1]
		input["hook_event_name"], at = event, " at "+event
	}
	maps.Copy(input, c.agent.harmless)
	took, err := c.tryHook(ctx, run.line, input, c.dir)
	c.add("gate", err, fmt.Sprintf("%s answers%s, after %d ms", withoutGuard(run.line), at, took.Milliseconds()))
}

// switchedOff is the setting that keeps hooks from running, "" when none does.
func (a *agent) switchedOff(d *jsonDoc) string {
	for _, s := range a.off {
		have := decode(d.get(s.at...))
		if have == s.value || slices.Contains(texts(have), fmt.Sprint(s.value)) {
			return strings.Join(s.at, ".")
		}
	}
	return ""
}

// tryServer starts a server, shakes hands and asks for its tools.
func (m *Machine) tryServer(ctx context.Context, c command, dir string) (well string, err error) {
	argv := c.argv
	if len(argv) == 0 {
		return "", errors.New("no command is written")
	}
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	start := time.Now()
	p, err := startPeer(ctx, dir, m.environment(c), argv)
	if err != nil {
		return "", fmt.Errorf("%s does not start: %w", argv[0], err)
	}
	defer p.close()
	var greeting struct{ ServerInfo struct{ Version string } }
	var listed struct{ Tools []struct{ Name string } }
	err = p.call("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": programName + " doctor", "version": "1"},
	}, &greeting)
	if err == nil {
		err = p.notify("notifications/initialized")
	}
	if err == nil {
		err = p.call("tools/list", map[string]any{}, &listed)
	}
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s does not answer within %v", argv[0], checkLimit)
	case err != nil:
		return "", fmt.Errorf("%s does not serve: %w", strings.Join(argv, " "), err)
	case len(listed.Tools) == 0:
		return "", fmt.Errorf("%s has no tools", strings.Join(argv, " "))
	}
	return fmt.Sprintf("%s serves %d tools, after %d ms", argv[0], len(listed.Tools), time.Since(start).Milliseconds()), nil
}

// tryHook runs a hook's command line as agents do, by a shell, for a call that changes nothing. It has to let that pass.
func (m *Machine) tryHook(ctx context.Context, line string, harmless map[string]any, dir string) (took time.Duration, err error) {
	input := map[string]any{
		"session_id": programName + "-doctor", "transcript_path": "", "cwd": dir, "sessionID": programName + "-doctor", "directory": dir,
	}
	maps.Copy(input, harmless)
	raw, err := json.Marshal(input)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	start := time.Now()
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, m.environment(command{}), bytes.NewReader(raw), &out, &said
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	name := withoutGuard(line)
	switch {
	case ctx.Err() != nil:
		return 0, fmt.Errorf("%s does not answer within %v", name, checkLimit)
	case err != nil:
		why := strings.TrimSpace(said.String())
		if before, _ := strings.CutSuffix(why, guardSays); before != "" {
			why = strings.TrimSpace(before) // the guard has only seen that it ended
		}
		return 0, fmt.Errorf("%s ends with %w: %s", name, err, lastLine(why))
	}
	if denied(out.Bytes()) {
		return 0, fmt.Errorf("%s denies a call that changes nothing: %s", name, strings.TrimSpace(out.String()))
	}
	return time.Since(start), nil
}

// denied says whether a hook's output is a no in any agent's form, or in none.
func denied(out []byte) bool {
	if len(bytes.TrimSpace(out)) == 0 {
		return false
	}
	var answer struct {
		Decision           string
		HookSpecificOutput struct{ PermissionDecision string }
	}
	if json.Unmarshal(out, &answer) != nil {
		return true
	}
	no := []string{"deny", "block", "ask"}
	return slices.Contains(no, answer.Decision) || slices.Contains(no, answer.HookSpecificOutput.PermissionDecision)
}

// codexTrusts asks Codex itself whether it will run our hook. It passes over one that it does not trust, without a word.
func codexTrusts(ctx context.Context, m *Machine, dir string) (well string, err error) {
	program, err := exec.LookPath("codex")
	if err != nil {
		return "the hook's hash is written; codex is not in the PATH, so nobody can be asked", nil
	}
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	p, err := startPeer(ctx, dir, append(m.environment(command{}), "CODEX_HOME="+codexFolder(m)), []string{program, "app-server"})
	if err != nil {
		return "", err
	}
	defer p.close()
	var ignored json.RawMessage
	var listed struct {
		Data []struct {
			Hooks []struct {
				Command, TrustStatus, SourcePath string
				Enabled                          bool
			}
		}
	}
	err = p.call("initialize", map[string]any{"clientInfo": map[string]any{"name": programName, "version": "1"}}, &ignored)
	if err == nil {
		err = p.notify("initialized")
	}
	if err == nil {
		err = p.call("hooks/list", map[string]any{"cwds": []string{dir}}, &listed)
	}
	if err != nil {
		return "", fmt.Errorf("codex cannot be asked whether it trusts the hook: %w", err)
	}
	hook := jsonHook{program: m.Program, agent: "codex"}
	seen := 0
	for _, folder := range listed.Data {
		for _, h := range folder.Hooks {
			if !hook.ours(h.Command) {
				continue
			}
			seen++
			switch {
			case !h.Enabled:
				return "", fmt.Errorf("codex has the hook of %s switched off: its patches are written without a review", h.SourcePath)
			case h.TrustStatus != "trusted" && h.TrustStatus != "managed":
				return "", fmt.Errorf("codex does not trust the hook of %s (%s): its patches are written without a review", h.SourcePath, h.TrustStatus)
			}
		}
	}
	if seen > 0 {
		return fmt.Sprintf("codex sees and trusts %d hooks of ours", seen), nil
	}
	return "", errors.New("codex does not see the hook: its patches are written without a review")
}
