// Package model is a language model that plays a script, in the protocols that the agents speak: Anthropic's messages,
// OpenAI's responses and chat completions, Gemini's generateContent. It keeps what it is told.
package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Turn is one answer of the model: a call of a tool, or words that end the conversation.
type Turn struct {
	Tool string         // "" for words. What is before a slash is the tool's namespace, where the protocol knows them
	Args map[string]any // of the call
	Free string         // the argument of a tool that takes free text
	Text string         // the words
}

// Server is a model that listens on the loopback.
type Server struct {
	turns []Turn
	http  *http.Server
	addr  string

	mu    sync.Mutex
	shown []string // the tools' results, as the newest request has them
	asked int      // requests with tools
	log   io.Writer
}

// protocol is how requests are read and answers are written.
type protocol struct {
	// history is what was said so far: how many calls the model has made, and what the tools answered.
	history func(body map[string]any) (calls int, results []string)
	// answer writes a turn. id is of the call.
	answer func(w *stream, turn Turn, id string)
}

// Start starts a model. Every request is written to log, which may be nil.
func Start(turns []Turn, log io.Writer) (*Server, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{turns: turns, addr: listener.Addr().String(), log: log}
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.http.Serve(listener) }()
	return s, nil
}

// URL is where it listens.
func (s *Server) URL() string { return "http://" + s.addr }

// Close ends it.
func (s *Server) Close() { _ = s.http.Close() }

// Shown is what the tools answered, as the model is shown it.
func (s *Server) Shown() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.shown...)
}

// Asked is how often an answer was asked for.
func (s *Server) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func protocolOf(path string) (protocol, bool) {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return anthropic, true
	case strings.HasSuffix(path, "/responses"):
		return responses, true
	case strings.HasSuffix(path, "/chat/completions"):
		return chat, true
	case strings.HasSuffix(path, "enerateContent"):
		return gemini, true
	}
	return protocol{}, false
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	p, known := protocolOf(r.URL.Path)
	var body map[string]any
	if json.Unmarshal(raw, &body) != nil || r.Method != http.MethodPost || !known {
		s.note(r, nil)
		http.NotFound(w, r)
		return
	}
	s.note(r, raw)
	turn, id := Turn{Text: "Short title"}, ""
	if tools, ok := body["tools"].([]any); ok && len(tools) > 0 { // else a side request: a title for the session
		calls, results := p.history(body)
		turn, id = s.turn(calls, results), fmt.Sprintf("call_%d", calls)
	}
	p.answer(&stream{w, w.(http.Flusher), body["stream"] == true || strings.Contains(r.URL.Path, "stream"), body}, turn, id)
}

// turn is the next one. It is chosen by what was said, not by a count of our own: agents repeat requests.
func (s *Server) turn(calls int, results []string) Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	s.shown = results
	return s.turns[min(calls, len(s.turns)-1)]
}

func (s *Server) note(r *http.Request, body []byte) {
	if s.log == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = fmt.Fprintf(s.log, "%s %s\n%s\n", r.Method, r.URL, body) // a log that cannot be written ends no run
}

// stream is an answer, as events or whole.
type stream struct {
	w       http.ResponseWriter
	flush   http.Flusher
	events  bool
	request map[string]any
}

// event sends a server-sent event.
func (s *stream) event(name string, data any) {
	if s.w.Header().Get("Content-Type") == "" {
		s.w.Header().Set("Content-Type", "text/event-stream")
	}
	if name != "" {
		_, _ = fmt.Fprintf(s.w, "event: %s\n", name) // an agent that has gone reads no more
	}
	_, _ = fmt.Fprintf(s.w, "data: %s\n\n", text(data))
	s.flush.Flush()
}

// whole sends an answer that is one document.
func (s *stream) whole(data any) {
	s.w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(s.w, text(data))
}

// text is a value as JSON, and a string as it is.
func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // our own values can be written
	}
	return string(raw)
}

// obj is a JSON object.
type obj = map[string]any

// items are the objects of a list.
func items(v any) []obj {
	list, _ := v.([]any)
	var out []obj
	for _, one := range list {
		if o, ok := one.(obj); ok {
			out = append(out, o)
		}
	}
	return out
}

// words are the texts of a result, which is a string, or a list of blocks.
func words(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var out []string
	for _, block := range items(v) {
		if s, ok := block["text"].(string); ok {
			out = append(out, s)
		}
	}
	if out == nil && v != nil {
		return text(v)
	}
	return strings.Join(out, "\n")
}
