package main

import (
	"fmt"
	"path/filepath"

	"nvim-agent-diff/test/agents/model"
)

// agent is a real program, and how it is started against the model.
type agent struct {
	name    string // as setup calls it
	title   string
	pkg     string   // its npm package
	program []string // a pattern below node_modules, after what starts it
	args    func(prompt string) []string
	env     func(url string) []string
	preset  func(url string) map[string]string            // its configuration before setup: where the model is
	tool    string                                        // how the model calls our tool %s
	search  []model.Turn                                  // what the model does first, to find our tools
	edit    func(path, before, after string) []model.Turn // its own edit of a file, of which the last turn is the edit
}

var agents = []agent{
	{
		name: "claude-code", title: "Claude Code", pkg: "@anthropic-ai/claude-code",
		program: []string{"@anthropic-ai/claude-code-linux-*/claude"},
		args: func(prompt string) []string {
			return []string{"-p", prompt, "--output-format", "stream-json", "--verbose"}
		},
		env: func(url string) []string {
			return []string{
				"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=fake-key-0000", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
				"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
			}
		},
		tool: "mcp__nvim-diff__%s",
		edit: func(path, _, after string) []model.Turn {
			return []model.Turn{
				{Tool: "Read", Args: map[string]any{"file_path": path}},
				{Tool: "Write", Args: map[string]any{"file_path": path, "content": after}},
			}
		},
	},
	{
		name: "codex", title: "Codex", pkg: "@openai/codex",
		program: []string{"node", "@openai/codex/bin/codex.js"},
		args: func(prompt string) []string {
			return []string{"exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt}
		},
		env: func(string) []string { return []string{"FAKE_KEY=fake"} },
		preset: func(url string) map[string]string {
			return map[string]string{".codex/config.toml": fmt.Sprintf(`# the model of the test
model = "gpt-5.5"
model_provider = "fake"
check_for_update_on_startup = false

[model_providers.fake]
name = "fake"
base_url = "%s/v1"
wire_api = "responses"
env_key = "FAKE_KEY"

[analytics]
enabled = false
`, url)}
		},
		tool:   "mcp__nvim_diff/%s",
		search: []model.Turn{{Tool: "tool_search", Args: map[string]any{"query": "edit a file"}}},
		edit: func(path, before, after string) []model.Turn {
			return []model.Turn{{Tool: "apply_patch", Free: codexPatch(filepath.Base(path), before, after)}}
		},
	},
	{
		name: "gemini", title: "Gemini CLI", pkg: "@google/gemini-cli",
		program: []string{"node", "@google/gemini-cli/bundle/gemini.js"},
		args: func(prompt string) []string {
			return []string{"-m", "gemini-2.5-pro", "--approval-mode", "auto_edit", "--skip-trust", "-o", "json", "-p", prompt}
		},
		env: func(url string) []string {
			return []string{"GEMINI_API_KEY=fake", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_NO_RELAUNCH=true"}
		},
		preset: func(string) map[string]string {
			return map[string]string{".gemini/settings.json": `{
  // the model of the test
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "general": {"enableAutoUpdate": false},
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false}
}
`}
		},
		tool: "mcp_nvim-diff_%s",
		edit: func(path, _, after string) []model.Turn {
			return []model.Turn{{Tool: "write_file", Args: map[string]any{"file_path": path, "content": after}}}
		},
	},
	{
		name: "opencode", title: "OpenCode", pkg: "opencode-ai",
		program: []string{"opencode-linux-*/bin/opencode"},
		args: func(prompt string) []string {
			return []string{"run", "--print-logs", "--log-level", "INFO", "--format", "json", prompt}
		},
		env: func(string) []string {
			return []string{
				"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_AUTOUPDATE=1",
				"OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
			}
		},
		preset: func(url string) map[string]string {
			return map[string]string{
				".config/opencode/opencode.jsonc": fmt.Sprintf(`{
  // the model of the test
  "autoupdate": false, "share": "disabled", "model": "fake/fake-model", "small_model": "fake/fake-model",
  "provider": {
    "fake": {
      "npm": "@ai-sdk/openai-compatible",
      "options": {"baseURL": "%s/v1", "apiKey": "fake"},
      "models": {"fake-model": {"name": "Fake", "tool_call": true, "limit": {"context": 100000, "output": 8000}}},
    },
  },
}
`, url),
				// What OpenCode installs beside a plugin, as far as it looks at it. Without a net it would wait for that for ever.
				".config/opencode/node_modules/.keep": "",
				".config/opencode/package-lock.json":  `{"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}`,
			}
		},
		tool: "nvim-diff_%s",
		edit: func(path, _, after string) []model.Turn {
			return []model.Turn{{Tool: "write", Args: map[string]any{"filePath": path, "content": after}}}
		},
	},
}
