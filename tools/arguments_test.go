package tools

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	const good = `"path":"p","original":"o","modified":"m","description":"d"`
	tests := []struct{ name, args, want string }{
		{"good", `{` + good + `}`, ""},
		{"unknown ones are passed over", `{` + good + `,"wait_for_previous":true,"x":"\ud800"}`, ""},
		{"empty texts", `{"path":"p","original":"","modified":"","description":""}`, ""},
		{"the last of two counts", `{"path":7,` + good + `}`, ""},
		{"none", ``, `invalid_args: "path" is missing. Nothing was changed.`},
		{"null", `null`, `invalid_args: "path" is missing. Nothing was changed.`},
		{"a list", `[1]`, `invalid_args: The arguments must be a JSON object. Nothing was changed.`},
		{"missing", `{"path":"p","original":"o","description":"d"}`, `invalid_args: "modified" is missing. Nothing was changed.`},
		{"case matters", `{"Path":"p","original":"o","modified":"m","description":"d"}`, `invalid_args: "path" is missing. Nothing was changed.`},
		{"a number", `{` + good + `,"original":1}`, `invalid_args: "original" must be a string, not a number. Nothing was changed.`},
		{"null text", `{` + good + `,"original":null}`, `invalid_args: "original" must be a string, not null. Nothing was changed.`},
		{"a boolean", `{` + good + `,"original":false}`, `invalid_args: "original" must be a string, not a boolean. Nothing was changed.`},
		{"an array", `{` + good + `,"modified":["a"]}`, `invalid_args: "modified" must be a string, not an array. Nothing was changed.`},
		{"an object", `{` + good + `,"path":{"a":1}}`, `invalid_args: "path" must be a string, not an object. Nothing was changed.`},
		{"empty path", `{` + good + `,"path":""}`, `invalid_args: "path" is empty. Nothing was changed.`},
		{"NUL in path", `{` + good + `,"path":"a\u0000b"}`, `invalid_args: "path" holds a NUL character. Nothing was changed.`},
		{"NUL in text", `{` + good + `,"modified":"a\u0000b"}`, `invalid_args: "modified" holds a NUL character. Nothing was changed.`},
		{"invalid UTF-8", "{" + good + ",\"original\":\"\xff\"}", `invalid_args: "original" is not valid UTF-8. Nothing was changed.`},
		{"lone surrogate", `{` + good + `,"description":"\udc00"}`, `invalid_args: "description" holds a lone surrogate, which is no character. Nothing was changed.`},
		{"no JSON", `{` + good, `invalid_args: The arguments must be a JSON object. Nothing was changed.`},
		{"too large", `{` + good + `,"modified":"` + strings.Repeat("x", maxText+1) + `"}`, `invalid_args: "modified" is larger than 16 MiB. Nothing was changed.`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			args := parseArguments([]byte(test.args))
			got := ""
			if err := args.check(proposeFileEdit.params); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("%s", got)
			}
		})
	}
}

func TestOptionalArguments(t *testing.T) {
	params := []param{{name: "a", optional: true}}
	for args, want := range map[string]string{
		`{}`: "", `{"a":null}`: "", `{"a":"x"}`: "", `{"a":1}`: `invalid_args: "a" must be a string, not a number. Nothing was changed.`,
	} {
		got := ""
		a := parseArguments([]byte(args))
		if err := a.check(params); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s", args, got)
		}
	}
}

func TestTextArguments(t *testing.T) {
	args := TextArguments(map[string]string{"path": "p", "original": "latin1 \xe9", "modified": "", "description": ""})
	err := args.check(proposeFileEdit.params)
	if err == nil || err.Error() != `invalid_args: "original" is not valid UTF-8. Nothing was changed.` {
		t.Error(err)
	}
	if text := args.text("path"); text != "p" || args.text("path") != "" {
		t.Error("a text is taken once")
	}
}
