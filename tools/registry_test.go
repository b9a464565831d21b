package tools

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"nvim-agent-diff/test/golden"
)

// What agents see of each tool is in a golden file. The rest of this test is what every tool has to keep to.
func TestTools(t *testing.T) {
	for _, tool := range registry {
		t.Run(tool.name, func(t *testing.T) {
			declared := tool.declare()
			var pretty bytes.Buffer
			must(t, json.Indent(&pretty, mustJSON(declared), "", "  "))
			if strings.Contains(pretty.String(), ": null") {
				t.Error("the TypeScript client takes no null for a list, and then shows no tool at all")
			}
			golden.Check(t, "tools/"+tool.name+".json", pretty.String()+"\n")

			for _, word := range []string{"edit", "write", "create", "file", "diff"} {
				if !slices.Contains(strings.FieldsFunc(tool.description, notLetter), word) {
					t.Errorf("models that search for tools do not find it by %q", word)
				}
			}
			if a := declared.Annotations; a.ReadOnlyHint != tool.readOnly || *a.DestructiveHint == tool.readOnly || *a.OpenWorldHint {
				t.Errorf("%+v", a)
			}
			checkSchema(t, compiled(t, string(tool.inputSchema())).Schema())
			checkSchema(t, compiled(t, tool.output).Schema())
		})
	}
}

// What agents are told of the server as a whole is short, and has the words that models look for.
func TestInstructions(t *testing.T) {
	for _, word := range []string{"edit", "write", "create", "file", "diff"} {
		if !slices.Contains(strings.FieldsFunc(instructions, notLetter), word) {
			t.Errorf("%q is not in\n%s", word, instructions)
		}
	}
	if len(instructions) > 1000 {
		t.Errorf("%d bytes that every session pays for", len(instructions))
	}
}

func notLetter(r rune) bool { return r < 'a' || r > 'z' }

// checkSchema: nothing forbids what is not named, because a client adds its own argument; and every type is one, because
// some model's back ends refuse several.
func checkSchema(t *testing.T, s *jsonschema.Schema) {
	t.Helper()
	if s.Type == "" || len(s.Types) > 0 || s.AdditionalProperties != nil {
		t.Errorf("%v", s)
	}
	for _, p := range s.Properties {
		checkSchema(t, p)
	}
	if s.Items != nil {
		checkSchema(t, s.Items)
	}
}
