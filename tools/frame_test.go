package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// frames parses everything that src holds.
func frames(t testing.TB, src io.Reader) []*frame {
	t.Helper()
	p := parser{lines: newLineReader(src)}
	var all []*frame
	for {
		f, err := p.frame()
		if errors.Is(err, io.EOF) {
			return all
		}
		must(t, err)
		all = append(all, f)
	}
}

func TestFrames(t *testing.T) {
	call := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"a":"b"}}}`
	envelope := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{}}}`
	tests := []struct {
		name, in string
		want     []frame // without their arguments
	}{
		{"a call", call + "\n", []frame{{envelope: []byte(envelope), id: []byte("7")}}},
		{"no line end", call, []frame{{envelope: []byte(envelope), id: []byte("7")}}},
		{"CRLF and blanks", "\r\n  \n \t" + call + " \r\n\n", []frame{{envelope: []byte(envelope), id: []byte("7")}}},
		{
			"blanks inside", `{ "id" : "a b" , "params" : { "x" : [ 1 , 2 ] } }`,
			[]frame{{envelope: []byte(`{"id":"a b","params":{"x":[ 1 , 2 ]}}`), id: []byte(`"a b"`)}},
		},
		{"two", `{"id":1}` + "\n" + `{"id":2}` + "\n", []frame{
			{envelope: []byte(`{"id":1}`), id: []byte("1")}, {envelope: []byte(`{"id":2}`), id: []byte("2")},
		}},
		{"garbage between", "GET / HTTP/1.1\n" + `{"id":2}` + "\n", []frame{
			{err: errSyntax}, {envelope: []byte(`{"id":2}`), id: []byte("2")},
		}},
		{"a line cut short", `{"id":1,"params":{"arguments":{"a":"b` + "\n" + `{"id":2}`, []frame{
			{id: []byte("1"), err: errSyntax}, {envelope: []byte(`{"id":2}`), id: []byte("2")},
		}},
		{"the stream cut in a line", `{"id":1,"params":{`, nil},
		{"something behind", `{"id":1} x` + "\n", []frame{{id: []byte("1"), err: errSyntax}}},
		{"a batch", "[" + call + "]\n", []frame{{err: errBatch}}},
		{"no object", "\"text\"\n17\nnull\n", []frame{{err: errSyntax}, {err: errSyntax}, {err: errSyntax}}},
		{"an id that is none", `{"id":nul}` + "\n", []frame{{err: errSyntax}}},
		{"a tab in a text", `{"id":1,"x":"` + "\t" + `"}` + "\n", []frame{{id: []byte("1"), err: errSyntax}}},
		{"arguments that are none", `{"params":{"arguments":[1]}}` + "\n", []frame{{envelope: []byte(`{"params":{"arguments":[1]}}`)}}},
		{"bad value in arguments", `{"id":1,"params":{"arguments":{"a":tru}}}` + "\n", []frame{{id: []byte("1"), err: errSyntax}}},
		{"bad escape in arguments", `{"id":1,"params":{"arguments":{"a":"\x"}}}` + "\n", []frame{{id: []byte("1"), err: errSyntax}}},
		{"arguments elsewhere", `{"arguments":{"a":"b"}}`, []frame{{envelope: []byte(`{"arguments":{"a":"b"}}`)}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(test.in), iotest.OneByteReader(strings.NewReader(test.in))} {
				got := frames(t, r)
				if len(got) != len(test.want) {
					t.Fatalf("%d frames, not %d", len(got), len(test.want))
				}
				for i, f := range got {
					want := test.want[i]
					if string(f.envelope) != string(want.envelope) || string(f.id) != string(want.id) || !errors.Is(f.err, want.err) {
						t.Errorf("frame %d: %s, id %s, %v", i, f.envelope, f.id, f.err)
					}
				}
			}
		})
	}
}

