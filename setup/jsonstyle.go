package setup

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonStyle is how a file is laid out.
type jsonStyle struct {
	newline string
	indent  string // of one level
}

// styleOf reads the layout off the file's own members.
func styleOf(root hujson.Value, text []byte) jsonStyle {
	style := jsonStyle{newline: "\n", indent: "  "}
	if bytes.Contains(text, []byte("\r\n")) {
		style.newline = "\r\n"
	}
	if object, ok := root.Value.(*hujson.Object); ok && len(object.Members) > 0 {
		if indent, ok := indentOf(object.Members[0].Name.BeforeExtra); ok && indent != "" {
			style.indent = indent
		}
	}
	return style
}

// indentOf is the white space between the last line break and what follows it. ok is false when there is no line break.
func indentOf(extra hujson.Extra) (indent string, ok bool) {
	i := bytes.LastIndexByte(extra, '\n')
	if i < 0 {
		return "", false
	}
	rest := string(extra[i+1:])
	return rest[:len(rest)-len(strings.TrimLeft(rest, " \t"))], true
}

func hasComment(extra hujson.Extra) bool { return len(bytes.TrimSpace(extra)) > 0 }

// line is a line break with the indentation of a level.
func (s jsonStyle) line(depth int) hujson.Extra {
	return hujson.Extra(s.newline + strings.Repeat(s.indent, depth))
}

// lay lays a new value out. depth is how many objects and arrays it is in. A list of plain values is one line.
func (s jsonStyle) lay(v *hujson.Value, depth int) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			c.Members[i].Name.BeforeExtra = s.line(depth + 1)
			c.Members[i].Value.BeforeExtra = hujson.Extra(" ")
			s.lay(&c.Members[i].Value, depth+1)
		}
		if len(c.Members) > 0 {
			c.AfterExtra = s.line(depth)
		}
	case *hujson.Array:
		plain := true
		for i := range c.Elements {
			if _, ok := c.Elements[i].Value.(hujson.Literal); !ok {
				plain = false
			}
		}
		for i := range c.Elements {
			switch {
			case !plain:
				c.Elements[i].BeforeExtra = s.line(depth + 1)
			case i > 0:
				c.Elements[i].BeforeExtra = hujson.Extra(" ")
			}
			s.lay(&c.Elements[i], depth+1)
		}
		if !plain {
			c.AfterExtra = s.line(depth)
		}
	}
}

// layInline lays a new value out on one line, as its neighbours are.
func layInline(v *hujson.Value, space hujson.Extra) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			if i > 0 {
				c.Members[i].Name.BeforeExtra = space
			}
			c.Members[i].Value.BeforeExtra = space
			layInline(&c.Members[i].Value, space)
		}
	case *hujson.Array:
		for i := range c.Elements {
			if i > 0 {
				c.Elements[i].BeforeExtra = space
			}
			layInline(&c.Elements[i], space)
		}
	}
}

// insert adds a member at the end of an object that is in depth others.
func (d *jsonDoc) insert(object *hujson.Object, depth int, name string, value hujson.Value) {
	m := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: value}
	if len(object.Members) == 0 {
		m.Name.BeforeExtra, object.AfterExtra = d.place(object.AfterExtra, nil, depth)
		m.Value.BeforeExtra = hujson.Extra(" ")
		d.style.lay(&m.Value, depth+1)
		object.Members = append(object.Members, m)
		return
	}
	first, last := object.Members[0], &object.Members[len(object.Members)-1]
	if indent, ok := indentOf(first.Name.BeforeExtra); ok {
		m.Name.BeforeExtra, object.AfterExtra = d.place(object.AfterExtra, &indent, depth)
		m.Value.BeforeExtra = hujson.Extra(" ")
		d.style.lay(&m.Value, depth+1)
	} else {
		space := first.Value.BeforeExtra
		m.Name.BeforeExtra, m.Value.BeforeExtra = space, space
		layInline(&m.Value, space)
	}
	m.Value.AfterExtra = trailing(last.Value.AfterExtra)
	object.Members = append(object.Members, m)
}

