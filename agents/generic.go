package agents

import "nvim-agent-diff/review"

// generic is our own form, for agents that have none of the others. It is documented in docs/gates.md.
type generic struct{}

func (generic) read(input fields) (*call, error) {
	c := &call{input: input, tool: "edit"}
	event, err := input.text("event")
	switch {
	case err != nil:
		return c, err
	case event != "before" && event != "after":
		return c, badInput(`has the event %s, which is neither "before" nor "after"`, shown(event))
	}
	c.after = event == "after"
	for name, to := range map[string]*string{"agent": &c.who, "cwd": &c.dir, "description": &c.why} {
		if *to, err = input.optional(name); err != nil {
			return c, err
		}
	}
	return c, nil
}

// genericEdits are the edits of one call, each of another file.
type genericEdits []changes

var (
	genericReplace = &editTool{path: "path", old: "old_string", new: "new_string", all: "replace_all"}
	genericWrite   = &writeTool{path: "path", content: "content"}
)

func (generic) changes(_ string, input fields) (changes, error) {
	list, err := input.list("edits")
	if err != nil {
		return nil, err
	}
	var all genericEdits
	seen := map[string]bool{}
	for _, f := range list {
		read := genericReplace.read
		if f.has("content") && (f.has("old_string") || f.has("new_string")) {
			return nil, badInput(`has both "content" and "old_string" or "new_string" in one edit`)
		}
		if f.has("content") {
			read = genericWrite.read
		}
		ch, err := read(f)
		if err != nil {
			return nil, err
		}
		path := ch.files()[0].path
		if seen[path] {
			return nil, review.Errorf(review.InvalidArgs, `"edits" has %s twice: make one edit of it. Nothing was changed.`, shown(path))
		}
		seen[path] = true
		all = append(all, ch)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}

func (g genericEdits) files() []change {
	var all []change
	for _, ch := range g {
		all = append(all, ch.files()...)
	}
	return all
}

func (g genericEdits) rewrite(input fields, texts []written) (fields, error) {
	edits, err := input.list("edits")
	if err != nil {
		return nil, err
	}
	var rest []fields
	for i, ch := range g {
		if !texts[i].accepted {
			continue
		}
		f, err := ch.rewrite(edits[i], texts[i:i+1])
		if err != nil {
			return nil, err
		}
		rest = append(rest, f)
	}
	return input.with(map[string]any{"edits": rest}), nil
}

func (generic) cannotAsk() bool { return false }

func (generic) reply(_ *call, a answer) []byte {
	if a.input == nil {
		return plainReply(a, "", nil)
	}
	return plainReply(a, "edits", a.input["edits"])
}
