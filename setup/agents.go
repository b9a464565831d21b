package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// The modes of new files: what is the user's own, and what is the project's.
const (
	private = 0o600
	shared  = 0o644
)

var agents = []*agent{claudeCode, codex, gemini, openCode}

// stdioServer is an MCP server as Claude Code and Gemini CLI have it. The fields that are empty are not written.
type stdioServer struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Timeout int      `json:"timeout"`         // milliseconds
	Trust   bool     `json:"trust,omitempty"` // its tools are not asked about
}

// commandHook is a hook as Claude Code, Codex and Gemini CLI have it.
type commandHook struct {
	Name          string `json:"name,omitempty"`
	Type          string `json:"type"`
	Command       string `json:"command"`
	Timeout       int    `json:"timeout"`
	OnFailure     string `json:"onFailure,omitempty"`
	StatusMessage string `json:"statusMessage,omitempty"`
}

// afterSeconds is how long the hook may take that has the editor read the file again.
const afterSeconds = 20

const waiting = "Waiting for your review in Neovim"

// guard is a shell's script that runs a command. Agents go on with their edit when a hook is killed or is not there any more;
// only an exit code of 2, with words, blocks everywhere. It has a shell of its own: some agents use the user's.
const guard = `"$0" "$@" || { [ $? = 2 ] || echo "` + guardSays + `" >&2; exit 2; }`

const guardSays = "nvim-agent-diff: the review was cut off. Nothing was changed."

// beforeCommand is the command line of the hook in front of an agent's edits.
func (m *Machine) beforeCommand(agent string) string {
	return commandLine("sh", "-c", guard, m.Program, "hook", agent)
}

// afterCommand is that of the hook behind them. It only has the editor read the file again: nothing depends on it.
func (m *Machine) afterCommand(agent string) string { return commandLine(m.Program, "hook", agent) }

