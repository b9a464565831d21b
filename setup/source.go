package setup

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// sourceDoc is a file that is ours as a whole: the source of a plugin.
type sourceDoc struct {
	path    string
	content string
}

// sourceFormat is the [format] of such files.
func sourceFormat(path string, raw []byte) (document, error) {
	return &sourceDoc{path, string(raw)}, nil
}

func (d *sourceDoc) remember([]byte) {}

func (d *sourceDoc) text() []byte {
	if d.content == "" {
		return nil
	}
	return []byte(d.content)
}

// plugin is the one that an agent loads.
type plugin struct{ source string }

func (plugin) part() Part { return Gate }

// pluginCommand is the line of the plugin that says what it runs.
var pluginCommand = regexp.MustCompile(`(?m)^const command = (\[.*\])$`)

func (e plugin) find(d document) (here bool, differs string) {
	content := d.(*sourceDoc).content
	if !strings.Contains(content, programName) || !pluginCommand.MatchString(content) {
		return false, ""
	}
	if content != e.wanted(content) {
		return true, "the plugin is another version's, or runs another program"
	}
	return true, ""
}

func (e plugin) put(d document) error {
	doc := d.(*sourceDoc)
	if here, _ := e.find(doc); !here && doc.content != "" {
		return fmt.Errorf("%s is there already, and is not ours. Nothing was changed", doc.path)
	}
	doc.content = e.wanted(doc.content)
	return nil
}

// wanted is the plugin with what the user has given our program besides.
func (e plugin) wanted(content string) string {
	own, have := pluginWords(e.source), pluginWords(content)
	if len(own) == 0 || len(have) < 2 {
		return e.source
	}
	command := treeOf(append(own[:1:1], have[1:]...)).String()
	return pluginCommand.ReplaceAllLiteralString(e.source, "const command = "+command)
}

// pluginWords is what a plugin runs.
func pluginWords(source string) []string {
	var words []string
	if found := pluginCommand.FindStringSubmatch(source); found == nil || json.Unmarshal([]byte(found[1]), &words) != nil {
		return nil
	}
	return words
}

func (e plugin) take(d document) { d.(*sourceDoc).content = "" }
