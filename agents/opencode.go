package agents

import (
	_ "embed"
	"strings"
)

// openCode is OpenCode, whose hooks are functions of a plugin. Ours runs the gate with what it is told, keeps the note until
// the tool's output can be added to, and throws to deny.
type openCode struct{}

//go:embed opencode.js
var openCodePlugin string

// pluginCommand is the line of the plugin that says what it runs.
const pluginCommand = `const command = ["nvim-agent-diff"]`

// OpenCodePlugin is the plugin's source: one file without dependencies. command is how it runs this program.
func OpenCodePlugin(command ...string) string {
	return strings.Replace(openCodePlugin, pluginCommand, "const command = "+string(toJSON(command)), 1)
}

var openCodeEdit = editTool{path: "filePath", old: "oldString", new: "newString", all: "replaceAll"}

var openCodeTools = map[string]func(fields) (changes, error){
	"edit":        openCodeEdit.read,
	"multiedit":   (&editTool{path: "filePath", edits: "edits", old: "oldString", new: "newString", all: "replaceAll"}).read,
	"write":       (&writeTool{path: "filePath", content: "content"}).read,
	"apply_patch": (&patchTool{patch: "patchText"}).read,
}

func (openCode) read(input fields) (*call, error) {
	return readPlain(input, "args", "directory", "sessionID")
}

func (openCode) changes(tool string, input fields) (changes, error) {
	return readTool(openCodeTools, tool, input)
}

func (openCode) cannotAsk() bool { return true }

func (openCode) reply(_ *call, a answer) []byte {
	return plainReply(a, "args", a.input)
}

// readPlain reads what our own forms have in common.
func readPlain(input fields, tool, dir, session string) (*call, error) {
	c := &call{}
	event, err := input.text("event")
	if err != nil {
		return c, err
	}
	if event != "before" && event != "after" {
		return c, badInput(`has the event %s, which is neither "before" nor "after"`, shown(event))
	}
	c.after = event == "after"
	if c.tool, err = input.text("tool"); err != nil {
		return c, err
	}
	if c.dir, err = input.optional(dir); err != nil {
		return c, err
	}
	if c.session, err = input.optional(session); err != nil {
		return c, err
	}
	c.input, err = input.object(tool)
	return c, err
}

// plainReply is an answer in our own forms.
func plainReply(a answer, name string, input any) []byte {
	reply := map[string]any{"decision": "allow"}
	if a.kind != silent {
		reply["decision"] = permission[a.kind]
	}
	if a.reason != "" {
		reply["reason"] = a.reason
	}
	if a.note != "" {
		reply["note"] = a.note
	}
	if a.input != nil {
		reply[name] = input
	}
	return line(reply)
}