var claudeCode = &agent{
	name: "claude-code", title: "Claude Code", command: "claude", parts: []Part{MCP, Gate},
	folder: func(m *Machine) string { return m.folder("CLAUDE_CONFIG_DIR", ".claude") },
	targets: func(m *Machine, project bool) []target {
		servers := filepath.Join(m.folder("CLAUDE_CONFIG_DIR", ""), ".claude.json")
		settings := filepath.Join(m.folder("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")
		perm := os.FileMode(private)
		before := jsonHook{
			program: m.Program, agent: "claude-code", at: []string{"hooks", "PreToolUse"}, matcher: "Edit|Write|MultiEdit|NotebookEdit",
			handler: commandHook{
				Type: "command", Command: m.beforeCommand("claude-code"), Timeout: daySeconds,
				OnFailure:     "block", // older programs do not know it; newer ones then let no edit through when the hook fails
				StatusMessage: waiting,
			},
		}
		after := jsonHook{
			program: m.Program, agent: "claude-code", at: []string{"hooks", "PostToolUse"}, matcher: before.matcher,
			handler: commandHook{Type: "command", Command: m.afterCommand("claude-code"), Timeout: afterSeconds},
		}
		inSettings := []entry{jsonWord{MCP, []string{"permissions", "allow"}, "mcp__" + serverName}}
		if project {
			servers, settings, perm = m.Project+"/.mcp.json", m.Project+"/.claude/settings.local.json", shared
			inSettings = append(inSettings, jsonWord{MCP, []string{"enabledMcpjsonServers"}, serverName})
		}
		return []target{
			{servers, jsonFormat, perm, fixed(jsonServer{
				at:    []string{"mcpServers", serverName},
				value: stdioServer{Type: "stdio", Command: m.Program, Args: []string{"mcp"}, Timeout: dayMilliseconds},
			})},
			{settings, jsonFormat, perm, fixed(append(inSettings, before, after)...)},
		}
	},
	off:      []setting{{[]string{"disableAllHooks"}, true}},
	harmless: map[string]any{"tool_name": "Read", "tool_input": map[string]any{"file_path": "x"}},
}

var codex = &agent{
	name: "codex", title: "Codex", command: "codex", parts: []Part{MCP, Gate},
	folder: codexFolder,
	targets: func(m *Machine, project bool) []target {
		home, perm := codexFolder(m), os.FileMode(private)
		dir := home
		if project {
			dir, perm = m.Project+"/.codex", shared
		}
		before := jsonHook{
			program: m.Program, agent: "codex", at: []string{"hooks", "PreToolUse"}, matcher: "apply_patch",
			handler: commandHook{Type: "command", Command: m.beforeCommand("codex"), Timeout: daySeconds, StatusMessage: waiting},
		}
		after := jsonHook{
			program: m.Program, agent: "codex", at: []string{"hooks", "PostToolUse"}, matcher: before.matcher,
			handler: commandHook{Type: "command", Command: m.afterCommand("codex"), Timeout: afterSeconds},
		}
		server := tomlServer{tomlTable{MCP, []string{"mcp_servers", serverName}, func(have map[string]any) []pair {
			args := []string{"mcp"}
			if own := texts(have["args"]); endsWithMCP(own) {
				args = own
			}
			return []pair{
				{"command", tomlString(m.Program)},
				{"args", tomlStrings(args...)},
				{"tool_timeout_sec", fmt.Sprint(daySeconds)},
				{"default_tools_approval_mode", `"approve"`},
				// Codex hands on HOME, LANG, PATH and TERM only. These tell which Neovim is meant.
				{"env_vars", tomlStrings("NVIM", "XDG_RUNTIME_DIR", "TMPDIR")},
			}
		}}}
		hooks := target{dir + "/hooks.json", jsonFormat, perm, fixed(before, after)}
		trust := func(earlier []document) []entry {
			d := earlier[0].(*jsonDoc)
			return []entry{codexTrust(hooks.path, "pre_tool_use", before, d), codexTrust(hooks.path, "post_tool_use", after, d)}
		}
		if !project {
			return []target{hooks, {dir + "/config.toml", tomlFormat, perm, func(earlier []document) []entry {
				return append([]entry{server}, trust(earlier)...)
			}}}
		}
		// What is trusted is the user's to say, not the project's.
		return []target{
			hooks,
			{dir + "/config.toml", tomlFormat, perm, fixed(server)},
			{home + "/config.toml", tomlFormat, private, trust},
		}
	},
	harmless: map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "true"}},
	trusted:  codexTrusts,
	notes: func(o Options) []string {
		if o.Project {
			return []string{"Codex reads .codex only in a folder that it trusts: it asks at its first start there."}
		}
		return nil
	},
}

// codexFolder is where Codex keeps its configuration. It looks behind the links of a folder that it is told.
func codexFolder(m *Machine) string {
	dir := m.folder("CODEX_HOME", ".codex")
	if m.getenv("CODEX_HOME") != "" {
		if behind, err := filepath.EvalSymlinks(dir); err == nil {
			return behind
		}
	}
	return dir
}

// codexTrust is the table by which Codex knows that a hook has been reviewed. An unreviewed one is passed over without a word.
// Its name holds the hook's place in the file, and its value a hash of what the hook is.
func codexTrust(path, event string, hook jsonHook, d *jsonDoc) tomlTable {
	groups, group, handler := hook.search(d)
	matcher := hook.matcher
	var fields map[string]any
	if group < 0 { // it will be the last one
		group, handler = 0, 0
		if groups != nil {
			group = len(groups.Elements)
		}
		want := treeOf(hook.handler)
		fields, _ = decode(&want).(map[string]any)
	} else {
		one, _ := decode(&groups.Elements[group]).(map[string]any)
		matcher, _ = one["matcher"].(string)
		fields, _ = one["hooks"].([]any)[handler].(map[string]any)
	}
	known := map[string]any{"type": "command", "async": false}
	for _, name := range []string{"command", "timeout", "async", "statusMessage"} {
		if v, ok := fields[name]; ok {
			known[name] = v
		}
	}
	identity := treeOf(map[string]any{"event_name": event, "matcher": matcher, "hooks": []any{known}})
	sum := sha256.Sum256(identity.Pack()) // the names are in alphabetical order, as Codex has them
	at := []string{"hooks", "state", fmt.Sprintf("%s:%s:%d:%d", path, event, group, handler)}
	pairs := []pair{{"trusted_hash", tomlString("sha256:" + hex.EncodeToString(sum[:]))}}
	return tomlTable{Gate, at, func(map[string]any) []pair { return pairs }}
}

