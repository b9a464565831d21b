package approve

import (
	"encoding/json"
	"maps"
	"strings"
)

// request is one call that waits for an approval.
type request struct {
	id, tool string
	at       node
	args     map[string]json.RawMessage
	summary  string
	typ      string // the payload's type, "" for none
	path     string // of the file; "" when it is about none that we know
	sandbox  string
	why      string // the payload's description, or the argument of that name

	content        string // of a write
	old, new       string // of an edit
	all            bool
	contentArg     string // the argument that holds content; "" when none does
	oldArg, newArg string
	allArg         string // the argument that holds all; "" when none does
	metadata       map[string]json.RawMessage
}

// The types of payloads that we know.
const (
	typeWrite = "write"
	typeEdit  = "edit"
	typeRead  = "read"
)

// knownTools are the types of calls that come without a payload, by the tools' names.
var knownTools = map[string]string{"write_file": typeWrite, "edit_file": typeEdit, "read_file": typeRead}

// parseRequests reads {"requests": [...]}. The error is an *InputError.
func parseRequests(input []byte) ([]*request, error) {
	root, err := parse(input)
	if err != nil {
		return nil, err
	}
	members, err := root.members()
	if err != nil {
		return nil, err
	}
	at := root.member(members, "requests")
	if at.isNull() {
		return nil, at.fail("is missing")
	}
	list, err := at.list()
	if err != nil {
		return nil, err
	}
	seen := map[string]string{}
	var all []*request
	for _, n := range list {
		r, err := parseRequest(n)
		if err != nil {
			return nil, err
		}
		if first, twice := seen[r.id]; twice {
			return nil, n.fail("has the tool_call_id of %s", first)
		}
		seen[r.id] = n.path
		all = append(all, r)
	}
	return all, nil
}

func parseRequest(n node) (*request, error) {
	members, err := n.members()
	if err != nil {
		return nil, err
	}
	r := &request{at: n}
	if r.id, err = n.member(members, "tool_call_id").text(); err != nil {
		return nil, err
	}
	if r.tool, err = n.member(members, "tool_name").text(); err != nil {
		return nil, err
	}
	if r.summary, err = n.member(members, "summary").optional(); err != nil {
		return nil, err
	}
	args, err := r.parseArgs(n.member(members, "args"))
	if err != nil {
		return nil, err
	}
	payload, err := r.findPayload(n.member(members, "metadata"))
	if err != nil {
		return nil, err
	}
	return r, r.take(args, payload)
}

// parseArgs reads the arguments: an object, or a string that holds one, as models write it.
func (r *request) parseArgs(n node) (node, error) {
	if n.isNull() {
		n.raw = json.RawMessage("{}")
	}
	if text, err := n.text(); err == nil {
		inner, err := parse([]byte(text))
		if err != nil {
			return n, n.fail("is a string that holds no JSON object")
		}
		n.raw = inner.raw
	}
	var err error
	r.args, err = n.members()
	return n, err
}

// findPayload is the metadata's payload: its member of that name, or itself when it has a type.
func (r *request) findPayload(n node) (payload node, err error) {
	if n.isNull() {
		return node{}, nil
	}
	if r.metadata, err = n.members(); err != nil {
		return node{}, err
	}
	payload = n
	if p := n.member(r.metadata, "payload"); !p.isNull() {
		payload = p
	} else if n.member(r.metadata, "type").isNull() {
		return node{}, nil
	}
	members, err := payload.members()
	if err != nil {
		return node{}, err
	}
	r.typ, err = payload.member(members, "type").text()
	return payload, err
}

// take reads what the call is about. The arguments count, because they are what is executed; the payload says what they
// are, and what they do not.
func (r *request) take(args, payload node) error {
	if r.typ == "" {
		r.typ = knownTools[r.tool]
	}
	of := source{args: args, argMembers: r.args, payload: payload}
	if payload.raw != nil {
		var err error
		if of.payloadMembers, err = payload.members(); err != nil {
			return err
		}
	}
	var err error
	text := func(name string, into *string) (arg string) {
		if err == nil {
			*into, arg, err = of.text(name)
		}
		return arg
	}
	optional := func(name string, into *string) {
		if err == nil && of.has(name) {
			*into, _, err = of.text(name)
		}
	}
	optional("description", &r.why)
	switch r.typ {
	case typeWrite:
		text("path", &r.path)
		r.contentArg = text("content", &r.content)
	case typeEdit:
		text("path", &r.path)
		r.oldArg = text("old_string", &r.old)
		r.newArg = text("new_string", &r.new)
		if err == nil {
			r.all, r.allArg, err = of.flag("replace_all")
		}
		if err == nil && r.old == "" {
			err = of.node("old_string").fail("is empty")
		}
	case typeRead:
		text("path", &r.path)
	default:
		return err
	}
	optional("sandbox", &r.sandbox)
	if err == nil && strings.ContainsRune(r.path, 0) {
		err = of.node("path").fail("holds a NUL")
	}
	return err
}

// source is where the facts of a call are: in its arguments, else in its payload.
type source struct {
	args, payload              node
	argMembers, payloadMembers map[string]json.RawMessage
}

func (s source) inArgs(name string) bool { return !s.args.member(s.argMembers, name).isNull() }

func (s source) has(name string) bool {
	return s.inArgs(name) || s.payloadMembers != nil && !s.payload.member(s.payloadMembers, name).isNull()
}

// node is where a fact is, or should be.
func (s source) node(name string) node {
	if s.inArgs(name) || s.payloadMembers == nil {
		return s.args.member(s.argMembers, name)
	}
	return s.payload.member(s.payloadMembers, name)
}

// text is a fact, and the argument that it is in. Where the payload says it, that is the one argument that says the same,
// under a name that we do not know.
func (s source) text(name string) (text, arg string, err error) {
	text, err = s.node(name).text()
	if err != nil || s.inArgs(name) {
		return text, name, err
	}
	for other := range maps.Keys(s.argMembers) {
		said, err := s.args.member(s.argMembers, other).text()
		if err != nil || said != text {
			continue
		}
		if arg != "" {
			return text, "", nil // which one cannot be told
		}
		arg = other
	}
	return text, arg, nil
}

// flag is a fact, and the argument that it is in; "" when it is in the payload, or nowhere.
func (s source) flag(name string) (value bool, arg string, err error) {
	if s.inArgs(name) {
		arg = name
	}
	value, err = s.node(name).flag()
	return value, arg, err
}

// with are the arguments with some others in their place.
func (r *request) with(changes map[string]any) (map[string]json.RawMessage, error) {
	args := maps.Clone(r.args)
	for name, value := range changes {
		raw, err := marshal(value)
		if err != nil {
			return nil, err
		}
		args[name] = raw
	}
	return args, nil
}

func marshal(value any) (json.RawMessage, error) {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return json.RawMessage(strings.TrimSuffix(out.String(), "\n")), err
}
