package review

import (
	"errors"
	"fmt"
)

// ErrAgentGone is the cause of a context that ended with the agent, and not because it took a call back.
var ErrAgentGone = errors.New("the agent is gone")

// Code names what went wrong, in the words the agent is told. The codes are part of the contract.
type Code string

// The codes of the errors that a tool can answer with.
const (
	InvalidArgs       Code = "invalid_args"
	FSDenied          Code = "fs_denied"
	PathNotInSandbox  Code = "PathNotInSandboxError"
	PathNotWritable   Code = "PathNotWritableError"
	EditNotUnique     Code = "EditNotUniqueError"
	EditNotFound      Code = "EditNotFoundError"
	StaleOriginal     Code = "stale_original"
	NothingToChange   Code = "nothing_to_change"
	ToolFailed        Code = "tool_failed"
	EditorUnavailable Code = "editor_unavailable"
	EditorLost        Code = "editor_lost"
	Cancelled         Code = "cancelled"
)

// Error is an outcome that is no person's decision. Text is a whole sentence or more, says what to do next where the
// agent can act, and says the file's state ("Nothing was changed.", or what was).
type Error struct {
	Code Code
	Text string
}

// Errorf makes an Error with a formatted text.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...)}
}

// Error is "CODE: text", as the agent reads it.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Text }
