package agents

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// patchTool is a tool that takes a patch in Codex's syntax (*** Begin Patch), by the name of its argument.
type patchTool struct{ patch string }

// patching is a call of such a tool.
type patching struct {
	tool *patchTool
	list []hunks.FilePatch
}

func (t *patchTool) read(input fields) (changes, error) {
	text, err := input.text(t.patch)
	if err != nil {
		return nil, err
	}
	c := &patching{tool: t}
	if c.list, err = hunks.ParsePatch(text); err != nil {
		return nil, badInput("has a patch that cannot be read. %s", strings.TrimSuffix(err.Error(), "."))
	}
	return c, nil
}

func (c *patching) files() []change {
	var all []change
	for _, f := range c.list {
		ch := change{path: f.Name(), wants: func(disk hunks.Text) (*wanted, error) { return wantPatch(f, disk) }}
		if f.Kind == hunks.Rename {
			ch.path, ch.newPath = f.OldName, f.NewName
		}
		all = append(all, ch)
	}
	return all
}

// wantPatch is what a patch wants of one file. That is what Codex makes of it where that is certain; else what it can mean,
// and Codex gets a patch that says so.
func wantPatch(f hunks.FilePatch, disk hunks.Text) (*wanted, error) {
	p, err := f.Draft(disk)
	applied, certain := "", false
	if f.Kind == hunks.Modify || f.Kind == hunks.Rename {
		applied, certain = codexApply(disk.Body, f.Hunks)
		certain = certain && !f.Merged // Codex begins anew for each place, with what the one before has written
	}
	if errors.Is(err, hunks.ErrNothing) {
		if !certain {
			return nil, review.Errorf(review.NothingToChange, "%s already holds this text. Nothing was changed.", shown(f.Name()))
		}
		p = hunks.Diff(disk, disk.Body)
	}
	if stale, ok := errors.AsType[*hunks.StaleError](err); ok {
		err = review.Errorf(review.StaleOriginal, "In %s: %s Nothing was changed. Read it again.", shown(f.Name()), stale)
	}
	if p == nil {
		return nil, err
	}
	w := &wanted{patch: p, newline: f.Kind != hunks.Delete, gone: f.Kind == hunks.Delete}
	bare := disk.Body != "" && !strings.HasSuffix(disk.Body, "\n")
	w.unsure = !certain && (f.Kind == hunks.Modify || f.Kind == hunks.Rename)
	if certain {
		if bare {
			applied = strings.TrimSuffix(applied, "\n")
		}
		w.patch, err = hunks.Diff(disk, applied), nil
		w.patch.Whole = p.Whole
	}
	body := w.patch.Modified
	if w.newline {
		body = ended(body)
	}
	w.raw = disk.With(body).Raw()
	if bare && w.newline {
		w.warn("The file does not end in a newline: the agent's tool adds one.")
	}
	if w.newline && strings.Contains(disk.Raw(), "\r\n") {
		w.warn("The file has lines that end in CRLF: the agent's tool may write LF in those near its changes, although the diff " +
			"does not show it.")
	}
	return w, err
}

// ended is a body whose last line, if it has any, ends in a newline.
func ended(body string) string {
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	return body
}

func (c *patching) rewrite(input fields, texts []written) (fields, error) {
	var b strings.Builder
	b.WriteString("*** Begin Patch\n")
	for i, f := range c.list {
		t := texts[i]
		switch {
		case !t.accepted:
		case t.text.Missing:
			fmt.Fprintf(&b, "*** Delete File: %s\n", f.OldName)
		case t.disk.Body == "" && !t.moved:
			fmt.Fprintf(&b, "*** Add File: %s\n", f.Name())
			for line := range strings.Lines(ended(t.text.Body)) {
				b.WriteString("+" + line)
			}
		default:
			b.WriteString("*** Update File: " + f.OldName + "\n")
			if t.moved {
				b.WriteString("*** Move to: " + f.NewName + "\n")
			}
			update, err := codexUpdate(ended(t.disk.Body), ended(t.text.Body))
			if err != nil {
				return nil, err
			}
			b.WriteString(update)
		}
	}
	b.WriteString("*** End Patch")
	return input.with(map[string]any{c.tool.patch: b.String()}), nil
}

// codexUpdate are the hunks that make one text of another. Codex takes the first place where a hunk's lines are: with enough
// context, in the end the whole file, that is the right one.
func codexUpdate(from, to string) (string, error) {
	for context := 3; ; context *= 4 {
		var b strings.Builder
		p := hunks.DiffContext(hunks.Text{Body: from}, to, context)
		for _, h := range p.Hunks {
			b.WriteString("@@\n")
			for _, l := range h.Fragment.Lines {
				mark := " "
				switch {
				case !l.New():
					mark = "-"
				case !l.Old():
					mark = "+"
				}
				b.WriteString(mark + l.Line)
			}
		}
		if first, _, ok := strings.Cut(from, "\n"); ok && from == to {
			b.WriteString("@@\n " + first + "\n") // a file that is only moved: Codex wants a hunk
		}
		list, err := hunks.ParsePatch("*** Begin Patch\n*** Update File: f\n" + b.String() + "*** End Patch\n")
		if err == nil && len(list) == 1 {
			if got, ok := codexApply(from, list[0].Hunks); ok && got == to {
				return b.String(), nil
			}
		}
		if context > hunks.CountLines(from) {
			return "", errors.New("there is no patch that does it")
		}
	}
}

// codexApply is what Codex makes of a text: each hunk's lines are looked for behind the hunk before, and replaced where they
// are first. ok is false where it would have to guess.
func codexApply(body string, list []hunks.RawHunk) (applied string, ok bool) {
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	if body == "" {
		lines = nil
	}
	var out []string
	at, done := 0, 0 // where it looks, and up to where out is made
	for _, h := range list {
		for _, anchor := range h.Anchors {
			i := seekAnchor(lines, anchor, at)
			if i < 0 {
				return "", false
			}
			at = i + 1
		}
		var old, added []string
		for _, l := range h.Lines {
			bare := strings.TrimSuffix(l.Line, "\n")
			if l.Old() {
				old = append(old, bare)
			}
			if l.New() {
				added = append(added, bare)
			}
		}
		from := at
		if h.AtEnd {
			from = max(at, len(lines)-len(old))
		}
		i := len(lines) // lines that replace none go to the end
		if len(old) > 0 {
			i = seek(lines, old, from)
		}
		if i < done {
			return "", false
		}
		out = append(append(out, lines[done:i]...), added...)
		at, done = i+len(old), i+len(old)
	}
	out = append(out, lines[done:]...)
	return strings.Join(out, "\n") + "\n", len(out) > 0
}

// seek is where lines are first, from a line on; -1 where they are not.
func seek(lines, wanted []string, from int) int {
	for i := from; i+len(wanted) <= len(lines); i++ {
		if slices.Equal(lines[i:i+len(wanted)], wanted) {
			return i
		}
	}
	return -1
}

// seekAnchor is where a line is that Codex may also find without its indentation.
func seekAnchor(lines []string, anchor string, from int) int {
	if i := seek(lines, []string{anchor}, from); i >= 0 {
		return i
	}
	for i := from; i < len(lines); i++ {
		if strings.TrimSpace(lines[i]) == strings.TrimSpace(anchor) {
			return i
		}
	}
	return -1
}
