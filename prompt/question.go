package prompt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// answer is what a person can say to a question.
type answer struct {
	keys []string // the first is shown
	help string
}

var (
	yes      = answer{[]string{"y", "yes", "A"}, "apply it"}
	no       = answer{[]string{"n", "no", "R"}, "reject it"}
	view     = answer{[]string{"v", "view"}, "view the full file, with the changes in it"}
	byHunk   = answer{[]string{"h", "hunks"}, "decide hunk by hunk"}
	remember = answer{[]string{"m"}, "apply it, and do not ask about such edits again"}
	onAll    = answer{[]string{"C"}, "comment on the whole proposal: the agent is told"}
	accept   = answer{[]string{"a"}, "accept this hunk, and go to the next"}
	reject   = answer{[]string{"r"}, "reject this hunk, and go to the next"}
	next     = answer{[]string{"n"}, "go to the next undecided hunk"}
	previous = answer{[]string{"p"}, "go to the hunk before"}
	split    = answer{[]string{"s"}, "split the hunk into its change blocks"}
	onHunk   = answer{[]string{"c"}, "comment on this hunk: the agent is told"}
	accepts  = answer{[]string{"A"}, "accept all undecided hunks, and finish"}
	rejects  = answer{[]string{"R"}, "reject all undecided hunks, and finish"}
	finish   = answer{[]string{"q"}, "finish; undecided hunks are not applied"}
	help     = answer{[]string{"?"}, "this help"}
)

// The answers to what is not to be asked again, and for how long.
var (
	thisFile   = answer{[]string{"f", "file"}, "any edit of this file"}
	thisFolder = answer{[]string{"d", "folder"}, "any edit of a file in its folder"}
	thisTool   = answer{[]string{"t", "tool"}, "any edit by this tool in this project"}
	session    = answer{[]string{"s"}, "until the agent's program ends"}
	always     = answer{[]string{"a"}, "from now on; nvim-agent-diff approvals takes it back"}
)

// The answers to the questions.
var (
	ofFile = []answer{yes, no, view, byHunk, accept, reject, onAll, help}
	ofCall = []answer{yes, no, view, onAll, help}
	ofHunk = []answer{accept, reject, previous, next, view, split, onHunk, onAll, accepts, rejects, finish, help}
)

func (a answer) is(said string) bool { return slices.Contains(a.keys, said) }

// ask asks until one of the answers is given. The end of the terminal is no answer.
func (s *sitting) ask(ctx context.Context, question string, answers []answer) (string, error) {
	for {
		said, err := s.line(ctx, question)
		if err != nil {
			return "", err
		}
		known := slices.ContainsFunc(answers, func(a answer) bool { return a.is(said) })
		if known && !help.is(said) {
			return said, nil
		}
		if !known && said != "" {
			fmt.Fprintf(s.terminal.tty, "%q is no answer.\n", said)
		}
		for _, a := range answers {
			fmt.Fprintf(s.terminal.tty, "  %s  %s\n", a.keys[0], a.help)
		}
	}
}

// line asks for a line.
func (s *sitting) line(ctx context.Context, question string) (string, error) {
	fmt.Fprint(s.terminal.tty, styled(s.look.style(fileName), question)+" ")
	said, err := s.terminal.lines.next(ctx)
	s.look = s.terminal.look()
	switch {
	case ctx.Err() != nil:
		return "", interrupted()
	case err != nil:
		return "", ended(err)
	}
	return said, nil
}

// question has a file decided.
func (s *sitting) question(ctx context.Context, f *file) error {
	question, answers := "Apply this edit? [y/n/v(iew full file)]", ofFile
	hint := "h decides hunk by hunk, ? lists all answers"
	switch n := len(f.parts); {
	case f.Call:
		question, answers, hint = "Let this call run? [y/n/v(iew all of it)]", ofCall, "? lists all answers"
	case n > 1:
		hint = fmt.Sprintf("%d hunks: %s", n, hint)
	}
	fmt.Fprintln(s.terminal.tty, styled(s.look.style(faint), hint))
	if s.proposal.Remember && s.remember == nil { // one wish for a sitting
		answers = append(slices.Clone(answers), remember)
	}
	for {
		said, err := s.ask(ctx, question, answers)
		if err != nil {
			return err
		}
		switch {
		case yes.is(said):
			f.acceptAll()
			return nil
		case no.is(said):
			f.rejectAll()
			return nil
		case remember.is(said):
			f.acceptAll()
			return s.askRemember(ctx, f)
		case view.is(said):
			s.view(f)
		case onAll.is(said):
			if err := s.note(ctx, &s.comment); err != nil {
				return err
			}
		default:
			return s.hunkByHunk(ctx, f, said)
		}
	}
}

