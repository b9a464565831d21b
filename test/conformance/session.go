package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"sync"
)

// session is one server process.
type session struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser

	mu      sync.Mutex
	waiting map[string]chan []byte // by a request's id, what goes to who made it
}

func startSession(program, dir string) (*session, error) {
	s := &session{cmd: exec.CommandContext(context.Background(), program, "--root", dir, "mcp"), waiting: map[string]chan []byte{}}
	s.cmd.Dir, s.cmd.Stderr = dir, os.Stderr
	s.cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	var err error
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go s.read(stdout)
	return s, nil
}

// end ends the server as a client does: by the end of its stdin.
func (s *session) end() {
	_ = s.stdin.Close()
	_ = s.cmd.Wait()
}

// send passes a message to the server, on one line.
func (s *session) send(message []byte) {
	var line bytes.Buffer
	if json.Compact(&line, message) == nil {
		line.WriteByte('\n')
		_, _ = s.stdin.Write(line.Bytes()) // a server that has ended gives no answers
	}
}

// request passes a request on. What comes before the answer, and the answer, are in the channel.
func (s *session) request(id string, line []byte) <-chan []byte {
	answers := make(chan []byte, 100)
	s.mu.Lock()
	s.waiting[id] = answers
	s.mu.Unlock()
	s.send(line)
	return answers
}

func (s *session) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, id)
}

// read gives the server's messages to those who wait: an answer to who asked, everything else to anybody.
func (s *session) read(stdout io.Reader) {
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var m message
		if json.Unmarshal(line, &m) == nil {
			s.deliver(m, bytes.TrimSpace(line))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, answers := range s.waiting {
		close(answers)
		delete(s.waiting, id)
	}
}

func (s *session) deliver(m message, line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if answers, ok := s.waiting[string(m.ID)]; ok && m.Method == "" {
		answers <- line
		close(answers)
		delete(s.waiting, string(m.ID))
		return
	}
	for _, answers := range s.waiting {
		select {
		case answers <- line:
		default: // nobody reads so many
		}
		return
	}
}
