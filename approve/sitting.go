package approve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"nvim-agent-diff/agents"
	"nvim-agent-diff/hunks"
	"nvim-agent-diff/policy"
	"nvim-agent-diff/review"
)

// sit has a person decide on calls. later is how many come after them: what they change is changed by these, too.
func (b *batch) sit(ctx context.Context, asked []*call, later int) error {
	p := review.Proposal{
		Tool: "approve", Agent: b.Agent, Root: cmp.Or(asked[0].root, b.Dir), TextOnly: true, Remember: true,
		Description: fmt.Sprintf("%d calls wait for your approval", len(asked)),
	}
	switch {
	case len(asked) == 1:
		p.Tool, p.Description = asked[0].tool, asked[0].said()
	case later > 0:
		p.Description += fmt.Sprintf(", and %d more after them", later)
	}
	var order []*call
	for _, writes := range []bool{true, false} { // which Neovim it is, the first file says
		for i, c := range asked {
			if c.isWrite() != writes {
				continue
			}
			order = append(order, c)
			p.Files = append(p.Files, b.fileOf(i, c, len(asked) > 1))
			p.Remember = p.Remember && b.Guard.Load(c.root).MayRemember(c.wish())
		}
	}
	p.Session = p.Remember // the program remembers it
	out, err := b.Reviewer.Review(ctx, p, nil)
	var decided []*call
	for _, c := range order {
		if c.failed == nil {
			decided = append(decided, c)
			continue
		}
		c.fail(c.failed)
		if c.failed.Code == review.NothingToChange {
			c.done.Approved = true
		}
	}
	if len(decided) == 0 {
		return nil // the error is that of the files
	}
	if err != nil {
		return err
	}
	if len(out.Files) != len(decided) {
		return review.Errorf(review.ToolFailed, "The review ended with %d calls in place of %d. Nothing was changed.", len(out.Files), len(decided))
	}
	for i, c := range decided {
		b.conclude(c, &review.Outcome{Files: out.Files[i : i+1], Comment: out.Comment})
		b.remember(c, p.Files, out.Remember)
	}
	return nil
}

func (c *call) isWrite() bool { return c.typ == typeWrite || c.typ == typeEdit }

// said is what the call is for, in the program's or the model's words.
func (c *call) said() string { return cmp.Or(c.why, c.summary) }

// fileOf is the call as a file of a review. What writes no text that we know is one that would be created, and says what
// is to be done: to accept it is to approve the call.
func (b *batch) fileOf(i int, c *call, several bool) review.File {
	if !c.isWrite() || c.want == nil && b.emptyFile(c) {
		name := fmt.Sprintf("call-%d/%s", i+1, plainName(c.tool))
		return review.File{
			Path: c.title(), Name: name, Abs: filepath.Join(b.Dir, ".nvim-agent-diff", name), Call: true,
			Draft: func(hunks.Text) (*hunks.Patch, error) {
				patch, err := hunks.Place(hunks.Text{Missing: true}, "", c.text())
				if patch != nil {
					patch.Warnings = append(patch.Warnings, "this is a call, and no file: to accept it lets it run")
				}
				return patch, err
			},
		}
	}
	f := c.file
	f.Draft = func(disk hunks.Text) (*hunks.Patch, error) {
		current := disk
		if text, ok := b.texts[f.Abs]; ok {
			current = text
		}
		c.failed = nil
		w, err := b.wants(c, current)
		if err != nil {
			c.failed, _ = errors.AsType[*review.Error](err)
			return nil, review.Errorf(review.NothingToChange, "%s", c.failed.Text)
		}
		c.want = w
		if said := c.said(); several && said != "" {
			w.patch.Warnings = append([]string{said}, w.patch.Warnings...)
		}
		return w.patch, nil
	}
	return f
}

// emptyFile says whether the call makes an empty file, which no line of a diff shows.
func (b *batch) emptyFile(c *call) bool {
	text, err := b.text(c.file.Abs)
	return err == nil && text.Missing && c.typ == typeWrite && c.content == ""
}

