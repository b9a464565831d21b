package approve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"nvim-agent-diff/agents"
)

// node is a value in the input, and the way to it, as "requests[2].args.path".
type node struct {
	path string
	raw  json.RawMessage
}

// InputError is what is wrong with the input, and where.
type InputError struct{ Path, Problem string }

// Error is the place and the problem.
func (e *InputError) Error() string { return e.Path + ": " + e.Problem }

func (n node) fail(format string, args ...any) error {
	return &InputError{n.path, fmt.Sprintf(format, args...)}
}

// parse is the root of the input.
func parse(input []byte) (node, error) {
	root := node{path: "$", raw: input}
	if !utf8.Valid(input) {
		return root, root.fail("the input is not valid UTF-8")
	}
	var v json.RawMessage
	if err := json.Unmarshal(input, &v); err != nil {
		if at, ok := errors.AsType[*json.SyntaxError](err); ok {
			return root, root.fail("the input is no JSON: %v, at byte %d", err, at.Offset)
		}
		return root, root.fail("the input is no JSON: %v", err)
	}
	return root, nil
}

// isNull says whether the value is missing or null.
func (n node) isNull() bool {
	raw := bytes.TrimSpace(n.raw)
	return len(raw) == 0 || bytes.Equal(raw, []byte("null"))
}

// members is the value, an object, by its names.
func (n node) members() (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(n.raw, &m); err != nil || m == nil {
		return nil, n.fail("must be an object")
	}
	return m, nil
}

// list is the value, an array.
func (n node) list() ([]node, error) {
	var raws []json.RawMessage
	if err := json.Unmarshal(n.raw, &raws); err != nil || raws == nil {
		return nil, n.fail("must be an array")
	}
	list := make([]node, len(raws))
	for i, raw := range raws {
		list[i] = node{fmt.Sprintf("%s[%d]", n.path, i), raw}
	}
	return list, nil
}

// member is one of an object's values.
func (n node) member(of map[string]json.RawMessage, name string) node {
	path := n.path + "." + name
	if n.path == "$" {
		path = name
	}
	return node{path, of[name]}
}

// text is the value, a string. A lone surrogate is no character, and would be reviewed as another one.
func (n node) text() (string, error) {
	var s string
	if n.isNull() {
		return "", n.fail("is missing")
	}
	if json.Unmarshal(n.raw, &s) != nil {
		return "", n.fail("must be a string")
	}
	if agents.HasLoneSurrogate(n.raw) {
		return "", n.fail("holds a lone surrogate, which is no character")
	}
	return s, nil
}

// optional is text, or "" when it is missing.
func (n node) optional() (string, error) {
	if n.isNull() {
		return "", nil
	}
	return n.text()
}

// flag is the value, true or false; false when it is missing.
func (n node) flag() (bool, error) {
	var b bool
	if !n.isNull() && json.Unmarshal(n.raw, &b) != nil {
		return false, n.fail("must be true or false")
	}
	return b, nil
}