var gemini = &agent{
	name: "gemini", title: "Gemini CLI", command: "gemini", parts: []Part{MCP, Gate},
	folder: func(m *Machine) string { return filepath.Join(m.folder("GEMINI_CLI_HOME", ""), ".gemini") },
	targets: func(m *Machine, project bool) []target {
		path, perm := filepath.Join(m.folder("GEMINI_CLI_HOME", ""), ".gemini", "settings.json"), os.FileMode(private)
		if project {
			path, perm = m.Project+"/.gemini/settings.json", shared
		}
		return []target{{path, jsonFormat, perm, fixed(
			jsonServer{
				at:    []string{"mcpServers", serverName},
				value: stdioServer{Command: m.Program, Args: []string{"mcp"}, Timeout: dayMilliseconds, Trust: true},
			},
			jsonHook{
				program: m.Program, agent: "gemini", at: []string{"hooks", "BeforeTool"}, matcher: "write_file|replace",
				handler: commandHook{Name: programName, Type: "command", Command: m.beforeCommand("gemini"), Timeout: dayMilliseconds},
			},
			jsonHook{
				program: m.Program, agent: "gemini", at: []string{"hooks", "AfterTool"}, matcher: "write_file|replace",
				handler: commandHook{Name: programName, Type: "command", Command: m.afterCommand("gemini"), Timeout: afterSeconds * 1000},
			},
		)}}
	},
	off: []setting{
		{[]string{"hooksConfig", "enabled"}, false},
		{[]string{"hooksConfig", "disabled"}, programName},
	},
	harmless: map[string]any{"tool_name": "read_file", "tool_input": map[string]any{"file_path": "x"}},
	notes: func(o Options) []string {
		var notes []string
		if o.has(Gate) {
			notes = append(notes, "Gemini CLI asks about its own edits, too, after your review; --approval-mode auto_edit leaves the review alone.")
		}
		if o.Project {
			notes = append(notes, "Gemini CLI reads .gemini only in a folder that it trusts: it asks at its first start there.")
		}
		return notes
	},
}

// openCodeServer is an MCP server as OpenCode has it.
type openCodeServer struct {
	Type    string   `json:"type"`
	Command []string `json:"command"`
	Enabled bool     `json:"enabled"`
	Timeout int      `json:"timeout"` // milliseconds
}

var openCode = &agent{
	name: "opencode", title: "OpenCode", command: "opencode", parts: []Part{MCP, Gate},
	folder: openCodeFolder,
	targets: func(m *Machine, project bool) []target {
		dir, plugins, perm := openCodeFolder(m), openCodeFolder(m), os.FileMode(private)
		if project {
			dir, plugins, perm = m.Project, filepath.Join(m.Project, ".opencode"), shared
		}
		return []target{
			{firstThere(dir+"/opencode.json", dir+"/opencode.jsonc"), jsonFormat, perm, fixed(jsonServer{
				at:    []string{"mcp", serverName},
				value: openCodeServer{Type: "local", Command: []string{m.Program, "mcp"}, Enabled: true, Timeout: dayMilliseconds},
			})},
			{filepath.Join(plugins, "plugin", programName+".js"), sourceFormat, perm, fixed(plugin{m.Plugin})},
		}
	},
	harmless: map[string]any{"event": "before", "tool": "read", "callID": programName, "args": map[string]any{"filePath": "x"}},
}

func openCodeFolder(m *Machine) string {
	if dir := m.getenv("OPENCODE_CONFIG_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(m.folder("XDG_CONFIG_HOME", ".config"), "opencode")
}

// firstThere is the first of the files that exists, else the first.
func firstThere(paths ...string) string {
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return paths[0]
}
