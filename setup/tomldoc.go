package setup

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlDoc is TOML. Its text is edited by what a parser says of the places in it.
type tomlDoc struct {
	path     string
	bom      string
	body     string
	required bool // it was there before us
}

// pair is a key of a table, with its value as TOML writes it.
type pair struct{ key, value string }

// statement is a header of a table, or a key with its value.
type statement struct {
	path       []string // with the table that it is in
	header     bool
	list       bool // [[path]]
	start, end int  // whole lines
	value      int  // where the value begins
	valueEnd   int
}

// tomlFormat is the [format] of TOML files.
func tomlFormat(path string, raw []byte) (document, error) {
	d := &tomlDoc{path: path}
	body, bom := strings.CutPrefix(string(raw), byteOrderMark)
	if bom {
		d.bom = byteOrderMark
	}
	d.body = body
	var all map[string]any
	if err := toml.Unmarshal([]byte(body), &all); err != nil {
		line := 1
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ = at.Position()
		}
		return nil, &SyntaxError{Path: path, Line: line, Text: strings.TrimPrefix(err.Error(), "toml: ")}
	}
	return d, nil
}

func (d *tomlDoc) remember([]byte) { d.required = true }

func (d *tomlDoc) text() []byte {
	if !d.required && strings.TrimSpace(d.body) == "" {
		return nil
	}
	return []byte(d.bom + d.body)
}

// statements are those of the text, in order.
func (d *tomlDoc) statements() []statement {
	data := []byte(d.body)
	p := unstable.Parser{}
	p.Reset(data)
	var list []statement
	var table []string
	for p.NextExpression() {
		node := p.Expression()
		var keys []string
		var first, last unstable.Range
		for it := node.Key(); it.Next(); {
			if keys == nil {
				first = it.Node().Raw
			}
			last = it.Node().Raw
			keys = append(keys, string(it.Node().Data))
		}
		s := statement{path: keys, start: lineStart(d.body, int(first.Offset))}
		end := int(last.Offset + last.Length)
		if node.Kind == unstable.KeyValue {
			s.path = slices.Concat(table, keys)
			s.value = end + strings.IndexByte(d.body[end:], '=') + 1
			s.value += len(d.body[s.value:]) - len(strings.TrimLeft(d.body[s.value:], " \t"))
			end = int(node.Raw.Offset + node.Raw.Length)
			s.valueEnd = end
		} else {
			s.header, s.list = true, node.Kind == unstable.ArrayTable
			table = keys
		}
		s.end = lineEnd(d.body, end)
		list = append(list, s)
	}
	return list
}

func lineStart(text string, at int) int { return strings.LastIndexByte(text[:at], '\n') + 1 }

func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// get is the value at a path; ok is false when there is none.
func (d *tomlDoc) get(path ...string) (value any, ok bool) {
	var all map[string]any
	if toml.Unmarshal([]byte(d.body), &all) != nil {
		return nil, false
	}
	value = all
	for _, name := range path {
		table, isTable := value.(map[string]any)
		if !isTable {
			return nil, false
		}
		if value, ok = table[name]; !ok {
			return nil, false
		}
	}
	return value, true
}

// set makes the keys of a table so. Other keys that it has stay.
func (d *tomlDoc) set(table []string, pairs []pair) error {
	body := d.body
	if _, there := d.get(table...); !there {
		d.appendTable(table, pairs)
	} else {
		for _, p := range pairs {
			if err := d.setKey(table, p); err != nil {
				return err
			}
		}
	}
	if d.isOnly(body, table, pairs) {
		return nil
	}
	d.body = body
	return fmt.Errorf("%s: the table %s cannot be written here without touching others. Nothing was changed; write it yourself:\n\n%s",
		d.path, tomlPath(table), tableText(table, pairs, "\n"))
}

