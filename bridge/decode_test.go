package bridge

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/neovim/go-client/msgpack"
)

func TestValue(t *testing.T) {
	v := Decode(map[string]any{
		"name": []byte("a\xffb"), "n": uint64(7), "f": 3.0, "neg": int64(-1), "yes": true, "none": nil,
		"list": []any{"x", map[any]any{"deep": int64(2), 3: "dropped"}}, "empty": []any{}, "dict": map[string]any{},
	})
	if v.Key("name").Text() != "a\xffb" || v.Key("n").Int() != 7 || v.Key("f").Int() != 3 || v.Key("neg").Int() != -1 ||
		!v.Key("yes").Bool() || v.Key("list").At(0).Text() != "x" || v.Key("list").At(1).Key("deep").Int() != 2 {
		t.Error("a value was misread")
	}
	if !v.Key("none").IsNil() || !v.Key("missing").IsNil() || !v.Key("list").At(2).IsNil() || !v.Key("list").At(-1).IsNil() {
		t.Error("what is missing is not nil")
	}
	// An empty Lua table is a list and a dictionary.
	if len(v.Key("empty").List()) != 0 || !v.Key("empty").Key("x").IsNil() || len(v.Key("dict").List()) != 0 ||
		!v.Key("dict").At(0).IsNil() {
		t.Error("an empty table was misread")
	}
	if err := v.Err(); err != nil {
		t.Error(err)
	}
}

func TestValueErrors(t *testing.T) {
	for want, read := range map[string]func(Value){
		"value: expected a list, got a dictionary":                      func(v Value) { v.List() },
		"value: expected true or false, got a dictionary":               func(v Value) { v.Bool() },
		".s: expected a whole number, got a string":                     func(v Value) { v.Key("s").Int(); v.Key("l").Int() },
		".l[1]: expected a string, got nothing":                         func(v Value) { v.Key("l").At(1).Text() },
		".l[0]: expected a dictionary, got the number 0.5":              func(v Value) { v.Key("l").At(0).Key("x").Key("y") },
		".l[0]: expected a whole number, got the number 0.5":            func(v Value) { v.Key("l").At(0).Int() },
		".l: expected a dictionary, got a list of 1":                    func(v Value) { v.Key("l").Key("x") },
		".big: expected a whole number, got the number 184467440737095": func(v Value) { v.Key("big").Int() },
		".l[0]: expected a string, got the number 0.5":                  func(v Value) { v.Key("l").Texts() },
		".gone: expected a list, got nothing":                           func(v Value) { v.Key("gone").List() },
		".gone: expected a dictionary, got nothing":                     func(v Value) { v.Key("gone").Key("x") },
		".s: expected a list, got a string":                             func(v Value) { v.Key("s").At(0) },
		".yes: expected a string, got true":                             func(v Value) { v.Key("yes").Text() },
		".huge: expected a whole number, got the number 1.8446744":      func(v Value) { v.Key("huge").Int() },
	} {
		v := Decode(map[string]any{
			"s": "text", "l": []any{0.5}, "big": uint64(math.MaxUint64), "yes": true, "huge": float64(math.MaxUint64),
		})
		read(v)
		got := ""
		if v.Err() != nil {
			got = v.Err().Error()
		}
		if !strings.HasPrefix(got, "from Neovim: "+want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAssign(t *testing.T) {
	var text string
	var n int
	var yes bool
	var raw any
	var v Value
	for _, err := range []error{
		assign(nil, 1), assign(&text, "a"), assign(&n, int64(2)), assign(&yes, true), assign(&raw, "r"), assign(&v, "v"),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if text != "a" || n != 2 || !yes || raw != "r" || v.Text() != "v" {
		t.Error("not stored")
	}
	if assign(&struct{}{}, 1) == nil || assign(&n, "a") == nil {
		t.Error("stored what does not fit")
	}
	if (Value{}).Err() != nil || !(Value{}).IsNil() {
		t.Error("the zero value is not nothing")
	}
}

// FuzzStream sends any bytes to a client: nothing but the end of the connection may come of it.
func FuzzStream(f *testing.F) {
	var seed bytes.Buffer
	enc := msgpack.NewEncoder(&seed)
	for _, message := range []any{
		[]any{2, "agent_diff", []any{"key", 1, "a", map[string]any{"x": []any{nil, 1.5, true, []byte("b")}}}},
		[]any{1, 1, nil, "answer"},
		[]any{1, 2, []any{0, "error"}, nil},
		[]any{0, 3, "agent_diff", []any{"request"}},
	} {
		if err := enc.Encode(message); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(seed.Bytes())
	f.Add([]byte("\x93\x02\xaaagent_diff\xdd\x00\x7f\xff\xff"))
	f.Add([]byte("\x93\x02\xaaagent_diff\x91\xd5\x00\x91\x91"))
	f.Add([]byte("\x93\x02\xb8agent_diff_end_of_stream\x90\x90"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, peer := pipe(t, func(_ string, args []any) { readAll(Decode(args), 0) })
		go drain(peer)
		_, _ = peer.Write(data)
		_ = peer.Close()
		await(t, "the end", c.Done())
	})
}

func drain(r interface{ Read([]byte) (int, error) }) {
	buf := make([]byte, 1024)
	for {
		if _, err := r.Read(buf); err != nil {
			return
		}
	}
}

// readAll reads a value as everything that it could be.
func readAll(v Value, depth int) {
	if depth > 6 {
		return
	}
	v.Text()
	v.Int()
	v.Bool()
	v.Texts()
	for _, e := range v.List() {
		readAll(e, depth+1)
	}
	for name := range v.entries() {
		readAll(v.Key(name), depth+1)
	}
	readAll(v.At(0), depth+1)
	_ = v.Err()
}

// The reader's own view of the stream must be go-client's, or it would add its message in the middle of another.
func FuzzGuardedReader(f *testing.F) {
	f.Add([]byte("\x93\x02\xa1x\x91\x81\xa1k\xc7\x01\x05a"), 3)
	f.Add([]byte("\x90\x91\xcb12345678\x91\xd8\x00"+strings.Repeat("e", 16)+"\xdc\x00\x01\xda\x00\x02ab"), 1)
	f.Fuzz(func(t *testing.T, data []byte, step int) {
		if step < 1 {
			step = 1
		}
		g := &guardedReader{r: &stepReader{data: data, step: step}}
		dec := msgpack.NewDecoder(g)
		for {
			if err := dec.Unpack(); err != nil {
				return
			}
			if dec.Type() != msgpack.ArrayLen {
				t.Fatalf("a message that is a %v", dec.Type())
			}
			n := dec.Len()
			for range n {
				var v any
				if err := dec.Decode(&v); err != nil {
					if _, ok := err.(*msgpack.DecodeConvertError); !ok { //nolint:errorlint // never wrapped
						if g.ended() && !strings.Contains(err.Error(), "ext") {
							t.Fatalf("ended within a message: %v", err)
						}
						return
					}
				}
				if s, ok := v.(string); ok && s == endMethod && (!g.ended() || n != 3) && !bytes.Contains(data, []byte(endMethod)) {
					t.Fatal("the added message is out of place")
				}
			}
		}
	})
}

// stepReader gives step bytes at a time.
type stepReader struct {
	data []byte
	step int
}

func (r *stepReader) Read(p []byte) (int, error) {
	if len(r.data) == 0 {
		return 0, errClosed
	}
	n := copy(p[:min(len(p), r.step)], r.data)
	r.data = r.data[n:]
	return n, nil
}
