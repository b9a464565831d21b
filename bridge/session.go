package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
	"nvim-agent-diff/visible"
)

// session is one review in one Neovim, from its place in the queue to its outcome. All of it runs in the goroutine of the
// call that waits; events come through a queue.
type session struct {
	editor   *editor
	ref      int // our number of the review, on this connection
	proposal review.Proposal
	progress func(string)
	events   *events

	files   []*sessionFile // once drafted
	hunks   []*sessionHunk // all that there ever were; a hunk's id on the wire is its index here
	cuts    []cut          // how files were divided before each time that the person had them cut otherwise
	leftOut []string       // what is said of files in which there is nothing to change
	shown   bool           // the person has seen it
	exact   bool           // read buffers, not the disk in their place: something did not fit
	leaving bool           // Neovim has said that it is being left on purpose
	done    bool           // Neovim has said that it has ended
	comment string         // the person's, on the whole proposal
}

const waitingForReview = "waiting for review in Neovim"

// goodbye is how long a review may take to be closed in Neovim after the agent has given it up.
const goodbye = time.Second

// run carries the review through. It returns an outcome, or a *review.Error, or errUnheard where it has not begun.
func (s *session) run(ctx context.Context) (*review.Outcome, error) {
	out, err := s.review(ctx)
	if errors.Is(err, errUnheard) {
		return nil, err
	}
	if err != nil {
		return s.abandon(ctx, err)
	}
	return out, nil
}

func (s *session) review(ctx context.Context) (*review.Outcome, error) {
	loaded, err := s.enqueue(ctx)
	if err != nil {
		return nil, err
	}
	if loaded == nil {
		if out, err := s.await(ctx, "turn"); out != nil || err != nil {
			return out, err
		}
	}
	if err := s.open(ctx, loaded); err != nil {
		return nil, err
	}
	s.progress(waitingForReview)
	return s.await(ctx, "")
}

// enqueue takes a place in the queue. loaded is what load() says of each file when it is the review's turn at once, else nil.
func (s *session) enqueue(ctx context.Context) (loaded []Value, err error) {
	p := s.proposal
	request := wireRequest{
		Ref: s.ref, Tool: p.Tool, Agent: p.Agent, Description: p.Description, Name: p.Files[0].Path, TextOnly: p.TextOnly,
		Remember: p.Remember, Session: p.Session,
	}
	if len(p.Files) > 1 {
		request.Name = fmt.Sprintf("%d files", len(p.Files))
	}
	request.Shown = wireShown{visible.Text(p.Agent), visible.Text(p.Description), visible.Text(request.Name)}
	for i := range p.Files {
		request.Paths = append(request.Paths, p.Files[i].Abs)
		if to := p.Files[i].NewAbs; to != "" {
			request.Claims = append(request.Claims, to)
		}
	}
	var answer Value
	if err := s.editor.begin(ctx, s.progress, &answer, "enqueue", request); err != nil {
		return nil, err
	}
	if answer.Key("turn").Bool() {
		loaded = answer.Key("files").List()
	}
	return loaded, answer.Err()
}

// next waits for events. Behind the last ones of a connection that has ended comes [ErrLost].
func (s *session) next(ctx context.Context) ([]event, error) {
	ended := false
	select {
	case <-s.events.ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.editor.client.Done():
		ended = true
	}
	taken := s.events.take()
	if ended && len(taken) == 0 {
		return nil, ErrLost
	}
	return taken, nil
}

// await handles events until the wanted one comes, or the review ends, or ctx or the connection does.
func (s *session) await(ctx context.Context, wanted string) (*review.Outcome, error) {
	for {
		taken, err := s.next(ctx)
		switch {
		case errors.Is(err, ErrLost):
			return s.lost()
		case err != nil:
			return nil, err
		}
		if out, found, err := s.handle(ctx, taken, wanted); found || err != nil {
			return out, err
		}
	}
}

// handle deals with events. found: one is the wanted one, or the end.
func (s *session) handle(ctx context.Context, taken []event, wanted string) (out *review.Outcome, found bool, err error) {
	for i, e := range taken {
		switch e.name {
		case "place":
			s.place(e.args.At(0).Int(), e.args.At(1).Int())
		case "hunks":
			s.note(e.args.At(0).List())
		case "written":
			s.noteWritten(e.args.At(0).Int(), e.args.At(1).List())
		case "comment":
			s.heed(e.args.At(0).Int(), e.args.At(1).Text())
		case "cut":
			s.cut(ctx, e.args.At(0).Int(), e.args.At(1))
		case "lost":
			s.relocate(ctx, e.args.At(0).Int(), e.args.At(1).List())
		case "busy":
			s.progress(atPrompt)
		case "shown":
			s.shown = true
			s.progress(waitingForReview)
		case "leaving":
			s.leaving = true
		case "done":
			s.done = true
			out, err := s.outcome(e.args.At(0))
			if err == nil {
				s.diagnose(ctx, out, e.args.At(0).Key("diagnosing").Int(), taken[i+1:])
			}
			return out, true, err
		}
		if e.name == wanted {
			found = true
		}
	}
	return nil, found, nil
}

