package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"unicode/utf8"

	"nvim-agent-diff/review"
)

// fields are the members of a JSON object, each as it came: what we do not know is handed back as it was.
type fields map[string]json.RawMessage

// maxInput is how large a hook's input may be: two files of the largest size that is reviewed, as JSON.
const maxInput = 256 << 20

// readFields reads the one JSON object that a hook is given. A text in it that is no text is refused: a decoder would put
// U+FFFD in its place, and another text would be reviewed than the agent writes.
func readFields(r io.Reader) (fields, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	switch {
	case err != nil:
		return nil, badInput("cannot be read: %v", err)
	case len(raw) > maxInput:
		return nil, badInput("is larger than %d MiB", maxInput>>20)
	case len(bytes.TrimSpace(raw)) == 0:
		return nil, badInput("is empty")
	case !utf8.Valid(raw):
		return nil, badInput("is not valid UTF-8")
	}
	return parseFields(raw)
}

func parseFields(raw []byte) (fields, error) {
	var f fields
	err := json.Unmarshal(raw, &f)
	if is, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil, badInput("is no JSON object, but of the type %s", is.Value)
	}
	switch {
	case err != nil:
		return nil, badInput("is no JSON object: %v", err)
	case f == nil:
		return nil, badInput("is null, not an object")
	case HasLoneSurrogate(raw):
		return nil, badInput("holds a lone surrogate, which is no character")
	}
	return f, nil
}

// badInput is the error of an input that is not what the agent's documentation says.
func badInput(format string, args ...any) error {
	return review.Errorf(review.InvalidArgs, "The hook's input %s. Nothing was changed.", fmt.Sprintf(format, args...))
}

// HasLoneSurrogate says whether there is half of a surrogate pair among the escapes of a valid JSON text: no character, for
// which a decoder would put U+FFFD.
func HasLoneSurrogate(raw []byte) bool {
	high := false // the escape right before was the first half of a pair
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			if high {
				return true
			}
			continue
		}
		i++
		if raw[i] != 'u' {
			if high {
				return true
			}
			continue
		}
		unit, err := strconv.ParseUint(string(raw[i+1:i+5]), 16, 16)
		if err != nil {
			return true
		}
		i += 4
		isLow := 0xdc00 <= unit && unit < 0xe000
		if isLow != high {
			return true
		}
		high = 0xd800 <= unit && unit < 0xdc00
	}
	return high
}

// has says whether there is a member of that name that is not null.
func (f fields) has(name string) bool {
	raw, ok := f[name]
	return ok && string(raw) != "null"
}

// text is a member that must be a string.
func (f fields) text(name string) (string, error) {
	if !f.has(name) {
		return "", badInput("lacks %q", name)
	}
	return f.optional(name)
}

// optional is a member that is a string if it is there.
func (f fields) optional(name string) (string, error) {
	var s string
	if f.has(name) && json.Unmarshal(f[name], &s) != nil {
		return "", badInput("has a %q that is no string", name)
	}
	return s, nil
}

// flag is a member that is true or false; false if it is not there. Models write it as a string at times, and the agents
// take that.
func (f fields) flag(name string) (bool, error) {
	if !f.has(name) {
		return false, nil
	}
	var b bool
	if json.Unmarshal(f[name], &b) == nil {
		return b, nil
	}
	switch s, _ := f.optional(name); s {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, badInput("has a %q that is neither true nor false", name)
}

// object is a member that must be an object.
func (f fields) object(name string) (fields, error) {
	var o fields
	if !f.has(name) || json.Unmarshal(f[name], &o) != nil {
		return nil, badInput("lacks the object %q", name)
	}
	return o, nil
}

// list is a member that must be a list of objects.
func (f fields) list(name string) ([]fields, error) {
	var list []fields
	if !f.has(name) || json.Unmarshal(f[name], &list) != nil {
		return nil, badInput("lacks the list %q", name)
	}
	for _, o := range list {
		if o == nil {
			return nil, badInput("has a null in %q", name)
		}
	}
	return list, nil
}

// with are the same members but for some.
func (f fields) with(changes map[string]any) fields {
	out := maps.Clone(f)
	for name, value := range changes {
		out[name] = toJSON(value)
	}
	return out
}

// toJSON is a value of ours as JSON. Characters of HTML are none that matter here.
func toJSON(v any) json.RawMessage {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // it has strings, numbers and what came as JSON
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
