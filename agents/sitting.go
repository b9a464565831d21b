package agents

import (
	"context"
	"errors"
	"os"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// sitting is the review of one call.
type sitting struct {
	gate     *Gate
	call     *call
	changes  changes
	files    []change
	proposed []review.File
	disks    []hunks.Text // what the files held when they were compared
	wants    []*wanted
}

// proposal is what is to be reviewed.
func (s *sitting) proposal(ctx context.Context) (review.Proposal, error) {
	g, c := s.gate, s.call
	p := review.Proposal{Tool: c.tool, Agent: g.Agent.Title, Description: c.why, TextOnly: true}
	if c.who != "" && p.Agent != "" {
		p.Agent += " (" + c.who + ")"
	} else if c.who != "" {
		p.Agent = c.who
	}
	if p.Description == "" {
		p.Description = "with the agent's own tool " + c.tool
	}
	s.disks, s.wants = make([]hunks.Text, len(s.files)), make([]*wanted, len(s.files))
	taken := map[string]string{} // by where a file is, the path that was given
	for i, ch := range s.files {
		f, root, err := s.locate(ctx, ch)
		if err != nil {
			return p, err
		}
		for _, place := range f.Places() {
			if other, again := taken[place.Abs]; again { // the agent writes them one after the other, and each is compared with the disk
				return p, review.Errorf(review.EditNotUnique, "%s and %s are the same file. Nothing was changed. Make one edit of it.",
					shown(other), shown(place.Path))
			}
			taken[place.Abs] = place.Path
		}
		f.Written = ch.written
		f.Draft = func(disk hunks.Text) (*hunks.Patch, error) { return s.draft(ctx, i, f, disk) }
		p.Files = append(p.Files, f)
		if p.Root == "" {
			p.Root = root
		}
	}
	s.proposed = append(s.proposed, p.Files...)
	return p, nil
}

// locate finds a file, and where it is to be moved.
func (s *sitting) locate(ctx context.Context, ch change) (f review.File, root string, err error) {
	g, dir := s.gate, s.call.dir
	if f, root, err = g.Locate(ctx, dir, ch.path); err != nil || ch.newPath == "" {
		return f, root, err
	}
	to, _, err := g.Locate(ctx, dir, ch.newPath)
	if err != nil {
		return f, root, err
	}
	f.NewPath, f.NewAbs, f.NewName = ch.newPath, to.Abs, to.Name
	if _, err := os.Lstat(to.Abs); err == nil {
		return f, root, review.Errorf(review.StaleOriginal, "%s exists already. Nothing was changed.", shown(ch.newPath))
	}
	return f, root, nil
}

// draft turns one of the changes into hunks, now that the file's turn has come.
func (s *sitting) draft(ctx context.Context, i int, f review.File, disk hunks.Text) (*hunks.Patch, error) {
	ch := s.files[i]
	now, _, err := s.locate(ctx, ch)
	if err != nil {
		return nil, err
	}
	if now.Abs != f.Abs || now.NewAbs != f.NewAbs {
		return nil, review.Errorf(review.StaleOriginal, "%s leads to another file than a moment ago. Nothing was changed.", shown(ch.path))
	}
	w, err := ch.wants(disk)
	if w == nil {
		return nil, asError(err)
	}
	s.disks[i], s.wants[i] = disk, w
	switch {
	case err != nil:
		return w.patch, asError(err)
	case w.isNothing():
		return nil, review.Errorf(review.NothingToChange, "%s already holds this text. Nothing was changed.", shown(ch.path))
	}
	return w.patch, nil
}

// changesNothing says whether what the tool would write is what is there, to the byte.
func (s *sitting) changesNothing() bool {
	for i := range s.files {
		if !s.isNothing(i) {
			return false
		}
	}
	return true
}

func (s *sitting) isNothing(i int) bool {
	w := s.wants[i]
	return w != nil && w.isNothing() && w.holds(w.patch.Base)
}

// answer is what becomes of the call by the outcome of the review.
func (s *sitting) answer(out *review.Outcome) (answer, error) {
	if out.Decision() == review.Rejected {
		return answer{reason: Rejection(out)}, nil
	}
	texts, exact, err := s.written(out)
	if err != nil {
		return answer{}, err
	}
	a := answer{kind: allow, note: Note(out)}
	if exact {
		return a, nil
	}
	input, err := s.changes.rewrite(s.call.input, texts)
	if err != nil {
		return answer{}, err
	}
	if err := s.verify(input, texts); err != nil {
		return answer{}, review.Errorf(review.StaleOriginal, "What the user accepted cannot be said with the tool %s (%v). Nothing was changed. "+
			"Propose it again in parts, or write the whole file.", shown(s.call.tool), err)
	}
	a.input = input
	return a, nil
}

// written are the texts that were decided on; exact: the call as it is writes them.
func (s *sitting) written(out *review.Outcome) (texts []written, exact bool, err error) {
	texts, exact = make([]written, len(s.files)), true
	rest := out.Files
	for i, ch := range s.files {
		if len(rest) == 0 || rest[0].Path != ch.path { // nothing was to be decided
			exact = exact && s.isNothing(i)
			continue
		}
		f, w := rest[0], s.wants[i]
		rest = rest[1:]
		if f.Unwritable != "" {
			return nil, false, review.Errorf(review.StaleOriginal, "The user accepted, but %s must not be written now. %s Nothing was changed. "+
				"Read it again and propose again.", shown(f.Path), f.Unwritable)
		}
		t := written{
			accepted: f.Decision() == review.Accepted, moved: f.RenamedTo != "", disk: s.disks[i], base: w.patch.Base, text: f.Text,
		}
		texts[i] = t
		exact = exact && t.accepted && w.holds(t.text) && !w.unsure && t.moved == (ch.newPath != "")
	}
	if len(rest) > 0 {
		return nil, false, review.Errorf(review.StaleOriginal, "The review was of other files than the edit is. Nothing was changed.")
	}
	return texts, exact, nil
}

// verify makes sure that a rewritten input writes what was decided, by what we know of the tool: whatever is in the way of
// it, the agent must not write something else.
func (s *sitting) verify(input fields, texts []written) error {
	again, err := parseFields(toJSON(input)) // as the agent will read it
	if err != nil {
		return err
	}
	ch, err := s.gate.Agent.form.changes(s.call.tool, again)
	if err != nil {
		return err
	}
	rest := ch.files()
	for i, t := range texts {
		if !t.accepted {
			continue
		}
		if len(rest) == 0 || rest[0].path != s.files[i].path || (rest[0].newPath != "") != t.moved {
			return errors.New("the rewritten input is about other files")
		}
		w, err := rest[0].wants(t.disk)
		rest = rest[1:]
		if err != nil {
			return err
		}
		if !w.holds(t.text) || w.unsure {
			return errors.New("the tool would write something else")
		}
	}
	if len(rest) > 0 {
		return errors.New("the rewritten input is about other files")
	}
	return nil
}