func (s *session) place(place, of int) {
	if place > 1 {
		s.progress(fmt.Sprintf("waiting in the queue: place %d of %d", place, of))
	} else if s.hunks != nil {
		s.progress(waitingForReview)
	}
}

// note keeps the hunks' states, for the progress and for the day the connection breaks.
func (s *session) note(states []Value) {
	for _, v := range states {
		if id := v.At(1).Int(); id >= 0 && id < len(s.hunks) {
			s.hunks[id].state = hunks.State(v.At(2).Text())
		}
	}
	decided, total := 0, 0
	for _, f := range s.files {
		total += len(f.hunks)
		for _, h := range f.hunks {
			if h.state == hunks.Applied || h.state == hunks.Rejected {
				decided++
			}
		}
	}
	s.progress(fmt.Sprintf("waiting for review in Neovim: %d/%d hunks decided", decided, total))
}

// heed keeps the person's comment on the hunk with this id, or on the whole proposal.
func (s *session) heed(id int, comment string) {
	comment = strings.ToValidUTF8(comment, "\uFFFD")
	switch {
	case id < 0:
		s.comment = comment
	case id < len(s.hunks):
		s.hunks[id].comment = comment
	}
}

// open reads the files, drafts their hunks and draws the review; again, as often as somebody changes a text between.
func (s *session) open(ctx context.Context, loaded []Value) error {
	for ; ; loaded, s.exact = nil, true {
		if err := s.draft(ctx, loaded); err != nil && s.exact {
			return err
		} else if err != nil {
			continue
		}
		var answer Value
		if err := s.editor.call(ctx, s.progress, &answer, "open", s.ref, s.wireOpen()); err != nil {
			return err
		}
		if char := answer.Key("unencodable"); !char.IsNil() {
			return review.Errorf(review.ToolFailed,
				"The file's encoding (%s) cannot hold the character %q. Nothing was changed.",
				answer.Key("encoding").Text(), char.Text())
		}
		if unfit := answer.Key("unfit"); s.exact && !unfit.IsNil() {
			return review.Errorf(review.ToolFailed, "Neovim does not hold the text that it says it holds. Nothing was changed.")
		}
		if stale := answer.Key("stale").Bool(); !stale {
			for i := range s.proposal.Files {
				s.proposal.Files[i].Draft = nil
			}
			for _, f := range s.files {
				f.Draft = nil
			}
			return answer.Err()
		}
	}
}

// draft reads every file as the person sees it now, and turns the proposal into hunks. loaded may say already what load()
// would.
func (s *session) draft(ctx context.Context, loaded []Value) error {
	s.files, s.hunks, s.leftOut = nil, nil, nil
	placed := false
	var why error // there is nothing to review in the first file where that is so
	for i, f := range s.proposal.Files {
		var answer Value
		if i < len(loaded) {
			answer = loaded[i]
		} else if err := s.editor.call(ctx, s.progress, &answer, "load", s.ref, f.Abs); err != nil {
			return err
		}
		file, err := s.read(ctx, f, answer)
		known, isKnown := errors.AsType[*review.Error](err)
		switch {
		case file != nil:
		case isKnown && known.Code == review.NothingToChange:
			s.leftOut = append(s.leftOut, strings.TrimSuffix(known.Text, " Nothing was changed."))
			why = cmp.Or(why, err)
			continue
		default:
			return err
		}
		why = cmp.Or(why, err)
		file.divide()
		s.files = append(s.files, file)
		for _, h := range file.hunks {
			h.id = len(s.hunks)
			s.hunks = append(s.hunks, h)
			placed = placed || h.state != hunks.Conflict
		}
		if err := s.reviewable(); err != nil {
			return err
		}
	}
	if placed {
		return nil
	}
	return why
}

func (s *session) wireOpen() wireOpen {
	open := s.drawing(cut{}, func(*sessionHunk) bool { return false })
	open.Auto = s.letThrough()
	return open
}

