package setup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// checkLimit is how long a program that an agent starts may take to answer.
const checkLimit = 10 * time.Second

// Finding is what came of trying one thing that is written in an agent's configuration.
type Finding struct {
	Agent string
	What  string // "mcp", "gate", "trust"
	OK    bool
	Text  string // what was seen, and what to do
}

// Check tries what is written in the configurations, as the agents do it, in the folder dir: the servers and hooks run with
// nothing of the environment but what every agent hands on.
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

func (m *Machine) check(ctx context.Context, a *agent, project bool, dir string) []Finding {
	state := m.state(a, "", project)
	again := "run: nvim-agent-diff setup " + a.name
	if project {
		again += " --project"
	}
	if state.Err != nil {
		return []Finding{{a.name, "config", false, state.Err.Error()}}
	}
	var list []Finding
	add := func(what string, err error, well string) {
		f := Finding{a.name, what, err == nil, well}
		if err != nil {
			f.Text = err.Error() + "; " + again
		}
		list = append(list, f)
	}
	for _, p := range state.Parts {
		if p.Has == "outdated" {
			list = append(list, Finding{a.name, string(p.Part), false, "outdated: " + p.Reason + "; " + again})
		}
	}
	targets := a.targets(m, project)
	_, docs, err := load(targets)
	if err != nil {
		return append(list, Finding{a.name, "config", false, err.Error()})
	}
	gate := false
	for i, t := range targets {
		for _, e := range t.entries(docs[:i]) {
			if here, _ := e.find(docs[i]); !here {
				continue
			}
			switch e := e.(type) {
			case server:
				well, err := m.tryServer(ctx, e.registered(docs[i]), dir)
				add("mcp", err, well)
			case plugin:
				well, err := m.tryHook(ctx, e.command(docs[i].(*sourceDoc)), a.harmless, dir)
				add("gate", err, well)
			case jsonHook:
				gate = true
				input := map[string]any{"hook_event_name": e.at[len(e.at)-1]}
				maps.Copy(input, a.harmless)
				well, err := m.tryHook(ctx, e.command(docs[i].(*jsonDoc)), input, dir)
				add("gate", err, well)
				if s := a.switchedOff(docs[i].(*jsonDoc)); s != "" {
					list = append(list, Finding{a.name, "gate", false, t.path + ": " + s + " switches it off"})
				}
			}
		}
	}
	if gate && a.trusted != nil {
		well, err := a.trusted(ctx, m, dir)
		add("trust", err, well)
	}
	return list
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

// server is an entry that makes an agent start our MCP server.
type server interface {
	// registered is the entry as it is written, not as it shall be.
	registered(d document) map[string]any
}

func (e jsonServer) registered(d document) map[string]any {
	fields, _ := decode(d.(*jsonDoc).get(e.at...)).(map[string]any)
	return fields
}

func (e tomlServer) registered(d document) map[string]any {
	v, _ := d.(*tomlDoc).get(e.at...)
	fields, _ := v.(map[string]any)
	return fields
}

// command is the hook's command line as it is written.
func (e jsonHook) command(d *jsonDoc) string {
	groups, i, k := e.search(d)
	group := decode(&groups.Elements[i]).(map[string]any)
	handler := group["hooks"].([]any)[k].(map[string]any)
	command, _ := handler["command"].(string)
	return command
}

// environment is what every agent hands on, and what the entry names besides.
func (m *Machine) environment(fields map[string]any) []string {
	var env []string
	for _, name := range []string{"HOME", "LANG", "PATH", "TERM"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	for _, block := range []string{"env", "environment"} {
		own, _ := fields[block].(map[string]any)
		for name, value := range own {
			if text, ok := value.(string); ok {
				env = append(env, name+"="+text)
			}
		}
	}
	for _, name := range texts(fields["env_vars"]) {
		if value := m.getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// tryServer starts a server, shakes hands and asks for its tools.
func (m *Machine) tryServer(ctx context.Context, fields map[string]any, dir string) (well string, err error) {
	argv := texts(fields["command"])
	if command, ok := fields["command"].(string); ok {
		argv = append([]string{command}, texts(fields["args"])...)
	}
	if len(argv) == 0 {
		return "", errors.New("no command is written")
	}
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	start := time.Now()
	p, err := startPeer(ctx, dir, m.environment(fields), argv)
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
func (m *Machine) tryHook(ctx context.Context, command string, harmless map[string]any, dir string) (well string, err error) {
	input := map[string]any{
		"session_id": programName + "-doctor", "transcript_path": "", "cwd": dir, "sessionID": programName + "-doctor", "directory": dir,
	}
	maps.Copy(input, harmless)
	raw, err := json.Marshal(input)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	start := time.Now()
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, m.environment(nil), bytes.NewReader(raw), &out, &said
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	name := withoutGuard(command)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s does not answer within %v", name, checkLimit)
	case err != nil:
		return "", fmt.Errorf("%s ends with %w: %s", name, err, lastLine(strings.TrimSpace(said.String())))
	}
	if denied(out.Bytes()) {
		return "", fmt.Errorf("%s denies a call that changes nothing: %s", name, strings.TrimSpace(out.String()))
	}
	return fmt.Sprintf("%s answers, after %d ms", name, time.Since(start).Milliseconds()), nil
}

// withoutGuard is a hook's command line as people know it.
func withoutGuard(command string) string {
	if words := shellWords(command); len(words) > 3 && words[2] == guard {
		return commandLine(words[3:]...)
	}
	return command
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
	p, err := startPeer(ctx, dir, append(m.environment(nil), "CODEX_HOME="+codexFolder(m)), []string{program, "app-server"})
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
