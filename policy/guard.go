package policy

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"nvim-agent-diff/review"
	"nvim-agent-diff/visible"
)

// Guard holds the policy against what agents want to do. A nil Guard lets everything be asked, as if there were no files.
type Guard struct {
	Places Places
	Memory *Memory           // may be nil
	Asker  review.Gatekeeper // who is asked before a file is read; nil for nobody
}

// NewGuard is the guard of this user. session is the name of the session that approvals can be for; "" for none.
func NewGuard(session string) (*Guard, error) {
	places, err := UserPlaces()
	if err != nil {
		return nil, err
	}
	return &Guard{Places: places, Memory: NewMemory(places.State, session)}, nil
}

// Load reads the policy for roots, absolute and with symbolic links resolved.
func (g *Guard) Load(roots ...string) *Policy {
	if g == nil {
		return &Policy{}
	}
	return Load(g.Places, g.Memory, roots...)
}

// MayRead asks the rules whether a file may be read, and the person where they want it. q says who wants to read what. The
// error is the no, or why there is no answer.
func (g *Guard) MayRead(ctx context.Context, rules *Policy, r Request, q review.Question, progress func(string)) error {
	switch verdict, rule := rules.Decide(r); {
	case verdict == Accept:
		return nil
	case verdict == Deny || g.Asker == nil:
		return Denied(rule)
	}
	q.Remember = rules.MayRemember(r)
	q.Session = q.Remember && g.Memory.hasSession()
	answer, err := g.Asker.MayRead(ctx, q, progress)
	if err != nil {
		return err
	}
	if !answer.Allowed {
		return review.Errorf(review.FSDenied, "The user does not want %s to be read. Nothing was changed. Do not read it by other means.",
			visible.Line(q.Path, false))
	}
	if wish := answer.Remember; q.Remember && wish != nil {
		if _, err := g.Memory.Remember(r, Scope(wish.Scope), wish.Always); err != nil {
			slog.Error("an approval could not be remembered", "error", err)
		}
	}
	return nil
}

// Denied is the error that a policy's no makes.
func Denied(rule Rule) *review.Error {
	return review.Errorf(review.FSDenied, "denied by policy %s. Nothing was changed. Do not try it by other means; "+
		"the user can change the policy.", rule)
}

// Discreet is an error about a file's content as it is told to somebody who would have to ask before reading the file; path
// is the file's, as it can be put into a sentence.
func (p *Policy) Discreet(reading Request, path string, err *review.Error) *review.Error {
	if err.Code != review.EditNotFound && err.Code != review.EditNotUnique && err.Code != review.StaleOriginal {
		return err
	}
	if verdict, _ := p.Decide(reading); verdict == Accept {
		return err
	}
	return review.Errorf(err.Code, "%s does not hold the text in the one place that is meant. Nothing was changed. "+
		"More is said only to who may read it: call read_file.", path)
}

// NotWritable is the error for a file that may be read only.
func NotWritable(path string, rule Rule) *review.Error {
	return review.Errorf(review.PathNotWritable, "%s may be read only, by policy %s. Nothing was changed.", path, rule)
}

// Reviewer holds the policy against proposals: what it refuses nobody sees, what it lets through is applied without a review,
// and the rest goes to the next reviewer.
type Reviewer struct {
	Next  review.Reviewer
	Guard *Guard
	// Grants are the tools of which one has to be granted, where the proposals are made with an agent's own tools; nil where
	// the tool of a proposal has to be.
	Grants []string
}

var _ review.Reviewer = (*Reviewer)(nil)

// Read returns the file as the person sees it; see [review.Reviewer]. Who calls it has asked the policy.
func (r *Reviewer) Read(ctx context.Context, abs string) (*review.Document, error) {
	return r.Next.Read(ctx, abs)
}

// Review has a proposal reviewed, unless the policy decides it; see [review.Reviewer].
func (r *Reviewer) Review(ctx context.Context, p review.Proposal, progress func(string)) (*review.Outcome, error) {
	rules := r.Guard.loadFor(&p)
	verdict, rule, err := rules.proposal(&p, r.Grants)
	if err != nil {
		return nil, err
	}
	switch verdict {
	case Deny:
		return nil, Denied(rule)
	case Accept:
		p.Auto = rule.String()
	case Ask:
	}
	p.Remember = rules.mayRemember(&p)
	p.Session = p.Remember && r.Guard.Memory.hasSession()
	p.Key = nil // the arguments are not needed while a person decides
	out, err := r.Next.Review(ctx, p, progress)
	if err != nil {
		return nil, err
	}
	if out.Auto {
		out.Notes = append([]string{"Accepted by policy " + p.Auto + ", without a review."}, out.Notes...)
	}
	if p.Remember && out.Remember != nil && out.Decision() == review.Accepted {
		r.remember(&p, *out.Remember)
	}
	return out, nil
}

// remember keeps what the person has said about the next proposals of this kind.
func (r *Reviewer) remember(p *review.Proposal, wish review.Remember) {
	for _, f := range p.Files {
		if f.Abs != wish.Path {
			continue
		}
		if _, err := r.Guard.Memory.Remember(request(p, f), Scope(wish.Scope), wish.Always); err != nil {
			slog.Error("an approval could not be remembered", "error", err)
		}
		return
	}
}

// loadFor reads the policy for a proposal. Its files can be in several roots.
func (g *Guard) loadFor(p *review.Proposal) *Policy {
	if g == nil {
		return &Policy{}
	}
	var others []string
	for _, f := range p.Files {
		for _, place := range f.Places() {
			if _, in := within(p.Root, place.Abs); !in {
				others = append(others, filepath.Dir(place.Abs))
			}
		}
	}
	return load(g.Places, g.Memory, []string{p.Root}, others)
}

// proposal is the strictest verdict on any file of a proposal.
func (p *Policy) proposal(pr *review.Proposal, grants []string) (Verdict, Rule, error) {
	verdict, rule := Accept, Rule{}
	var places []review.File
	for _, f := range pr.Files {
		places = append(places, f.Places()...)
	}
	for i, f := range places {
		if readOnly, why := p.ReadOnly(f.Abs); readOnly {
			return Deny, why, NotWritable(visible.Line(f.Path, false), why)
		}
		wish := request(pr, f)
		wish.Grants = grants
		v, why := p.Decide(wish)
		if i == 0 || v > verdict {
			verdict, rule = v, why
		}
	}
	return verdict, rule, nil
}

func (p *Policy) mayRemember(pr *review.Proposal) bool {
	for _, f := range pr.Files {
		if f.NewAbs != "" || !p.MayRemember(request(pr, f)) {
			return false
		}
	}
	return true
}

// request is what a proposal wants of one of its files.
func request(p *review.Proposal, f review.File) Request {
	r := Request{Action: Edit, Tool: p.Tool, Path: f.Abs, Root: p.Root, Key: p.Key}
	if _, err := os.Lstat(f.Abs); f.Written || errors.Is(err, os.ErrNotExist) {
		r.Action = Write
	}
	return r
}