// drawing is the review, with some files divided otherwise. Of hunks that Lua knows already the blocks are left out.
func (s *session) drawing(to cut, known func(h *sessionHunk) bool) wireOpen {
	open := wireOpen{Notices: []string{}} // never nil: Lua would get vim.NIL
	for _, f := range s.files {
		l, other := to[f]
		if !other {
			l = f.layout
		}
		printed := l.patch.Print(f.Name, f.Name)
		if len(s.proposal.Files) > 1 || len(l.patch.Whole) > 0 {
			printed = l.patch.PrintGit(f.Name, f.newName())
		}
		first := len(open.Lines)
		wire := wireFile{
			Path: f.Abs, Name: f.Name, Tick: f.tick, CRLF: l.patch.Base.CRLF,
			Kind: string(f.kind()), To: f.NewAbs, ToName: visible.Text(f.NewPath), Line: first, Hunks: make([]wireHunk, len(l.hunks)),
		}
		if s.proposal.TextOnly {
			wire.Text = wholeText(l.patch.Base)
		}
		spans := append(slices.Clone(printed.Whole), printed.Hunks...)
		for i, h := range l.hunks {
			wire.Hunks[i] = h.wire(l.lines(i), first, spans[i], known(h))
		}
		open.Lines = append(open.Lines, strings.Split(strings.TrimSuffix(printed.Text, "\n"), "\n")...)
		open.Files = append(open.Files, wire)
		for _, notices := range [][]string{f.notices, l.patch.Warnings, l.patch.Notes} {
			for _, notice := range notices {
				if len(s.proposal.Files) > 1 {
					notice = f.Path + ": " + notice
				}
				open.Notices = append(open.Notices, notice)
			}
		}
	}
	open.Notices = append(open.Notices, s.leftOut...)
	var warnings []string
	open.Hidden, warnings = hiddenIn(open.Lines)
	for i, notice := range open.Notices {
		open.Notices[i] = visible.Text(notice)
	}
	open.Notices = append(open.Notices, warnings...)
	return open
}

// wire is a hunk as Lua gets it. first is the line in the diff where its file begins.
func (h *sessionHunk) wire(lines *hunks.Hunk, first int, span hunks.Span, known bool) wireHunk {
	wire := wireHunk{
		ID: h.id, Line: first + span.Line, Lines: span.Lines, Inner: span.Inner,
		State: string(h.state), Reason: h.reason(),
	}
	if !known {
		wire.Blocks = h.file.codec.blocks(h.blocks())
	}
	if h.whole == nil {
		wire.Header = lines.Header()
	} else {
		wire.Header = h.header()
		wire.Whole = &wireWhole{Kind: string(h.whole.Kind), Program: h.whole.NewMode&0o100 != 0}
	}
	return wire
}

// relocate looks for blocks whose surroundings were replaced, in the text as it is now. Lua counts on an answer.
func (s *session) relocate(ctx context.Context, index int, ids []Value) {
	if index < 1 || index > len(s.files) {
		return
	}
	f := s.files[index-1]
	var answer Value
	if s.editor.call(ctx, nil, &answer, "text", s.ref, f.Abs) != nil {
		return
	}
	spots, whole := f.patch.Locate(f.codec.text(answer.Key("text").Text(), false, false).Body, f.isApplied)
	places := [][]any{}
	for _, id := range ids {
		if spot, found := spots[id.Int()]; found {
			places = append(places, []any{id.Int(), spot.Line, string(spot.Fit)})
		}
	}
	// When it fails the review is over.
	_ = s.editor.call(ctx, nil, nil, "anchor", s.ref, index, answer.Key("tick").Int(), places, whole)
}

// abandon ends a review that cannot go on, or that nobody waits for any more: then err is ctx's.
func (s *session) abandon(ctx context.Context, err error) (*review.Outcome, error) {
	bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer cancel()
	if errors.Is(err, ErrLost) || !s.editor.alive() {
		if known, ok := errors.AsType[*review.Error](err); ok {
			return nil, known
		}
		// What had arrived before counts.
		if out, err := s.await(bye, ""); bye.Err() == nil {
			return out, err
		}
		return s.lost()
	}
	if errors.Is(context.Cause(ctx), review.ErrAgentGone) {
		// The connection is about to end, and the person is told so.
		return nil, failure(err, s.applied())
	}
	var report Value
	switch failed := s.editor.call(bye, nil, &report, "cancel", s.ref, ctx.Err() != nil); {
	case failed == nil && !report.IsNil():
		s.readStates(report)
	case failed == nil && !s.done: // it had ended by itself, and its report is on the way
		if out, err := s.await(bye, ""); out != nil {
			return out, err
		}
	}
	return nil, failure(err, s.applied())
}
