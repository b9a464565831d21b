package agents

// gemini is Gemini CLI's BeforeTool and AfterTool. Its decision is a member of its own: in the place where Claude Code has
// it, it is ignored, and the file written. The model is told of a rewritten input, but not why; that is said after the edit.
type gemini struct{}

var geminiTools = map[string]func(fields) (changes, error){
	"replace": (&editTool{
		path: "file_path", old: "old_string", new: "new_string", all: "allow_multiple", keepsNewline: true,
	}).read,
	"write_file": (&writeTool{path: "file_path", content: "content", keepsCRLF: true}).read,
}

func (gemini) read(input fields) (*call, error) {
	c, err := readHook(input, "BeforeTool", "AfterTool")
	if err == nil && c.input != nil {
		c.why, err = c.input.optional("instruction")
	}
	return c, err
}

func (gemini) changes(tool string, input fields) (changes, error) {
	return readTool(geminiTools, tool, input)
}

func (gemini) cannotAsk() bool { return false }

func (gemini) reply(c *call, a answer) []byte {
	type output struct {
		Event   string `json:"hookEventName"`
		Input   fields `json:"tool_input,omitempty"`
		Context string `json:"additionalContext,omitempty"`
	}
	if c.after {
		if a.note == "" {
			return nil
		}
		return line(hookReply{output{Event: "AfterTool", Context: a.note}})
	}
	if a.kind == silent {
		return nil
	}
	reply := struct {
		Decision string  `json:"decision"`
		Reason   string  `json:"reason,omitempty"`
		Output   *output `json:"hookSpecificOutput,omitempty"`
	}{Decision: permission[a.kind], Reason: a.reason}
	if a.input != nil {
		reply.Output = &output{Event: "BeforeTool", Input: a.input}
	}
	return line(reply)
}
