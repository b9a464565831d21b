package agents

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// changes are what a call of an agent's tool does to files.
type changes interface {
	// files are what it does to each; at least one.
	files() []change
	// rewrite is the tool's input with which exactly these texts are written, one for each of files().
	rewrite(input fields, texts []written) (fields, error)
}

// change is what a call does to one file.
type change struct {
	path    string // as the agent gave it
	newPath string // where it is moved to, or ""
	written bool   // the whole file is written, whatever it held
	// wants is what the tool would write, given what is on the disk. A wish that has no place there may come with its error.
	wants func(disk hunks.Text) (*wanted, error)
}

// wanted is what an agent's tool would write when it is let go on as it is.
type wanted struct {
	patch *hunks.Patch
	raw   string // the file's bytes, or those of the part that the patch is of
	// unsure: it may do something else with this input. It is then given another one that says exactly the same.
	unsure bool
	// newline: the tool ends every file with one.
	newline bool
	// gone: there is no file afterwards.
	gone bool
}

// isNothing says whether there is nothing to decide on.
func (w *wanted) isNothing() bool { return len(w.patch.Hunks) == 0 && len(w.patch.Whole) == 0 }

// warn tells the person something above the hunks.
func (w *wanted) warn(text string) { w.patch.Warnings = append(w.patch.Warnings, text) }

// holds says whether a text that was decided on is what the tool would write.
func (w *wanted) holds(text hunks.Text) bool {
	if text.Missing != w.gone {
		return false
	}
	raw := text.Raw()
	if w.newline && text.Body != "" && !strings.HasSuffix(text.Body, "\n") {
		raw = text.With(text.Body + "\n").Raw()
	}
	return raw == w.raw
}

// written is what became of one file.
type written struct {
	accepted bool
	moved    bool
	disk     hunks.Text // what the file held
	base     hunks.Text // the patch's; the same, but for parts of a file
	text     hunks.Text // what shall be written
}

// wantText is a tool's wish for a file, or a part of one, to hold these bytes.
func wantText(current hunks.Text, raw string) *wanted {
	w := &wanted{patch: hunks.Diff(current, bodyOf(current, raw)), raw: raw}
	if current.Missing && raw == "" {
		if p, err := hunks.Place(current, "", ""); err == nil {
			w.patch = p // to make it is all that there is to decide on
		}
	}
	return w
}

// bodyOf is what bytes say in a file that ends its lines as current does, and has or has not a byte order mark.
func bodyOf(current hunks.Text, raw string) string {
	if current.BOM {
		raw = strings.TrimPrefix(raw, "\uFEFF")
	}
	return current.InBody(raw)
}

// isMixed says whether some lines of a file end in CRLF, and others in LF.
func isMixed(t hunks.Text) bool { return !t.CRLF && strings.Contains(t.Body, "\r\n") }

// mixedWarning is what a person must know before an agent's tool writes such a file.
const mixedWarning = "The file has lines that end in CRLF and lines that end in LF: the agent's tool may make them all the same, " +
	"although the diff does not show it."

// asError is the error as an agent is told it.
func asError(err error) *review.Error {
	if e, ok := errors.AsType[*review.Error](err); ok {
		return e
	}
	return review.Errorf(review.ToolFailed, "%v. Nothing was changed.", err)
}

// replacement is one text in the place of another.
type replacement struct {
	old, new string
	all      bool
}

// editTool is an agent's tool that writes one text in the place of another, by the names of its arguments.
type editTool struct {
	path, old, new, all string
	edits               string // the list of edits, where there are several; "" where the arguments are one
	// takesNewline: where the new text is empty, the line end behind the old text goes too.
	takesNewline bool
	// keepsNewline: the file ends in a newline afterwards if it did before.
	keepsNewline bool
}

// replacing is a call of such a tool.
type replacing struct {
	tool *editTool
	path string
	list []replacement
}

// read reads the tool's arguments.
func (t *editTool) read(input fields) (changes, error) {
	c := &replacing{tool: t}
	var err error
	if c.path, err = input.text(t.path); err != nil {
		return nil, err
	}
	list := []fields{input}
	if t.edits != "" {
		if list, err = input.list(t.edits); err != nil {
			return nil, err
		}
	}
	for _, f := range list {
		var r replacement
		var errs [3]error
		r.old, errs[0] = f.text(t.old)
		r.new, errs[1] = f.text(t.new)
		r.all, errs[2] = f.flag(t.all)
		if err := errors.Join(errs[:]...); err != nil {
			return nil, asError(err)
		}
		c.list = append(c.list, r)
	}
	if len(c.list) == 0 {
		return nil, badInput("has no edit in %q", t.edits)
	}
	return c, nil
}

func (c *replacing) files() []change { return []change{{path: c.path, wants: c.wants}} }

func (c *replacing) wants(disk hunks.Text) (*wanted, error) {
	body, unsure := disk.Body, false
	for _, r := range c.list {
		r.old, r.new = disk.InBody(r.old), disk.InBody(r.new)
		if err := c.check(disk, body, r); err != nil {
			return nil, err
		}
		after := c.tool.replace(body, r)
		unsure = unsure || after != plainReplace(body, r)
		body = after
	}
	if c.tool.keepsNewline && disk.Body != "" {
		switch bare, ended := strings.CutSuffix(body, "\n"); {
		case strings.HasSuffix(disk.Body, "\n") && !ended:
			body += "\n"
		case !strings.HasSuffix(disk.Body, "\n"):
			body = bare
		}
	}
	w := wantText(disk, disk.With(body).Raw())
	w.unsure = unsure
	if isMixed(disk) {
		w.warn(mixedWarning)
	}
	return w, nil
}