// isOnly says whether the text is what it was but for these keys, and they are as they shall be.
func (d *tomlDoc) isOnly(before string, table []string, pairs []pair) bool {
	var was, is map[string]any
	if toml.Unmarshal([]byte(before), &was) != nil || toml.Unmarshal([]byte(d.body), &is) != nil {
		return false
	}
	have, _ := d.get(table...)
	keys, ok := have.(map[string]any)
	if !ok {
		return false
	}
	for _, p := range pairs {
		if !reflect.DeepEqual(keys[p.key], tomlValue(p.value)) {
			return false
		}
		without(was, append(slices.Clone(table), p.key))
		without(is, append(slices.Clone(table), p.key))
	}
	return reflect.DeepEqual(was, is)
}

// without removes what is at a path, and the tables that are empty then.
func without(all map[string]any, path []string) {
	if len(path) > 1 {
		table, ok := all[path[0]].(map[string]any)
		if !ok {
			return
		}
		without(table, path[1:])
		if len(table) > 0 {
			return
		}
	}
	delete(all, path[0])
}

// tomlValue is a value that is written as TOML.
func tomlValue(text string) any {
	var one map[string]any
	if toml.Unmarshal([]byte("value = "+text), &one) != nil {
		return nil
	}
	return one["value"]
}

func (d *tomlDoc) newline() string {
	if strings.Contains(d.body, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

func (d *tomlDoc) appendTable(table []string, pairs []pair) {
	newline := d.newline()
	if d.body != "" {
		if !strings.HasSuffix(d.body, "\n") {
			d.body += newline
		}
		d.body += newline
	}
	d.body += tableText(table, pairs, newline)
}

func tableText(table []string, pairs []pair, newline string) string {
	var out strings.Builder
	out.WriteString("[" + tomlPath(table) + "]" + newline)
	for _, p := range pairs {
		out.WriteString(p.key + " = " + p.value + newline)
	}
	return out.String()
}

// setKey makes one key of a table that is there so.
func (d *tomlDoc) setKey(table []string, p pair) error {
	path := append(slices.Clone(table), p.key)
	if have, ok := d.get(path...); ok && reflect.DeepEqual(have, tomlValue(p.value)) {
		return nil
	}
	list := d.statements()
	for _, s := range list {
		if !s.header && slices.Equal(s.path, path) {
			d.body = d.body[:s.value] + p.value + d.body[s.valueEnd:]
			return nil
		}
	}
	for i, s := range list {
		if !s.header || s.list || !slices.Equal(s.path, table) {
			continue
		}
		last := s
		for _, next := range list[i+1:] {
			if next.header {
				break
			}
			last = next
		}
		at, newline := last.end, d.newline()
		line := d.body[last.start:last.end]
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if !strings.HasSuffix(line, "\n") {
			indent = newline + indent
		}
		d.body = d.body[:at] + indent + p.key + " = " + p.value + newline + d.body[at:]
		return nil
	}
	return nil // isOnly finds that it is not there
}

// remove takes a table out, with the tables in it.
func (d *tomlDoc) remove(table []string) {
	for _, s := range slices.Backward(d.statements()) {
		if len(s.path) < len(table) || !slices.Equal(s.path[:len(table)], table) {
			continue
		}
		start, end := s.start, s.end
		if s.header {
			start = withBlankLine(d.body, start)
		}
		d.body = d.body[:start] + d.body[end:]
	}
}

// withBlankLine is the start of the blank line before a place, if there is one.
func withBlankLine(text string, at int) int {
	if at == 0 {
		return 0
	}
	if before := lineStart(text, at-1); strings.TrimSpace(text[before:at]) == "" {
		return before
	}
	return at
}

// tomlPath is a table's name as a header has it.
func tomlPath(path []string) string {
	names := make([]string, len(path))
	for i, name := range path {
		names[i] = name
		if name == "" || strings.ContainsFunc(name, func(r rune) bool {
			return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		}) {
			names[i] = tomlString(name)
		}
	}
	return strings.Join(names, ".")
}

// tomlString is a string as TOML writes it.
func tomlString(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&out, `\u%04X`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

func tomlStrings(list ...string) string {
	for i, s := range list {
		list[i] = tomlString(s)
	}
	return "[" + strings.Join(list, ", ") + "]"
}
