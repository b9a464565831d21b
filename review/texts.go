package review

// The texts by which an agent is told that a person has said no. They are part of the contract.
const (
	// RejectedText begins it; its argument is the path.
	RejectedText = `✗ REJECTED: User explicitly declined changes to %s

`
	// StopText follows when the person has said nothing more.
	StopText = `STOP: Do NOT retry or propose alternative changes. The user has made a
deliberate decision to reject this edit. Report to the user that the
changes were not applied and ask if they would like to proceed differently.
`
	// StopOtherwiseText follows when the person has commented; the comments come next.
	StopOtherwiseText = `STOP: Do NOT retry this edit as it is. The user asks for something else:
`
)
