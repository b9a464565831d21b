package agents

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"

	"nvim-agent-diff/review"
)

// Gemini shows its model what a hook says after an edit, not before it. So what is to be said waits in a file until then.
// A call has no number there; session, tool and files tell which one it is.

// noteTime is how long a note is kept for a hook that never comes.
const noteTime = 24 * time.Hour

// noteName is the file of a call's note.
func (g *Gate) noteName(c *call, files []review.File) string {
	h := sha256.New()
	for _, s := range append([]string{g.Agent.Name, c.session, c.tool}, absolutes(files)...) {
		h.Write([]byte(s + "\x00"))
	}
	return filepath.Join(g.Notes, hex.EncodeToString(h.Sum(nil))[:32])
}

func absolutes(files []review.File) []string {
	var all []string
	for _, f := range files {
		all = append(all, f.Abs)
	}
	return all
}

// keepNote keeps a note until the call's second hook; an empty one takes away what is left of a call whose second hook never
// came. A note that cannot be kept is lost: the edit goes on as decided.
func (g *Gate) keepNote(c *call, files []review.File, note string) {
	if _, ok := g.Agent.form.(gemini); !ok {
		return
	}
	if note == "" {
		_ = os.Remove(g.noteName(c, files))
		return
	}
	err := os.MkdirAll(g.Notes, 0o700)
	if err == nil {
		g.forgetNotes()
		err = os.WriteFile(g.noteName(c, files), []byte(note), 0o600)
	}
	if err != nil {
		g.Log.Warn("a note is lost", "error", err)
	}
}

// takeNote takes the note of a call's first hook.
func (g *Gate) takeNote(c *call, files []review.File) string {
	if _, ok := g.Agent.form.(gemini); !ok {
		return ""
	}
	name := g.noteName(c, files)
	note, err := os.ReadFile(name)
	if err != nil {
		return "" // there is none
	}
	_ = os.Remove(name)
	return string(note)
}

// forgetNotes removes the notes whose second hook never came.
func (g *Gate) forgetNotes() {
	entries, err := os.ReadDir(g.Notes)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > noteTime {
			_ = os.Remove(filepath.Join(g.Notes, e.Name()))
		}
	}
}
