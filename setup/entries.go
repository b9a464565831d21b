package setup

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonServer is an MCP server in a JSON file.
type jsonServer struct {
	at    []string
	value any
}

func (jsonServer) part() Part { return MCP }

func (e jsonServer) find(d document) (here bool, differs string) {
	v := d.(*jsonDoc).get(e.at...)
	if v == nil {
		return false, ""
	}
	want := treeOf(e.wanted(v))
	if agrees(decode(v), decode(&want)) {
		return true, ""
	}
	return true, fmt.Sprintf("%s is not as it should be", strings.Join(e.at, "."))
}

func (e jsonServer) put(d document) error {
	doc := d.(*jsonDoc)
	return doc.set(e.at, e.wanted(doc.get(e.at...)))
}

func (e jsonServer) take(d document) { d.(*jsonDoc).remove(e.at) }

// wanted is the entry with the arguments that the user has given the program besides, a folder say.
func (e jsonServer) wanted(have *hujson.Value) any {
	there, _ := decode(have).(map[string]any)
	switch want := e.value.(type) {
	case stdioServer:
		if args := texts(there["args"]); endsWithMCP(args) {
			want.Args = args
		}
		return want
	case openCodeServer:
		if command := texts(there["command"]); len(command) > 1 && endsWithMCP(command) {
			want.Command = append([]string{want.Command[0]}, command[1:]...)
		}
		return want
	}
	return e.value
}

func endsWithMCP(args []string) bool { return len(args) > 0 && args[len(args)-1] == "mcp" }

// texts is a decoded list of strings, nil when it is anything else.
func texts(v any) []string {
	list, ok := v.([]any)
	if !ok {
		return nil
	}
	var out []string
	for _, one := range list {
		text, ok := one.(string)
		if !ok {
			return nil
		}
		out = append(out, text)
	}
	return out
}

// jsonWord is a string in a list: a tool that is allowed, a server that is.
type jsonWord struct {
	of   Part
	at   []string
	word string
}

func (e jsonWord) part() Part { return e.of }

func (e jsonWord) find(d document) (here bool, differs string) {
	return slices.Contains(texts(decode(d.(*jsonDoc).get(e.at...))), e.word), ""
}

func (e jsonWord) put(d document) error {
	if here, _ := e.find(d); here {
		return nil
	}
	doc := d.(*jsonDoc)
	array, err := doc.array(e.at)
	if err == nil {
		doc.append(array, len(e.at), treeOf(e.word))
	}
	return err
}

func (e jsonWord) take(d document) {
	doc := d.(*jsonDoc)
	v := doc.get(e.at...)
	if v == nil {
		return
	}
	if array, ok := v.Value.(*hujson.Array); ok {
		for i, element := range slices.Backward(array.Elements) {
			if literal, ok := element.Value.(hujson.Literal); ok && literal.Kind() == '"' && literal.String() == e.word {
				cutElement(array, i)
			}
		}
	}
	doc.prune(e.at)
}

// jsonHook is a command that an agent runs before or after its tools. Agents keep them in groups, each with a pattern of
// the tools' names.
type jsonHook struct {
	at      []string // the list of groups
	matcher string
	handler commandHook
	program string // ours
	agent   string // whose hook our program is
}

type hookGroup struct {
	Matcher string `json:"matcher"`
	Hooks   []any  `json:"hooks"`
}

func (jsonHook) part() Part { return Gate }

// search is where the hook is.
func (e jsonHook) search(d *jsonDoc) (groups *hujson.Array, group, handler int) {
	v := d.get(e.at...)
	if v == nil {
		return nil, -1, -1
	}
	groups, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, -1, -1
	}
	for i := range groups.Elements {
		one, ok := decode(&groups.Elements[i]).(map[string]any)
		if !ok {
			continue
		}
		handlers, _ := one["hooks"].([]any)
		for k := range handlers {
			fields, _ := handlers[k].(map[string]any)
			if command, ok := fields["command"].(string); ok && e.ours(command) {
				return groups, i, k
			}
		}
	}
	return groups, -1, -1
}

func (e jsonHook) find(d document) (here bool, differs string) {
	groups, i, k := e.search(d.(*jsonDoc))
	if i < 0 {
		return false, ""
	}
	group := decode(&groups.Elements[i]).(map[string]any)
	handler := group["hooks"].([]any)[k].(map[string]any)
	want := treeOf(e.wanted(handler["command"]))
	if group["matcher"] == e.matcher && agrees(handler, decode(&want)) {
		return true, ""
	}
	return true, fmt.Sprintf("the hook in %s is not as it should be", strings.Join(e.at, "."))
}

