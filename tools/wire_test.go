package tools

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
	"nvim-agent-diff/test/golden"
)

// The files in testdata/wire are conversations, line by line: "> " is what the client sends, "< " what the server sends
// then, and "# " says what it is about. $ROOT is the project's folder. With -update, what stands behind "< " is written
// anew; how many lines there are is the author's to say.
func TestWire(t *testing.T) {
	files, err := filepath.Glob("testdata/wire/*.txt")
	must(t, err)
	if len(files) == 0 {
		t.Fatal("no conversations")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			script, err := os.ReadFile(file)
			must(t, err)
			golden.Check(t, "wire/"+filepath.Base(file), talk(t, string(script)))
		})
	}
}

// talk plays the client's part of a conversation, and is the whole of it.
func talk(t *testing.T, script string) string {
	dir := project(t, map[string]string{"f.txt": "one\ntwo\nthree\n", "crlf.txt": "one\r\ntwo\r\n", "many.txt": "func one() {\n\treturn x\n}\n\nfunc two() {\n\treturn x\n}\n", "sub/x": "", "binary": "\x00", "latin1.txt": "caf\xe9\n"})
	must(t, os.Mkdir(filepath.Join(dir, ".git"), 0o755))
	server, err := New(Options{Reviewer: scripted, Dir: dir, Version: "v1.2.3"})
	must(t, err)
	c := connect(t, t.Context(), server)
	var out strings.Builder
	for line := range strings.Lines(script) {
		text := strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(text, "> "):
			c.send(strings.ReplaceAll(text[2:], "$ROOT", dir))
		case strings.HasPrefix(text, "<"):
			got := c.receive()
			if !json.Valid([]byte(got)) {
				t.Errorf("no JSON: %s", got)
			}
			line = "< " + strings.ReplaceAll(got, dir, "$ROOT") + "\n"
		}
		out.WriteString(line)
	}
	must(t, c.in.Close())
	for line := range c.lines {
		t.Errorf("one line too many: %s", line)
	}
	must(t, <-c.served)
	return out.String()
}

// scripted decides as the description says.
var scripted = &fakeReviewer{func(_ context.Context, p review.Proposal, _ func(string)) (*review.Outcome, error) {
	switch p.Description {
	case "accept":
		return decide(p, hunks.Applied)
	case "reject":
		return decide(p, hunks.Rejected)
	case "no editor":
		return nil, review.Errorf(review.EditorUnavailable, "No Neovim was found. Nothing was changed.")
	case "panic":
		panic("as the description says")
	}
	return nil, review.Errorf(review.ToolFailed, "from %q, in %s, of %s", p.Agent, p.Root, p.Files[0].Name)
}}
