package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"nvim-agent-diff/policy"
	"nvim-agent-diff/review"
)

// Arguments are a call's arguments by name, decoded but not yet checked.
type Arguments struct {
	values map[string]argument
	size   int
	fault  string // why the arguments as a whole cannot be used, a sentence
}

// argument is a value as the agent gave it: a text, or other JSON.
type argument struct {
	text  string
	raw   json.RawMessage // nil for a text
	fault fault           // why the text is none; it is then empty
}

// TextArguments are arguments that do not come from JSON. Their texts are checked like those that do.
func TextArguments(texts map[string]string) Arguments {
	args := Arguments{values: make(map[string]argument, len(texts))}
	for name, text := range texts {
		a := argument{text: text}
		if !utf8.ValidString(text) {
			a = argument{fault: invalidUTF8}
		}
		args.values[name] = a
	}
	return args
}

// parseArguments decodes arguments that come as JSON.
func parseArguments(raw []byte) Arguments {
	args := Arguments{}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return args
	}
	p := parser{lines: newLineReader(bytes.NewReader(bytes.ReplaceAll(raw, []byte{'\n'}, []byte{' '})))}
	if p.lines.peek() != '{' || !p.arguments(&args) {
		args.fault = "The arguments must be a JSON object."
	}
	return args
}

// arguments takes the object that is next.
func (p *parser) arguments(args *Arguments) bool {
	args.values = map[string]argument{}
	names := bounded{} // nobody needs a copy of them
	return p.object(&names, func(name string) bool {
		a, ok := p.argument()
		if !ok {
			return false
		}
		args.size += len(name) + len(a.text) + len(a.raw)
		switch {
		case args.size > maxCall || len(args.values) == maxArgs:
			args.fault = fmt.Sprintf("The arguments are more than %d, or larger than %d MiB in all.", maxArgs, maxCall>>20)
			clear(args.values)
		case args.fault == "":
			args.values[name] = a
		}
		return true
	})
}

func (p *parser) argument() (a argument, ok bool) {
	if p.lines.peek() == '"' {
		a.text, a.fault, ok = p.jsonText(maxText)
		return a, ok
	}
	raw := bounded{limit: maxText}
	if !p.value(&raw) {
		return a, false
	}
	if raw.over {
		return argument{raw: json.RawMessage("null"), fault: tooLarge}, true
	}
	a.raw = raw.bytes
	return a, json.Valid(a.raw)
}

// kind is what an argument must be.
type kind int

const (
	kindText kind = iota // any text
	kindPath             // a text that can be a file's name
	kindBool             // true or false; some models write it as a text
	kindInt              // a whole number; some models write it as a text
)

// schemaTypes are the kinds in the words of JSON schema.
var schemaTypes = map[kind]string{kindText: "string", kindPath: "string", kindBool: "boolean", kindInt: "integer"}

// param is an argument that a tool takes. The schema that agents see and the check of what they send both come from it.
type param struct {
	name        string
	kind        kind
	description string
	optional    bool
}

// check says what is wrong with the arguments, the first of it in the order of the params.
func (a *Arguments) check(params []param) error {
	if a.fault != "" {
		return review.Errorf(review.InvalidArgs, "%s Nothing was changed.", a.fault)
	}
	for i := range params {
		p := &params[i]
		v, given := a.values[p.name]
		if p.optional && (!given || string(v.raw) == "null") {
			continue
		}
		if problem := p.problem(v, given); problem != "" {
			return review.Errorf(review.InvalidArgs, "%q %s. Nothing was changed.", p.name, problem)
		}
	}
	return nil
}

// problem says what is wrong with a value, as the rest of a sentence; "" when nothing is.
func (p *param) problem(v argument, given bool) string {
	switch {
	case !given:
		return "is missing"
	case v.fault != "":
		return string(v.fault)
	case p.kind == kindBool:
		if _, err := strconv.ParseBool(v.plain()); err != nil {
			return "must be true or false"
		}
		return ""
	case p.kind == kindInt:
		if _, err := strconv.Atoi(v.plain()); err != nil {
			return "must be a whole number"
		}
		return ""
	case v.raw != nil:
		return "must be a string, not " + jsonType(v.raw)
	case p.kind == kindPath && v.text == "":
		return "is empty"
	case strings.IndexByte(v.text, 0) >= 0:
		return "holds a NUL character"
	case strings.Count(v.text, "\n") > maxTextLines:
		return fmt.Sprintf("has more than %d lines", maxTextLines)
	}
	return ""
}

// plain is the value as it was written, a text without its quotes.
func (v argument) plain() string {
	if v.raw != nil {
		return string(v.raw)
	}
	return v.text
}

// jsonType names what a JSON value is.
func jsonType(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// given says whether there is an argument of that name, other than null.
func (a *Arguments) given(name string) bool {
	v, given := a.values[name]
	return given && string(v.raw) != "null"
}

// bool is the named truth value, false when it was not given.
func (a *Arguments) bool(name string) bool {
	truth, _ := strconv.ParseBool(a.values[name].plain())
	return truth
}

// int is the named number, or what it is when it was not given.
func (a *Arguments) int(name string, otherwise int) int {
	if n, err := strconv.Atoi(a.values[name].plain()); err == nil {
		return n
	}
	return otherwise
}

// text is the named text, "" when it was not given. It is taken: the arguments hold it no longer, because a review may
// last for hours and a text be as large as a file.
func (a *Arguments) text(name string) string {
	text := a.values[name].text
	delete(a.values, name)
	return text
}

// key identifies a call of a tool with these arguments, see policy.Key. It is asked for before a text is taken, and made when
// it is needed.
func (a *Arguments) key(tool string) func() string {
	values := maps.Clone(a.values)
	return sync.OnceValue(func() string {
		plain := make(map[string]any, len(values))
		for name, v := range values {
			if v.raw == nil {
				plain[name] = v.text
				continue
			}
			var value any
			if err := json.Unmarshal(v.raw, &value); err != nil {
				return ""
			}
			plain[name] = value // with its own keys sorted too
		}
		key, err := policy.Key(tool, plain)
		if err != nil {
			return ""
		}
		return key
	})
}
