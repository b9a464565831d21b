package test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// result is how a call ended. Its methods say what it should be.
type result struct {
	t          testing.TB
	Text       string
	IsError    bool
	Structured *structured
	Raw        json.RawMessage // structuredContent as it came
	Protocol   string          // a JSON-RPC error's message, when it was one
}

type structured struct {
	Message  string
	Decision string
	Path     string
	Saved    bool
	Hunks    struct{ Total, Applied, Rejected, Pending, Conflict int }
	Results  []struct {
		Index         int
		Header        string
		State         string
		Edited        bool
		Partial       bool
		Comment       string
		StillInBuffer bool `json:"still_in_buffer"`
	} `json:"hunk_results"`
	AppliedDiff string `json:"applied_diff"`
	Diagnostics []struct {
		Line             int
		Severity, Source string
	}
	Comment string
}

// result waits for the answer.
func (c *call) result() *result {
	c.a.t.Helper()
	answer := c.wait()
	r := &result{t: c.a.t}
	if answer.Error != nil {
		r.Protocol = answer.Error.Message
		return r
	}
	var body struct {
		Content           []struct{ Type, Text string }
		IsError           bool
		StructuredContent json.RawMessage
	}
	must(c.a.t, json.Unmarshal(answer.Result, &body))
	for _, part := range body.Content {
		r.Text += part.Text
	}
	r.IsError, r.Raw = body.IsError, body.StructuredContent
	if body.StructuredContent != nil {
		r.Structured = &structured{}
		must(c.a.t, json.Unmarshal(body.StructuredContent, r.Structured))
	}
	return r
}

const acceptedText = `✓ Changes accepted and applied to %s

The buffer has been updated with your proposed changes. %s`

const (
	savedText   = "The file has been saved."
	unsavedText = "Save the buffer when ready."
)

const rejectedText = `✗ REJECTED: User explicitly declined changes to %s

STOP: Do NOT retry or propose alternative changes. The user has made a
deliberate decision to reject this edit. Report to the user that the
changes were not applied and ask if they would like to proceed differently.`

// accepted: a person accepted, and the file was saved or not.
func (r *result) accepted(path string, saved bool) *result {
	r.t.Helper()
	last := unsavedText
	if saved {
		last = savedText
	}
	r.decided("accepted", path, saved, fmt.Sprintf(acceptedText, shown(path), last))
	return r
}

// rejected: a person declined.
func (r *result) rejected(path string) *result {
	r.t.Helper()
	r.decided("rejected", path, false, fmt.Sprintf(rejectedText, shown(path)))
	return r
}

// shown is a path as the texts name it: as the agent gave it, but quoted when it has control characters.
func shown(path string) string {
	if strings.ContainsAny(path, "\n\t\x1b") {
		return strconv.Quote(path)
	}
	return path
}

func (r *result) decided(decision, path string, saved bool, head string) {
	r.t.Helper()
	if r.IsError || r.Protocol != "" || r.Structured == nil {
		r.t.Fatalf("no decision but an error: %s%s", r.Text, r.Protocol)
	}
	if !strings.HasPrefix(r.Text+"\n", head+"\n") {
		r.t.Errorf("the text should begin\n%s\nit is\n%s", head, r.Text)
	}
	if s := r.Structured; s.Decision != decision || s.Path != path || s.Saved != saved || s.Message != r.Text {
		r.t.Errorf("should be %s, %s, saved %v, with the text as its message:\n%s", decision, path, saved, r.Raw)
	}
}

// hunks: so many in each state.
func (r *result) hunks(applied, rejected, pending, conflict int) *result {
	r.t.Helper()
	h := r.Structured.Hunks
	if h.Applied != applied || h.Rejected != rejected || h.Pending != pending || h.Conflict != conflict ||
		h.Total != applied+rejected+pending+conflict {
		r.t.Errorf("hunks should be applied %d, rejected %d, pending %d, conflict %d: %+v", applied, rejected, pending, conflict, h)
	}
	if line := fmt.Sprintf("%d of %d hunks applied, %d rejected, %d undecided, %d in conflict.",
		applied, h.Total, rejected, pending, conflict); !strings.Contains(r.Text, line) {
		r.t.Errorf("the text should contain %q:\n%s", line, r.Text)
	}
	counted := map[string]int{}
	for i, h := range r.Structured.Results {
		counted[h.State]++
		if h.Index != i+1 || !strings.HasPrefix(h.Header, "@@ ") {
			r.t.Errorf("hunk result %d: %+v", i, h)
		}
	}
	if counted["applied"] != applied || counted["rejected"] != rejected || counted["pending"] != pending ||
		counted["conflict"] != conflict {
		r.t.Errorf("hunk_results should count the same: %v", counted)
	}
	return r
}

// failed: no person's decision, but an error with this code.
func (r *result) failed(code string) *result {
	r.t.Helper()
	if !r.IsError || !strings.HasPrefix(r.Text, code+": ") {
		r.t.Errorf("should be the error %s: %s%s", code, r.Text, r.Protocol)
	}
	if r.Raw != nil {
		r.t.Errorf("an error has no structuredContent: %s", r.Raw)
	}
	if strings.Contains(r.Text, "STOP") || strings.Contains(r.Text, "REJECTED") {
		r.t.Errorf("an error is not a person's no: %s", r.Text)
	}
	return r
}

// says: the text contains all of these.
func (r *result) says(texts ...string) *result {
	r.t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.Text, text) {
			r.t.Errorf("the text should contain %q:\n%s", text, r.Text)
		}
	}
	return r
}

// silent: the text contains none of these.
func (r *result) silent(texts ...string) *result {
	r.t.Helper()
	for _, text := range texts {
		if strings.Contains(r.Text, text) {
			r.t.Errorf("the text should not contain %q:\n%s", text, r.Text)
		}
	}
	return r
}
