package review

import "context"

// Question is whether an agent may read a file.
type Question struct {
	Tool  string // as "read_file"
	Agent string // the calling program's name; may be empty
	Path  string // as the agent gave it
	Abs   string // absolute, symbolic links resolved
	// Remember says that the person may let the like of it through from now on, Session that they may do so for a session.
	Remember, Session bool
}

// Answer is a person's answer to a Question.
type Answer struct {
	Allowed  bool
	Remember *Remember // nil for nothing
}

// Gatekeeper asks a person whether an agent may read a file.
type Gatekeeper interface {
	// MayRead blocks until the person has answered, or ctx ends. The error is always an *Error. progress may be nil; it is
	// called with a short sentence whenever the waiting has a new reason.
	MayRead(ctx context.Context, q Question, progress func(string)) (*Answer, error)
}