// title is how a call is named that is about no text.
func (c *call) title() string {
	if c.path != "" {
		return c.tool + " " + c.path
	}
	return c.tool + " (" + c.id + ")"
}

// maxText is how much is shown of a call that is about no text that we know.
const maxText = 64 << 10

// text is what a person is told of such a call.
func (c *call) text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "Call of %s (%s)\n", c.tool, c.id)
	for _, said := range []string{c.why, c.summary} {
		if said != "" {
			out.WriteString(strings.TrimSuffix(said, "\n") + "\n")
		}
	}
	if c.file.Abs != "" {
		out.WriteString("File: " + c.file.Abs + "\n")
	}
	if r, ok := c.payloadOf().(*Read); ok && r.FileExists {
		fmt.Fprintf(&out, "It has %d lines, %d bytes.\n", r.FileLines, r.FileBytes)
	}
	if raw, err := marshal(c.args); err == nil {
		var pretty bytes.Buffer
		if json.Indent(&pretty, raw, "", "  ") == nil {
			out.WriteString("Arguments:\n" + pretty.String() + "\n")
		}
	}
	text := out.String()
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "\n[cut: it goes on]\n"
	}
	return text
}

// plainName is a tool's name as a part of a file's.
func plainName(tool string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, tool)
	return cmp.Or(name[:min(len(name), 60)], "call")
}

// conclude makes the decision of a call's outcome.
func (b *batch) conclude(c *call, out *review.Outcome) {
	f := &out.Files[0]
	c.done = &Decision{Remember: rememberNone}
	if f.Decision() == review.Rejected {
		c.done.Note = agents.Rejection(out)
		return
	}
	c.done.Approved = true
	switch {
	case c.want == nil:
		for _, h := range f.Hunks {
			if h.State != hunks.Applied || h.Partial || h.Edited || f.UserDiff != "" {
				c.fail(review.Errorf(review.StaleOriginal, "The user accepted only a part of the call %s, and it has no parts. Nothing was done.", shown(c.tool)))
				return
			}
		}
		if out.Comment != "" || f.Hunks[0].Comment != "" {
			c.done.Note = agents.Note(out)
		}
		return
	case f.Unwritable != "":
		c.fail(review.Errorf(review.StaleOriginal, "The user accepted, but %s must not be written now. %s Nothing was changed. "+
			"Read it again and propose again.", shown(c.path), f.Unwritable))
		return
	}
	c.done.Note = agents.Note(out)
	if f.Text.Raw() != c.want.raw || f.Text.Missing {
		changes, err := c.override(c.want, f.Text)
		if err == nil {
			err = c.verify(changes, c.want, f.Text)
		}
		if err == nil {
			c.done.OverrideArgs, err = c.with(changes)
		}
		if err != nil {
			c.fail(review.Errorf(review.StaleOriginal, "What the user accepted cannot be said with the tool %s (%v). Nothing was changed. "+
				"Propose it again in parts, or write the whole file.", shown(c.tool), err))
			return
		}
	}
	b.texts[c.file.Abs] = f.Text
}

// remember keeps what the person does not want to be asked again.
func (b *batch) remember(c *call, files []review.File, wish *review.Remember) {
	if wish == nil || !c.done.Approved {
		return
	}
	meant, scope := c.file.Abs == wish.Path && c.isWrite(), policy.Scope(wish.Scope)
	if !c.isWrite() {
		for _, f := range files {
			meant = meant || f.Abs == wish.Path && f.Path == c.title()
		}
		if scope != policy.ThisTool && c.file.Abs == "" {
			scope = policy.ThisCall
		}
	}
	if !meant {
		return
	}
	c.done.Remember = rememberSession
	if !wish.Always {
		return
	}
	if _, err := b.Guard.Memory.Remember(c.wish(), scope, true); err != nil {
		c.done.Note = strings.TrimPrefix(c.done.Note+"\nThe approval could not be remembered: "+err.Error(), "\n")
		return
	}
	c.done.Remember = rememberAlways
}
