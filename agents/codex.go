package agents

// codex is Codex's PreToolUse, whose form is Claude Code's with exceptions: an allow without a rewritten input is an error
// to it, and so is ask, after which it goes on with the edit.
type codex struct{}

var codexTools = map[string]func(fields) (changes, error){
	"apply_patch": (&patchTool{patch: "command"}).read,
}

func (codex) read(input fields) (*call, error) { return readHook(input, "PreToolUse", "PostToolUse") }

func (codex) changes(tool string, input fields) (changes, error) {
	return readTool(codexTools, tool, input)
}

func (codex) cannotAsk() bool { return true }

func (codex) reply(_ *call, a answer) []byte {
	d := decisionOf(a)
	if a.kind == allow && a.input == nil {
		d.Decision = ""
	}
	if a.kind == silent || d.Decision == "" && d.Context == "" {
		return nil
	}
	return line(hookReply{d})
}
