package bridge

import (
	"context"
	"errors"

	"nvim-agent-diff/review"
	"nvim-agent-diff/visible"
)

// wireQuestion is the question whether a file may be read, its texts as a person shall see them.
type wireQuestion struct {
	Ref      int    `msgpack:"ref"`
	Tool     string `msgpack:"tool"`
	Agent    string `msgpack:"agent"`
	Path     string `msgpack:"path"` // absolute
	Name     string `msgpack:"name"`
	Remember bool   `msgpack:"remember"`
	Session  bool   `msgpack:"session"`
}

const waitingForAnswer = "waiting for an answer in Neovim: may the file be read?"

// MayRead asks the person in the Neovim that the file belongs to; see [review.Gatekeeper].
func (n *Neovims) MayRead(ctx context.Context, q review.Question, progress func(string)) (*review.Answer, error) {
	if progress == nil {
		progress = func(string) {}
	}
	var answer *review.Answer
	err := n.with(ctx, q.Abs, progress, func(e *editor) (err error) {
		s := e.open(review.Proposal{Tool: q.Tool, Agent: q.Agent}, progress)
		defer e.drop(s)
		answer, err = s.ask(ctx, q)
		if err != nil && ctx.Err() != nil && !errors.Is(context.Cause(ctx), review.ErrAgentGone) {
			bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
			defer cancel()
			// When it fails the question is over.
			_ = e.call(bye, nil, nil, "cancel", s.ref, true)
		}
		return err
	})
	if err != nil {
		return nil, failure(err, "Nothing was changed.")
	}
	return answer, nil
}

// ask puts the question and waits for the answer.
func (s *session) ask(ctx context.Context, q review.Question) (*review.Answer, error) {
	question := wireQuestion{
		Ref: s.ref, Tool: q.Tool, Agent: visible.Line(q.Agent, false), Path: q.Abs, Name: visible.Line(q.Path, false),
		Remember: q.Remember, Session: q.Session,
	}
	if err := s.editor.begin(ctx, s.progress, nil, "ask", question); err != nil {
		return nil, err
	}
	s.progress(waitingForAnswer)
	for {
		taken, err := s.next(ctx)
		if err != nil {
			return nil, err
		}
		for _, e := range taken {
			switch e.name {
			case "busy":
				s.progress(atPrompt)
			case "shown":
				s.progress(waitingForAnswer)
			case "leaving":
				return nil, ErrLost
			case "answer":
				return readAnswer(e.args.At(0), q)
			}
		}
	}
}

func readAnswer(v Value, q review.Question) (*review.Answer, error) {
	a := &review.Answer{Allowed: v.Key("allowed").Bool()}
	if scope := v.Key("scope"); !scope.IsNil() {
		a.Remember = &review.Remember{Scope: scope.Text(), Path: q.Abs, Always: v.Key("always").Bool()}
	}
	return a, v.Err()
}
