package bridge

import (
	"fmt"
	"math"
	"strconv"
)

// Value reads what Neovim sent: a tree of whatever types MessagePack decoded to. Reading on never fails; the first thing
// that was not as expected is kept, with its place, and [Value.Err] tells it for the whole tree. So a message is read as
// if it were right, and believed only when Err is nil.
type Value struct {
	raw   any
	place string
	err   *error // shared by the whole tree
}

// Decode begins reading a value.
func Decode(raw any) Value { return Value{raw: raw, err: new(error)} }

// Err is the first thing in the whole tree that was not as expected; nil when all that was read was right.
func (v Value) Err() error {
	if v.err == nil {
		return nil
	}
	return *v.err
}

// IsNil says whether there is nothing here: nil, vim.NIL, or a field or an argument that is missing.
func (v Value) IsNil() bool { return v.raw == nil }

// Text reads a string, byte for byte. Lua's strings need not be UTF-8.
func (v Value) Text() string {
	switch s := v.raw.(type) {
	case string:
		return s
	case []byte:
		return string(s)
	}
	v.fail("a string")
	return ""
}

// Int reads a whole number, also one that Lua sent as a float.
func (v Value) Int() int {
	switch n := v.raw.(type) {
	case int64:
		return int(n)
	case uint64:
		if n <= math.MaxInt {
			return int(n)
		}
	case int:
		return n
	case float64:
		if n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return int(n)
		}
	}
	v.fail("a whole number")
	return 0
}

// Bool reads true or false.
func (v Value) Bool() bool {
	b, ok := v.raw.(bool)
	if !ok {
		v.fail("true or false")
	}
	return b
}

// List reads a list. An empty Lua table is a list as well as a dictionary.
func (v Value) List() []Value {
	list, ok := v.raw.([]any)
	if !ok {
		if len(v.entries()) > 0 || !v.isTable() {
			v.fail("a list")
		}
		return nil
	}
	values := make([]Value, len(list))
	for i, raw := range list {
		values[i] = v.child(raw, "["+strconv.Itoa(i)+"]")
	}
	return values
}

// Texts reads a list of strings.
func (v Value) Texts() []string {
	list := v.List()
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = e.Text()
	}
	return texts
}

// At is an element of a list, counted from 0; nil when there is none.
func (v Value) At(i int) Value {
	place := "[" + strconv.Itoa(i) + "]"
	list, ok := v.raw.([]any)
	if !ok && (!v.isTable() || len(v.entries()) > 0) {
		v.fail("a list")
	}
	if i < 0 || i >= len(list) {
		return v.child(nil, place)
	}
	return v.child(list[i], place)
}

// Key is a field of a dictionary; nil when there is none.
func (v Value) Key(name string) Value {
	if list, ok := v.raw.([]any); !v.isTable() || ok && len(list) > 0 {
		v.fail("a dictionary")
	}
	return v.child(v.entries()[name], "."+name)
}

func (v Value) child(raw any, step string) Value {
	return Value{raw: raw, place: v.place + step, err: v.err}
}

func (v Value) isTable() bool {
	switch v.raw.(type) {
	case []any, map[string]any, map[any]any:
		return true
	}
	return false
}

// entries are a dictionary's fields; nil for everything else.
func (v Value) entries() map[string]any {
	switch m := v.raw.(type) {
	case map[string]any:
		return m
	case map[any]any:
		fields := make(map[string]any, len(m))
		for key, value := range m {
			switch name := key.(type) {
			case string:
				fields[name] = value
			}
		}
		return fields
	}
	return nil
}

// fail keeps the first error only: what follows is mostly caused by it.
func (v Value) fail(expected string) {
	if v.err == nil || *v.err != nil {
		return
	}
	place := v.place
	if place == "" {
		place = "value"
	}
	*v.err = fmt.Errorf("from Neovim: %s: expected %s, got %s", place, expected, kindOf(v.raw))
}

func kindOf(raw any) string {
	switch raw := raw.(type) {
	case nil:
		return "nothing"
	case string, []byte:
		return "a string"
	case bool:
		return strconv.FormatBool(raw)
	case int64, uint64, int, float64:
		return fmt.Sprintf("the number %v", raw)
	case []any:
		return fmt.Sprintf("a list of %d", len(raw))
	case map[string]any, map[any]any:
		return "a dictionary"
	}
	return fmt.Sprintf("%T", raw)
}

// assign stores an answer in the result that the caller gave.
func assign(result, raw any) error {
	v := Decode(raw)
	switch p := result.(type) {
	case nil:
	case *any:
		*p = raw
	case *Value:
		*p = v
	case *string:
		*p = v.Text()
	case *int:
		*p = v.Int()
	case *bool:
		*p = v.Bool()
	default:
		return fmt.Errorf("bridge: no answer can be stored in a %T", result)
	}
	return v.Err()
}
