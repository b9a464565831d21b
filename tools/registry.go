package tools

import (
	"context"
	"encoding/json"
	"strings"
)

// tool is what an agent can call.
type tool struct {
	name, title string
	// description is what agents choose by. Some search it: it has the words edit, write, create, file and diff.
	description string
	params      []param
	output      string // the JSON schema of Result.Structure
	readOnly    bool   // it changes nothing, whatever the person decides
	// run is called with arguments that have been checked. An error is a *review.Error.
	run func(ctx context.Context, s *Server, c *Call) (Result, error)
}

// registry is every tool, in the order in which agents see them.
var registry = []*tool{
	proposeFileEdit,
	editFile,
	writeFile,
	proposePatch,
	readFile,
	diffTexts,
}

func findTool(name string) *tool {
	for _, t := range registry {
		if t.name == name {
			return t
		}
	}
	return nil
}

// inputSchema is the JSON schema of the tool's arguments, which keeps their order: models write them in it. Nothing
// forbids further arguments: one client adds its own to every call.
func (t *tool) inputSchema() json.RawMessage {
	var out strings.Builder
	out.WriteString(`{"type":"object","properties":{`)
	required := []string{} // null is refused by the TypeScript client, and all tools with it
	for i, p := range t.params {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(mustJSON(p.name))
		out.WriteString(`:{"type":"` + schemaTypes[p.kind] + `","description":`)
		out.Write(mustJSON(p.description))
		out.WriteByte('}')
		if !p.optional {
			required = append(required, p.name)
		}
	}
	out.WriteString(`},"required":`)
	out.Write(mustJSON(required))
	out.WriteByte('}')
	return json.RawMessage(out.String())
}

// mustJSON marshals what cannot fail.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