// Whatever is too large is passed over, and the rest is understood: the id that is found behind it too.
func TestFrameBounds(t *testing.T) {
	text := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	many := strings.Repeat(`"a":1,`, 10)
	for i := range maxArgs {
		many += `"b` + strings.Repeat("b", i) + `":1,`
	}
	tests := []struct {
		name, line string
		err        error
		fault      fault  // of the argument "big"
		all        string // part of the fault of all arguments
	}{
		{"a text at the limit", `{"params":{"arguments":{"big":` + text(maxText) + `}},"id":9}`, nil, "", ""},
		{"a text over it", `{"params":{"arguments":{"big":` + text(maxText+1) + `,"path":"p"}},"id":9}`, nil, tooLarge, ""},
		{"a list over it", `{"params":{"arguments":{"big":[` + text(maxText) + `],"path":"p"}},"id":9}`, nil, tooLarge, ""},
		{"all together over it", `{"params":{"arguments":{"a":` + text(maxText) + `,"b":` + text(maxText) + `,"c":` + text(maxText) +
			`,"d":` + text(maxText) + `}},"id":9}`, nil, "", "larger than 64 MiB"},
		{"too many", `{"params":{"arguments":{` + many + `"z":1}},"id":9}`, nil, "", "more than 256"},
		{"a message over it", `{"params":{"name":` + text(maxEnvelope) + `},"id":9}`, errFrameTooLarge, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			all := frames(t, strings.NewReader(test.line+"\n"+`{"id":10}`+"\n"))
			if len(all) != 2 || string(all[1].id) != "10" {
				t.Fatal("the next line is not understood")
			}
			f := all[0]
			if string(f.id) != "9" || !errors.Is(f.err, test.err) {
				t.Errorf("id %s, %v", f.id, f.err)
			}
			if f.args != nil && (f.args.values["big"].fault != test.fault || !strings.Contains(f.args.fault, test.all) ||
				(test.all == "") != (f.args.fault == "")) {
				t.Errorf("fault %q, of all %q", f.args.values["big"].fault, f.args.fault)
			}
		})
	}
}

func TestTexts(t *testing.T) {
	tests := []struct {
		json, want string
		fault      fault
	}{
		{`""`, "", ""},
		{`"a\nb\tc\r\b\f\"\\\/"`, "a\nb\tc\r\b\f\"\\/", ""},
		{`"literal \\n stays"`, `literal \n stays`, ""},
		{`"\u0041\u00e9\u20ac\u0000"`, "Aé€\x00", ""},
		{`"\uD83D\ude00 😀"`, "😀 😀", ""},
		{`"\ud83d"`, "", loneSurrogate},
		{`"\ud83dx"`, "", loneSurrogate},
		{`"\ud83d\n"`, "", loneSurrogate},
		{`"\ud83d\ud83d\ude00"`, "", loneSurrogate},
		{`"\ude00"`, "", loneSurrogate},
		{`"\ude00\ud83d"`, "", loneSurrogate},
		{`"\ufffd"`, "\ufffd", ""},
		{"\"\xff\"", "", invalidUTF8},
		{"\"\xc3\"", "", invalidUTF8},
		{"\"\xc3\\u00a9\"", "", invalidUTF8},
		{"\"\xed\xa0\x80\"", "", invalidUTF8}, // a surrogate in UTF-8
		{"\"\x7f\u0085\u2028\"", "\x7f\u0085\u2028", ""},
	}
	for _, test := range tests {
		for _, pad := range []int{0, 1, 3, 7, lineBuffer - 10, lineBuffer - 3, lineBuffer - 2, lineBuffer - 1, lineBuffer, 5 * lineBuffer} {
			head := strings.Repeat("x", pad)
			in := `"` + head + test.json[1:]
			p := parser{lines: newLineReader(strings.NewReader(in))}
			p.lines.peek()
			text, f, ok := p.jsonText(1 << 30)
			want := head + test.want
			if test.fault != "" {
				want = ""
			}
			if !ok || text != want || f != test.fault || p.lines.peek() != '\n' {
				t.Errorf("%s behind %d bytes: %v, %q (%d bytes)", test.json, pad, ok, f, len(text))
			}
		}
	}
	for _, bad := range []string{`"`, `"a`, `"\"`, `"\`, `"\x"`, `"\u12"`, `"\u12g4"`, "\"\n\"", "\"\x00\"", "\"\x1f\"", `"\u`} {
		p := parser{lines: newLineReader(strings.NewReader(bad))}
		p.lines.peek()
		if _, _, ok := p.jsonText(1 << 30); ok {
			t.Errorf("%q is no JSON text", bad)
		}
	}
}

