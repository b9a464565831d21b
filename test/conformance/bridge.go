package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
)

const (
	sessionHeader = "Mcp-Session-Id"
	maxMessage    = 64 << 20
)

// bridge is the streamable HTTP transport, without what only servers that speak first need: a GET stream, and events that
// can be asked for again.
type bridge struct {
	program, dir string

	mu       sync.Mutex
	sessions map[string]*session
}

func newBridge(program, dir string) *bridge {
	return &bridge{program: program, dir: dir, sessions: map[string]*session{}}
}

// close ends all servers.
func (b *bridge) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.sessions {
		s.end()
	}
}

// message is what the bridge has to know of one.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// ServeHTTP takes one message of the client's, or the end of a session.
func (b *bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !isLocal(r.Host) || r.Header.Get("Origin") != "" && !isLocal(strings.TrimPrefix(r.Header.Get("Origin"), "http://")):
		http.Error(w, "only for this machine", http.StatusForbidden) // no web page talks to it by another name
	case r.URL.Path != "/mcp":
		http.NotFound(w, r)
	case r.Method == http.MethodPost:
		b.post(w, r)
	case r.Method == http.MethodDelete:
		if s := b.take(r.Header.Get(sessionHeader)); s != nil {
			s.end()
		}
	default:
		http.Error(w, "not offered", http.StatusMethodNotAllowed)
	}
}

func isLocal(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	return name == "localhost" || name == "127.0.0.1" || name == "[::1]" || name == "::1"
}

func (b *bridge) post(w http.ResponseWriter, r *http.Request) {
	line, err := io.ReadAll(io.LimitReader(r.Body, maxMessage))
	var m message
	if err == nil {
		err = json.Unmarshal(line, &m)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	id := r.Header.Get(sessionHeader)
	if m.Method == "initialize" {
		id = rand.Text()
	}
	s, err := b.session(id, m.Method == "initialize")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if s == nil {
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	w.Header().Set(sessionHeader, id)
	if m.Method == "" || m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		s.send(line)
		return
	}
	answers := s.request(string(m.ID), line)
	defer s.forget(string(m.ID))
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		select {
		case answer, open := <-answers:
			if !open {
				return
			}
			fmt.Fprintf(w, "event: message\ndata: %s\n\n", answer)
			w.(http.Flusher).Flush() //nolint:forcetypeassert // every server's writer is one
		case <-r.Context().Done():
			return
		}
	}
}

// session finds a session, or begins one.
func (b *bridge) session(id string, begin bool) (*session, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !begin {
		return b.sessions[id], nil
	}
	s, err := startSession(b.program, b.dir)
	if err == nil {
		b.sessions[id] = s
	}
	return s, err
}

// take takes a session out.
func (b *bridge) take(id string) *session {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.sessions[id]
	delete(b.sessions, id)
	return s
}
