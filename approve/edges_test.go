package approve

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nvim-agent-diff/hunks"
)

// TestPipe does not wait for what a pipe would give.
func TestPipe(t *testing.T) {
	w := newWorld(t, nil)
	must(t, syscall.Mkfifo(filepath.Join(w.dir, "pipe"), 0o600))
	const input = `{"requests": [{"tool_call_id": "r", "tool_name": "read_file", "args": {"path": "pipe"}}]}`
	a, described := w.approver(), make(chan string, 1)
	go func() {
		out, err := a.Describe(t.Context(), []byte(input))
		described <- fmt.Sprint(out, err)
	}()
	select {
	case got := <-described:
		if !strings.Contains(got, "pipe is not a regular file") {
			t.Error(got)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for the pipe")
	}
}

// TestLoneSurrogate is refused also beside text that looks like what would stand in its place.
func TestLoneSurrogate(t *testing.T) {
	_, err := (&Approver{}).Run(t.Context(), []byte(
		`{"requests": [{"tool_call_id": "a", "tool_name": "write_file", "args": {"path": "f", "content": "\\ufffd\ud800"}}]}`))
	if bad, ok := errors.AsType[*InputError](err); !ok || bad.Error() != "requests[0].args.content: holds a lone surrogate, which is no character" {
		t.Error(err)
	}
}

// TestUnknownTool gets no argument back that it did not come with, and none where it would replace more than was accepted.
func TestUnknownTool(t *testing.T) {
	call := func(base, payload string) *Decision {
		w := newWorld(t, map[string]string{"f": base})
		w.person.rewrites = func(_ string, text hunks.Text) hunks.Text { return text.With("b\ny\n") }
		return w.run(`{"tool_call_id": "c", "tool_name": "swap", "args": {"file": "f", "from": "a", "to": "c"},
			"metadata": {"type": "edit", "path": "f", "old_string": "a", "new_string": "c"` + payload + `}}`)["c"]
	}
	d := call("a\nz\n", "")
	d.is(t, true, `{"file":"f","from":"a\nz\n","to":"b\ny\n"}`, d.Note)
	d = call("a\na\n", `, "replace_all": true`)
	d.is(t, false, "", "stale_original: What the user accepted cannot be said with the tool swap")
}
