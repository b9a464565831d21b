package agents

// claudeCode is Claude Code's PreToolUse and PostToolUse. Its model sees its own input and "success" when the input was
// rewritten; only additionalContext tells it otherwise.
type claudeCode struct{}

var claudeTools = map[string]func(fields) (changes, error){
	"Edit": (&editTool{
		path: "file_path", old: "old_string", new: "new_string", all: "replace_all", takesNewline: true,
	}).read,
	"MultiEdit": (&editTool{ // gone since 2.1
		path: "file_path", edits: "edits", old: "old_string", new: "new_string", all: "replace_all", takesNewline: true,
	}).read,
	"Write":        (&writeTool{path: "file_path", content: "content"}).read,
	"NotebookEdit": readNotebookEdit,
}

func (claudeCode) read(input fields) (*call, error) {
	c, err := readHook(input, "PreToolUse", "PostToolUse")
	if err == nil {
		c.who, err = input.optional("agent_type") // of a subagent
	}
	return c, err
}

func (claudeCode) changes(tool string, input fields) (changes, error) {
	return readTool(claudeTools, tool, input)
}

func (claudeCode) cannotAsk() bool { return false }

// reply says allow for an edit that was accepted, which also grants the permission that Claude Code may want for it.
func (claudeCode) reply(_ *call, a answer) []byte {
	if a.kind == silent {
		return nil
	}
	return line(hookReply{decisionOf(a)})
}

// hookReply is an answer to a PreToolUse hook.
type hookReply struct {
	Output any `json:"hookSpecificOutput"`
}

type hookDecision struct {
	Event    string `json:"hookEventName"`
	Decision string `json:"permissionDecision,omitempty"`
	Reason   string `json:"permissionDecisionReason,omitempty"`
	Input    fields `json:"updatedInput,omitempty"`
	Context  string `json:"additionalContext,omitempty"`
}

var permission = map[kind]string{allow: "allow", ask: "ask", deny: "deny"}

func decisionOf(a answer) hookDecision {
	return hookDecision{
		Event: "PreToolUse", Decision: permission[a.kind], Reason: a.reason, Input: a.input, Context: a.note,
	}
}

// readHook reads what the hooks of Claude Code, Codex and Gemini CLI have in common. An event that has a tool and is none
// of the two is one that we were not made for: it is not let through.
func readHook(input fields, before, after string) (*call, error) {
	c := &call{}
	event, err := input.text("hook_event_name")
	if err != nil {
		return c, err
	}
	if !input.has("tool_name") && event != before && event != after {
		return c, nil // nothing is being changed
	}
	if event != before && event != after {
		return c, badInput("is of the event %s: this hook is for %s and %s", shown(event), before, after)
	}
	c.after = event == after
	if c.tool, err = input.text("tool_name"); err != nil {
		return c, err
	}
	if c.dir, err = input.optional("cwd"); err != nil {
		return c, err
	}
	if c.session, err = input.optional("session_id"); err != nil {
		return c, err
	}
	c.input, err = input.object("tool_input")
	return c, err
}

// readTool reads a call of one of the tools that edit.
func readTool(tools map[string]func(fields) (changes, error), tool string, input fields) (changes, error) {
	read, edits := tools[tool]
	if !edits {
		return nil, nil
	}
	return read(input)
}