// check makes sure that it is clear what the replacement replaces: the agents would also match loosely, and nobody would
// have reviewed the result.
func (c *replacing) check(disk hunks.Text, body string, r replacement) error {
	path := shown(c.path)
	switch first := strings.Index(body, r.old); {
	case r.old == "" && body != "":
		return review.Errorf(review.EditNotUnique, "%s is empty, but %s is not. Nothing was changed. Read it again.", c.tool.old, path)
	case r.old == "":
		return nil
	case disk.Missing:
		return review.Errorf(review.EditNotFound, "%s does not exist. Nothing was changed.", path)
	case first < 0:
		return review.Errorf(review.EditNotFound, "%s does not match %s exactly. Nothing was changed. Read it again.", c.tool.old, path)
	case first != strings.LastIndex(body, r.old) && !r.all:
		return review.Errorf(review.EditNotUnique, "%s occurs %d times in %s. Nothing was changed. Read it again and give more of the "+
			"text around it, or set %s.", c.tool.old, max(2, strings.Count(body, r.old)), path, c.tool.all)
	case len(body)+strings.Count(body, r.old)*(len(r.new)-len(r.old)) > review.MaxFile:
		// Without it there would be no memory left, and a hook that is killed blocks nothing.
		return review.Errorf(review.PathNotWritable, "%s would be larger than %d MiB. Nothing was changed.", path, review.MaxFile>>20)
	}
	return nil
}

func plainReplace(body string, r replacement) string {
	switch {
	case r.old == "":
		return r.new
	case r.all:
		return strings.ReplaceAll(body, r.old, r.new)
	}
	return strings.Replace(body, r.old, r.new, 1)
}

// replace is what the tool does, which is not always what is plain.
func (t *editTool) replace(body string, r replacement) string {
	if t.takesNewline && r.new == "" && r.old != "" && !strings.HasSuffix(r.old, "\n") && strings.Contains(body, r.old+"\n") {
		r.old += "\n"
	}
	return plainReplace(body, r)
}

func (c *replacing) rewrite(input fields, texts []written) (fields, error) {
	old, added := Span(texts[0].base.Body, texts[0].text.Body)
	edit := map[string]any{c.tool.old: old, c.tool.new: added, c.tool.all: false}
	if c.tool.edits == "" {
		return input.with(edit), nil
	}
	edits, err := input.list(c.tool.edits)
	if err != nil {
		return nil, err
	}
	return input.with(map[string]any{c.tool.edits: []fields{edits[0].with(edit)}}), nil
}

// Span is the smallest run of whole lines that differs, made larger until what is replaced occurs once. Of an empty base
// it is empty.
func Span(base, text string) (old, added string) {
	a, b := strings.SplitAfter(base, "\n"), strings.SplitAfter(text, "\n")
	first, last := 0, 0 // lines that are the same at the beginning and at the end
	for first < len(a) && first < len(b) && a[first] == b[first] {
		first++
	}
	for last < len(a)-first && last < len(b)-first && a[len(a)-1-last] == b[len(b)-1-last] {
		last++
	}
	// What contains a text that occurs once does so too: so the number of lines to add on each side can be searched for.
	with := func(more int) string { return strings.Join(a[max(0, first-more):len(a)-max(0, last-more)], "") }
	more := sort.Search(max(first, last), func(more int) bool {
		old := with(more)
		return old != "" && strings.Index(base, old) == strings.LastIndex(base, old)
	})
	return with(more), strings.Join(b[max(0, first-more):len(b)-max(0, last-more)], "")
}

// writeTool is an agent's tool that writes a whole file.
type writeTool struct {
	path, content string
	// keepsCRLF: a file that has CRLF gets it in every line.
	keepsCRLF bool
}

// writing is a call of such a tool.
type writing struct {
	tool          *writeTool
	path, content string
}

func (t *writeTool) read(input fields) (changes, error) {
	path, err := input.text(t.path)
	if err != nil {
		return nil, err
	}
	content, err := input.text(t.content)
	if err != nil {
		return nil, err
	}
	return &writing{t, path, content}, nil
}

func (c *writing) files() []change { return []change{{path: c.path, written: true, wants: c.wants}} }

func (c *writing) wants(disk hunks.Text) (*wanted, error) {
	raw := c.content
	if c.tool.keepsCRLF && strings.Contains(disk.Raw(), "\r\n") {
		raw = strings.ReplaceAll(strings.ReplaceAll(raw, "\r\n", "\n"), "\n", "\r\n")
	}
	w := wantText(disk, raw)
	if disk.Body != "" {
		w.warn(fmt.Sprintf("This will overwrite existing file (was %d lines, now %d lines)", hunks.CountLines(disk.Body), hunks.CountLines(raw)))
	}
	return w, nil
}

func (c *writing) rewrite(input fields, texts []written) (fields, error) {
	return input.with(map[string]any{c.tool.content: texts[0].text.Raw()}), nil
}
