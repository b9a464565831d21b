package tools

import (
	"context"
	"encoding/json"
	"strings"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

var editFile = &tool{
	name:  "edit_file",
	title: "Edit a file",
	description: "Use this to edit a file: write `new_string` in the place of `old_string`. The user reviews the diff in Neovim and accepts or " +
		"rejects each hunk; accepted hunks are applied. Waits until the user has decided, which can take long. " +
		"`old_string` must occur exactly once in the file, unless `replace_all` is true; unsaved changes in the user's editor " +
		"count. To create a file use write_file. A rejection is the user's decision and final.",
	params: []param{
		{name: "path", kind: kindPath, description: "The file: absolute, or relative to the project's root."},
		{name: "old_string", kind: kindText, description: "The text to replace, exactly as it is in the file, white space included."},
		{name: "new_string", kind: kindText, description: "The text in its place; empty to delete. Nothing is un-escaped."},
		{name: "replace_all", kind: kindBool, optional: true, description: "Replace every occurrence. Default: false."},
		{name: "description", kind: kindText, optional: true, description: "Why, in a sentence or two: the user sees it above the diff."},
	},
	output: editedSchema,
	run: func(ctx context.Context, s *Server, c *Call) (Result, error) {
		args := &c.Arguments
		r := replacement{all: args.bool("replace_all"), old: args.text("old_string"), new: args.text("new_string")}
		if r.old == "" {
			return Result{}, review.Errorf(review.InvalidArgs,
				`"old_string" is empty. Nothing was changed. To create a file or to replace all of one, use write_file.`)
		}
		o, err := s.review(ctx, c, args.text("description"), edit{path: args.text("path"), draft: r.draft})
		if err != nil {
			return Result{}, err
		}
		return r.answer(o)
	},
}

// edited is the structure of edit_file's answer.
type edited struct {
	reviewed
	ReplacementsMade int `json:"replacements_made"`
	LinesChanged     int `json:"lines_changed"`
}

var editedSchema = withProperties(reviewedSchema, map[string]string{
	"replacements_made": `{"type": "integer", "description": "How many occurrences were replaced in the hunks that are applied."}`,
	"lines_changed":     `{"type": "integer", "description": "How many lines the applied hunks changed, added or removed."}`,
}, "replacements_made", "lines_changed")

// withProperties adds required properties to a JSON schema of an object.
func withProperties(schema string, properties map[string]string, order ...string) string {
	required := string(mustJSON(order))
	var added strings.Builder
	for _, name := range order {
		added.WriteString(string(mustJSON(name)) + ": " + properties[name] + ",\n    ")
	}
	schema = strings.Replace(schema, `"properties": {`, `"properties": {`+"\n    "+strings.TrimSpace(added.String()), 1)
	end := strings.LastIndex(schema, `"required": [`) + len(`"required": [`)
	schema = schema[:end] + strings.Trim(required, "[]") + ", " + schema[end:]
	if !json.Valid([]byte(schema)) {
		panic("not a schema: " + schema)
	}
	return schema
}

// replacement is one text in the place of another.
type replacement struct {
	old, new string
	all      bool

	lines []int // on which the occurrences begin, counted from 0
	spans int   // how many lines each of them touches
}

// draft puts the new text into the file as the person sees it.
func (r *replacement) draft(t target, current hunks.Text) (*hunks.Patch, error) {
	if current.Missing {
		return nil, review.Errorf(review.ToolFailed, "%s does not exist. Nothing was changed. To create it use write_file.", shown(t.path))
	}
	from, to := current.InBody(r.old), current.InBody(r.new)
	body, lines, err := review.Replace(shown(t.path), current.Body, from, to, r.all)
	if err != nil {
		return nil, err
	}
	r.lines, r.spans = lines, hunks.CountLines(from)
	return placeText(t, current, current.Body, body)
}

// answer adds to the answer of the review what was replaced.
func (r *replacement) answer(o *review.Outcome) (Result, error) {
	result, err := answer(o)
	if err != nil {
		return result, err
	}
	e := edited{}
	e.reviewed, _ = result.Structure.(reviewed)
	e.ReplacementsMade, e.LinesChanged = r.made(&o.Files[0])
	result.Structure = e
	return result, nil
}

// made counts what was really replaced, and the lines that changed by it: a person may have divided the hunks.
func (r *replacement) made(f *review.FileOutcome) (replacements, lines int) {
	var changes []change
	for i := range f.Hunks {
		h := &f.Hunks[i]
		for _, b := range h.Blocks {
			changes = append(changes, change{b, h.InSource()})
			if h.InSource() {
				lines += max(len(b.Old), len(b.New))
			}
		}
	}
	for _, line := range r.lines {
		for len(changes) > 1 && changes[0].end() < line {
			changes = changes[1:]
		}
		if isReplaced(changes, line, line+r.spans-1) {
			replacements++
		}
	}
	return replacements, lines
}

// change is a block of an outcome.
type change struct {
	hunks.Block
	applied bool
}

// end is the last line that a change removes, or the one that it adds lines before.
func (c *change) end() int { return c.Line + max(len(c.Old)-1, 0) }

// isReplaced says whether all changes of a text in these lines are applied. They are in the order of the file, and none ends
// before. Where none is in the lines, which happens when equal ones follow each other, it is the next one.
func isReplaced(changes []change, first, last int) bool {
	if len(changes) == 0 {
		return false
	}
	replaced, found := true, false
	for _, c := range changes {
		if c.Line > last+1 || c.Line > last && len(c.Old) > 0 {
			break
		}
		if c.Line > first || len(c.Old) > 0 { // else it adds lines above
			replaced, found = replaced && c.applied, true
		}
	}
	if !found {
		return changes[0].applied
	}
	return replaced
}