// FuzzFrame compares what is read with what encoding/json reads: the same lines are understood, and mean the same. Only
// where encoding/json puts U+FFFD in the place of what is no character, there is a fault.
func FuzzFrame(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"path":"p","n":[1,{"a":"]"}]},"_meta":{}}}`,
		`{"params":{"arguments":{"a":"\ud83d\ude00\n","b":"\ud800","a":"again"}},"id":"x"}`,
		`{"id":null,"result":{}} `, `{"a":"\\","b":"\""}`, `{"a":-1.5e3,"b":true,"c":{}}`, "{\"params\":{\"arguments\":{\"\xff\":\"\xff\"}}}",
		`[]`, `{"a":1,}`, `{}`, `{"params":{"arguments":{"a": tru}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if len(line) > 1<<16 || bytes.IndexByte(line, '\n') >= 0 || len(bytes.TrimSpace(line)) == 0 {
			return
		}
		all := frames(t, bytes.NewReader(append(append([]byte(nil), line...), []byte("\n{\"id\":10}\n")...)))
		if len(all) != 2 || string(all[1].envelope) != `{"id":10}` {
			t.Fatalf("the next line is not understood: %q", line)
		}
		compareFrame(t, line, all[0])
		if again := frames(t, iotest.OneByteReader(bytes.NewReader(append(line, '\n')))); !reflect.DeepEqual(again[0], all[0]) {
			t.Errorf("read byte by byte it is another: %+v, %+v", again[0], all[0])
		}
	})
}

func compareFrame(t *testing.T, line []byte, f *frame) {
	var want map[string]json.RawMessage
	err := json.Unmarshal(line, &want)
	if err != nil || bytes.TrimSpace(line)[0] != '{' {
		if f.err == nil && json.Valid(f.envelope) && (f.args == nil || len(f.args.values) == 0) {
			// Arguments are checked on the way; what is left is what the SDK decodes.
			t.Fatalf("taken for a message: %q", line)
		}
		return
	}
	if f.err != nil {
		// Names are bounded, and the arguments' number.
		if bytes.Count(line, []byte{','}) < 1000 && len(line) < maxName {
			t.Fatalf("%v: %q", f.err, line)
		}
		return
	}
	if f.args == nil || f.args.fault != "" {
		return
	}
	params := map[string]json.RawMessage{}
	var args map[string]json.RawMessage
	// The last of several members of one name counts.
	if json.Unmarshal(want["params"], &params) != nil || json.Unmarshal(params["arguments"], &args) != nil {
		return
	}
	if bytes.Count(line, []byte("arguments")) > 1 || bytes.Count(line, []byte("params")) > 1 || bytes.Contains(line, []byte(`\u`)) &&
		!bytes.Contains(line, []byte(`"arguments"`)) {
		return
	}
	for name, raw := range args {
		got, ok := f.args.values[name]
		if !ok {
			t.Fatalf("%q is missing: %q", name, line)
		}
		var text string
		if raw[0] != '"' {
			if string(got.raw) != string(bytes.TrimSpace(raw)) {
				t.Errorf("%q: %s, not %s", name, got.raw, raw)
			}
			continue
		}
		must(t, json.Unmarshal(raw, &text))
		switch {
		case got.fault == "" && got.text != text:
			t.Errorf("%q: %q, not %q", name, got.text, text)
		case got.fault != "" && !strings.ContainsRune(text, utf8.RuneError):
			t.Errorf("%q: %s: %q", name, got.fault, raw)
		}
	}
}

// FuzzArguments holds that what was sent arrives, byte for byte.
func FuzzArguments(f *testing.F) {
	f.Add("text\nwith \"quotes\" and \\n", 3)
	f.Add("\x00\x1f\u2028😀é", 65530)
	f.Add("<>&\x7f", 0)
	f.Fuzz(func(t *testing.T, text string, pad int) {
		if !utf8.ValidString(text) {
			return
		}
		text = strings.Repeat("x", min(max(pad, 0), 1<<17)) + text
		args := parseArguments(mustJSON(map[string]any{"a": text, "b": []string{text}}))
		var b []string
		must(t, json.Unmarshal(args.values["b"].raw, &b))
		if got := args.values["a"]; got.text != text || got.fault != "" || b[0] != text {
			t.Errorf("%q, %s", got.text, got.fault)
		}
	})
}