// append adds an element at the end of an array that is in depth others.
func (d *jsonDoc) append(array *hujson.Array, depth int, value hujson.Value) {
	_, plain := value.Value.(hujson.Literal)
	if len(array.Elements) == 0 {
		if !plain || len(array.AfterExtra) > 0 {
			value.BeforeExtra, array.AfterExtra = d.place(array.AfterExtra, nil, depth)
		}
		d.style.lay(&value, depth+1)
		array.Elements = append(array.Elements, value)
		return
	}
	last := &array.Elements[len(array.Elements)-1]
	if indent, ok := indentOf(array.Elements[0].BeforeExtra); ok {
		value.BeforeExtra, array.AfterExtra = d.place(array.AfterExtra, &indent, depth)
		d.style.lay(&value, depth+1)
	} else {
		space := hujson.Extra(" ")
		if len(array.Elements) > 1 {
			space = array.Elements[1].BeforeExtra
		}
		value.BeforeExtra = space
		layInline(&value, space)
	}
	value.AfterExtra = trailing(last.AfterExtra)
	array.Elements = append(array.Elements, value)
}

// place divides what is before a closing bracket: comments stay with what they follow, before the new one; the bracket gets
// a line of its own.
func (d *jsonDoc) place(after hujson.Extra, indent *string, depth int) (before, closing hujson.Extra) {
	start := d.style.line(depth + 1)
	if indent != nil {
		start = hujson.Extra(d.style.newline + *indent)
	}
	closing = d.style.line(depth)
	if i := bytes.LastIndexByte(after, '\n'); i >= 0 && len(bytes.TrimSpace(after[i:])) == 0 {
		if i > 0 && after[i-1] == '\r' {
			i--
		}
		closing = after[i:]
	}
	if comments := bytes.TrimRight(after, " \t\r\n"); len(comments) > 0 {
		start = append(append(hujson.Extra{}, comments...), start...)
	}
	return start, closing
}

// trailing is the mark of a trailing comma, when the one that was the last has it.
func trailing(after hujson.Extra) hujson.Extra {
	if after == nil {
		return nil
	}
	return hujson.Extra{}
}

// cutMember removes a member, and keeps the comments around it.
func cutMember(object *hujson.Object, i int) {
	cut := object.Members[i]
	isLast := i == len(object.Members)-1
	object.Members = append(object.Members[:i:i], object.Members[i+1:]...)
	if !isLast {
		keepComments(&object.Members[i].Name.BeforeExtra, cut.Name.BeforeExtra)
		return
	}
	keepComments(&object.AfterExtra, cut.Name.BeforeExtra)
	if i == 0 {
		object.AfterExtra = emptied(object.AfterExtra)
		return
	}
	endWith(&object.Members[i-1].Value.AfterExtra, cut.Value.AfterExtra)
}

// cutElement removes an element, and keeps the comments around it.
func cutElement(array *hujson.Array, i int) {
	cut := array.Elements[i]
	isLast := i == len(array.Elements)-1
	array.Elements = append(array.Elements[:i:i], array.Elements[i+1:]...)
	switch {
	case !isLast && i == 0 && !bytes.ContainsRune(cut.BeforeExtra, '\n'):
		array.Elements[0].BeforeExtra = cut.BeforeExtra
	case !isLast:
		keepComments(&array.Elements[i].BeforeExtra, cut.BeforeExtra)
	case i == 0:
		keepComments(&array.AfterExtra, cut.BeforeExtra)
		array.AfterExtra = emptied(array.AfterExtra)
	default:
		keepComments(&array.AfterExtra, cut.BeforeExtra)
		endWith(&array.Elements[i-1].AfterExtra, cut.AfterExtra)
	}
}

// keepComments puts the comments before something that is cut before what comes after it.
func keepComments(next *hujson.Extra, cut hujson.Extra) {
	if hasComment(cut) {
		*next = append(bytes.TrimRight(cut, " \t\r\n"), *next...)
	}
}

// emptied is the inside of brackets that hold nothing any more.
func emptied(inside hujson.Extra) hujson.Extra {
	if hasComment(inside) {
		return inside
	}
	return nil
}

// endWith makes the last one end with or without a comma, as the one that was cut did.
func endWith(after *hujson.Extra, cut hujson.Extra) {
	switch {
	case cut == nil:
		*after = nil
	case *after == nil:
		*after = hujson.Extra{}
	}
}
