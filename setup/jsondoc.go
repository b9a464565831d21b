package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonDoc is JSON, with or without comments and trailing commas. Its tree holds every byte of the text.
type jsonDoc struct {
	path   string
	bom    string
	root   hujson.Value
	style  jsonStyle
	before *jsonDoc // nil when it is not known
}

const byteOrderMark = "\ufeff"

var jsonPlace = regexp.MustCompile(`^hujson: line (\d+), column \d+: (.*)$`)

// jsonFormat is the [format] of JSON files.
func jsonFormat(path string, raw []byte) (document, error) {
	d, err := parseJSON(path, raw)
	if err != nil {
		return nil, err // not d: a nil pointer would be a document
	}
	return d, nil
}

func (d *jsonDoc) remember(before []byte) {
	d.before, _ = parseJSON(d.path, before) // a broken one tells nothing
}

func parseJSON(path string, raw []byte) (*jsonDoc, error) {
	d := &jsonDoc{path: path}
	text, bom := bytes.CutPrefix(raw, []byte(byteOrderMark))
	if bom {
		d.bom = byteOrderMark
	}
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return nil, jsonError(path, err)
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, &SyntaxError{Path: path, Line: 1, Text: "this is no JSON object"}
	}
	d.root, d.style = root, styleOf(root, text)
	return d, nil
}

// jsonError says where the text is broken.
func jsonError(path string, err error) error {
	if found := jsonPlace.FindStringSubmatch(err.Error()); found != nil {
		line, _ := strconv.Atoi(found[1])
		return &SyntaxError{Path: path, Line: line, Text: found[2]}
	}
	return &SyntaxError{Path: path, Line: 1, Text: err.Error()}
}

func (d *jsonDoc) text() []byte {
	object, _ := d.root.Value.(*hujson.Object)
	empty := len(object.Members) == 0 && !hasComment(object.AfterExtra) && !hasComment(d.root.BeforeExtra) && !hasComment(d.root.AfterExtra)
	if empty && d.before == nil {
		return nil
	}
	return append([]byte(d.bom), d.root.Pack()...)
}

// get is the value at a path, nil when there is none.
func (d *jsonDoc) get(path ...string) *hujson.Value {
	v := &d.root
	for _, name := range path {
		object, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		i := member(object, name)
		if i < 0 {
			return nil
		}
		v = &object.Members[i].Value
	}
	return v
}

// member is the index of the member of that name, the last one if there are several, as every reader takes it; -1 for none.
func member(object *hujson.Object, name string) int {
	for i, m := range slices.Backward(object.Members) {
		if literal, ok := m.Name.Value.(hujson.Literal); ok && literal.String() == name {
			return i
		}
	}
	return -1
}

// object is the object at a path. It is made when it is not there.
func (d *jsonDoc) object(path []string) (*hujson.Object, error) {
	for i := range path {
		if d.get(path[:i+1]...) == nil {
			parent, err := d.object(path[:i])
			if err != nil {
				return nil, err
			}
			d.insert(parent, i, path[i], hujson.Value{Value: &hujson.Object{}})
		}
	}
	object, ok := d.get(path...).Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%s: %s is no object. Nothing was changed", d.path, strings.Join(path, "."))
	}
	return object, nil
}

// array is the array at a path. It is made when it is not there.
func (d *jsonDoc) array(path []string) (*hujson.Array, error) {
	last := len(path) - 1
	parent, err := d.object(path[:last])
	if err != nil {
		return nil, err
	}
	if member(parent, path[last]) < 0 {
		d.insert(parent, last, path[last], hujson.Value{Value: &hujson.Array{}})
	}
	array, ok := d.get(path...).Value.(*hujson.Array)
	if !ok {
		return nil, fmt.Errorf("%s: %s is no list. Nothing was changed", d.path, strings.Join(path, "."))
	}
	return array, nil
}

// set makes the value at a path so: of an object only the members that are named, everything else entirely.
func (d *jsonDoc) set(path []string, value any) error {
	last := len(path) - 1
	parent, err := d.object(path[:last])
	if err != nil {
		return err
	}
	i := member(parent, path[last])
	if i < 0 {
		d.insert(parent, last, path[last], treeOf(value))
		return nil
	}
	d.merge(&parent.Members[i].Value, treeOf(value), len(path))
	return nil
}

// merge gives a value the members, or the value, of another. depth is how many objects and arrays it is in.
func (d *jsonDoc) merge(have *hujson.Value, want hujson.Value, depth int) {
	if agrees(decode(have), decode(&want)) {
		return
	}
	to, ok := have.Value.(*hujson.Object)
	from, both := want.Value.(*hujson.Object)
	if !ok || !both {
		d.style.lay(&want, depth)
		have.Value = want.Value
		return
	}
	for _, m := range from.Members {
		name := m.Name.Value.(hujson.Literal).String()
		if i := member(to, name); i >= 0 {
			d.merge(&to.Members[i].Value, m.Value, depth+1)
		} else {
			d.insert(to, depth, name, m.Value)
		}
	}
}

// agrees says whether everything that is wanted is there.
func agrees(have, want any) bool {
	wanted, ok := want.(map[string]any)
	if !ok {
		return reflect.DeepEqual(have, want)
	}
	members, ok := have.(map[string]any)
	if !ok {
		return false
	}
	for name, v := range wanted {
		if there, ok := members[name]; !ok || !agrees(there, v) {
			return false
		}
	}
	return true
}

// remove takes a member out, and the objects and lists around it that get empty by that and were not there before.
func (d *jsonDoc) remove(path []string) {
	last := len(path) - 1
	v := d.get(path[:last]...)
	if v == nil {
		return
	}
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return
	}
	if i := member(object, path[last]); i >= 0 {
		cutMember(object, i)
	}
	d.prune(path[:last])
}

// prune removes what is at a path when it is empty and was not there before.
func (d *jsonDoc) prune(path []string) {
	v := d.get(path...)
	if v == nil || len(path) == 0 || d.before != nil && d.before.get(path...) != nil {
		return
	}
	switch c := v.Value.(type) {
	case *hujson.Object:
		if len(c.Members) > 0 || hasComment(c.AfterExtra) {
			return
		}
	case *hujson.Array:
		if len(c.Elements) > 0 || hasComment(c.AfterExtra) {
			return
		}
	default:
		return
	}
	d.remove(path)
}

// treeOf is a Go value as a tree, which keeps the order of struct fields.
func treeOf(value any) hujson.Value {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	if err := out.Encode(value); err != nil {
		panic(err) // our own values can be written
	}
	tree, err := hujson.Parse(bytes.TrimSpace(text.Bytes()))
	if err != nil {
		panic(err)
	}
	return tree
}

// decode is the value without its comments.
func decode(v *hujson.Value) any {
	if v == nil {
		return nil
	}
	plain := v.Clone()
	plain.Standardize()
	var out any
	if json.Unmarshal(plain.Pack(), &out) != nil {
		return nil
	}
	return out
}