// askRemember asks what is not to be asked again.
func (s *sitting) askRemember(ctx context.Context, f *file) error {
	scope, err := s.ask(ctx, "What is not to be asked again? [f(ile)/d(folder)/t(ool)]", []answer{thisFile, thisFolder, thisTool, help})
	if err != nil {
		return err
	}
	s.remember = &review.Remember{Scope: "file", Path: f.Abs, Always: true}
	if s.proposal.Session {
		long, err := s.ask(ctx, "For this session, or always? [s/a]", []answer{session, always, help})
		if err != nil {
			return err
		}
		s.remember.Always = always.is(long)
	}
	switch {
	case thisFolder.is(scope):
		s.remember.Scope = "folder"
	case thisTool.is(scope):
		s.remember.Scope = "tool"
	}
	return nil
}

// hunkByHunk asks for each hunk of a file. said decides the first, if it decides anything.
func (s *sitting) hunkByHunk(ctx context.Context, f *file, said string) error {
	at := 0
	if !byHunk.is(said) {
		at = s.decided(f, at, said)
	}
	var shown *part
	for at >= 0 {
		p := f.parts[at]
		if p != shown {
			s.print(fmt.Sprintf("Hunk %d/%d of %s", at+1, len(f.parts), f.Path), nil, s.partRows(f, at))
			shown = p
		}
		said, err := s.ask(ctx, "Accept this hunk? [a/r/p/n/v/s/c/C/A/R/q/?]", ofHunk)
		if err != nil {
			return err
		}
		switch {
		case accepts.is(said):
			f.acceptAll()
			return nil
		case rejects.is(said):
			f.rejectAll()
			return nil
		case finish.is(said):
			return nil
		case view.is(said):
			s.view(f)
		case split.is(said):
			if !f.split(at) {
				fmt.Fprintln(s.terminal.tty, "This hunk cannot be split.")
			}
		case onHunk.is(said):
			err = s.note(ctx, &p.comment)
		case onAll.is(said):
			err = s.note(ctx, &s.comment)
		case previous.is(said):
			at = max(0, at-1)
		case next.is(said):
			at = f.following(at)
		default:
			at = s.decided(f, at, said)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// decided accepts or rejects the part at a place, and says which one is next; -1: all are decided.
func (s *sitting) decided(f *file, at int, said string) int {
	p := f.parts[at]
	if reject.is(said) {
		p.reject()
	} else if !p.accept() {
		fmt.Fprintln(s.terminal.tty, "This hunk cannot be applied: "+s.look.safe(p.reason))
	}
	if next := f.following(at); next != at || f.parts[next].undecided() {
		return next
	}
	return -1
}

// following is the next undecided part after a place, from the first on again; the place itself when there is no other.
func (f *file) following(at int) int {
	n := len(f.parts)
	for i := 1; i <= n; i++ {
		if next := (at + i) % n; f.parts[next].undecided() {
			return next
		}
	}
	return at
}

// view shows the whole file with the changes in it.
func (s *sitting) view(f *file) {
	rows := f.viewRows()
	if f.Call {
		rows = f.callRows()
	}
	fitted := s.look.fit(rows)
	all := append([]row{{kind: fileName, text: f.Path}}, rows...)
	if len(fitted) > inPager && s.terminal.page(s.look, s.terminal.inPager(s.look).whole(all)) {
		return
	}
	fmt.Fprint(s.terminal.tty, s.look.frame(f.Path, fitted))
}

// note asks for a comment.
func (s *sitting) note(ctx context.Context, comment *string) error {
	said, err := s.line(ctx, "Comment:")
	if err == nil {
		*comment = strings.ToValidUTF8(said, "\uFFFD")
	}
	return err
}

// hides says whether new lines hold characters that cannot be seen.
func (f *file) hides() bool {
	return slices.ContainsFunc(f.patch.Hunks, func(h *hunks.Hunk) bool {
		return slices.ContainsFunc(h.Blocks, func(b hunks.Block) bool {
			return slices.ContainsFunc(b.New, isAlarming)
		})
	})
}