func (e jsonHook) put(d document) error {
	doc := d.(*jsonDoc)
	groups, i, k := e.search(doc)
	if i < 0 {
		groups, err := doc.array(e.at)
		if err == nil {
			doc.append(groups, len(e.at), treeOf(hookGroup{e.matcher, []any{e.handler}}))
		}
		return err
	}
	group := groups.Elements[i].Value.(*hujson.Object)
	handlers := group.Members[member(group, "hooks")].Value.Value.(*hujson.Array)
	handler := decode(&handlers.Elements[k]).(map[string]any)
	doc.merge(&handlers.Elements[k], treeOf(e.wanted(handler["command"])), len(e.at)+3)
	// Another's hook in this group has the matcher that its owner wants.
	if len(handlers.Elements) == 1 {
		doc.merge(&groups.Elements[i], treeOf(struct {
			Matcher string `json:"matcher"`
		}{e.matcher}), len(e.at)+1)
	}
	return nil
}

func (e jsonHook) take(d document) {
	doc := d.(*jsonDoc)
	for {
		groups, i, k := e.search(doc)
		if i < 0 {
			break
		}
		group := groups.Elements[i].Value.(*hujson.Object)
		handlers := group.Members[member(group, "hooks")].Value.Value.(*hujson.Array)
		if len(handlers.Elements) > 1 {
			cutElement(handlers, k)
		} else {
			cutElement(groups, i)
		}
	}
	doc.prune(e.at)
}

// tomlTable is a table in a TOML file.
type tomlTable struct {
	of    Part
	at    []string
	pairs func(have map[string]any) []pair
}

func (e tomlTable) part() Part { return e.of }

func (e tomlTable) find(d document) (here bool, differs string) {
	v, ok := d.(*tomlDoc).get(e.at...)
	if !ok {
		return false, ""
	}
	table, _ := v.(map[string]any)
	for _, p := range e.pairs(table) {
		if !agrees(table[p.key], tomlValue(p.value)) {
			return true, fmt.Sprintf("%s of %s is not as it should be", p.key, tomlPath(e.at))
		}
	}
	return true, ""
}

func (e tomlTable) put(d document) error {
	doc := d.(*tomlDoc)
	v, _ := doc.get(e.at...)
	table, _ := v.(map[string]any)
	return doc.set(e.at, e.pairs(table))
}

func (e tomlTable) take(d document) { d.(*tomlDoc).remove(e.at) }

// tomlServer is an MCP server in a TOML file.
type tomlServer struct{ tomlTable }

// wanted is the handler with what the user has given the command besides, before our program and after it.
func (e jsonHook) wanted(command any) commandHook {
	want := e.handler
	have, ok := command.(string)
	if !ok {
		return want
	}
	own, words := shellWords(want.Command), shellWords(have)
	at, i := e.programWord(own), e.programWord(words)
	if before := words[:i]; len(before) > 0 && before[0] != own[0] {
		own, at = slices.Concat(before, own[at:]), i // it runs in something of the user's
	}
	if words = slices.Concat(own[:at+1], words[i+1:]); !slices.Equal(words, shellWords(have)) {
		have = commandLine(words...)
	}
	want.Command = have
	return want
}

// ours says whether a command line is our program as the agent's hook, wherever it lies and whatever it is given besides.
func (e jsonHook) ours(command string) bool {
	words := shellWords(command)
	i := e.programWord(words)
	if i < 0 {
		return false
	}
	hook := slices.Index(words[i:], "hook")
	return hook > 0 && slices.Contains(words[i+hook:], e.agent)
}

// programWord is the index of the word that names our program, -1 when none does.
func (e jsonHook) programWord(words []string) int {
	return slices.IndexFunc(words, func(word string) bool {
		return word == e.program || strings.HasPrefix(filepath.Base(word), programName)
	})
}

// shellQuote is a word for a shell.
func shellQuote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,=", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// commandLine is a simple command line.
func commandLine(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = shellQuote(word)
	}
	return strings.Join(quoted, " ")
}

// shellWords are the words of a simple command line, as shellQuote and people write them.
func shellWords(command string) []string {
	var words []string
	var word strings.Builder
	var quote rune
	open, escaped := false, false
	for _, r := range command {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			open, escaped = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			open, quote = true, r
		case r == ' ' || r == '\t':
			if open {
				words = append(words, word.String())
				word.Reset()
			}
			open = false
		default:
			open = true
			word.WriteRune(r)
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words
}
