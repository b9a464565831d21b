package setup

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// maxLine is the longest answer that is read.
const maxLine = 16 << 20

// peer is a program that answers JSON-RPC, a message to a line.
type peer struct {
	stdin  io.WriteCloser
	lines  *bufio.Scanner
	stderr *bytes.Buffer
	cmd    *exec.Cmd
	last   int
}

// startPeer starts it. It is killed when ctx ends.
func startPeer(ctx context.Context, dir string, env, argv []string) (*peer, error) {
	p := &peer{cmd: exec.CommandContext(ctx, argv[0], argv[1:]...), stderr: &bytes.Buffer{}}
	p.cmd.Dir, p.cmd.Env = dir, env
	p.cmd.Stderr = p.stderr
	p.cmd.WaitDelay = time.Second
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.lines = bufio.NewScanner(out)
	p.lines.Buffer(nil, maxLine)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	return p, nil
}

type message struct {
	Version string          `json:"jsonrpc"`
	ID      int             `json:"id,omitempty"` // none for a notification
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

func (p *peer) send(m message) error {
	m.Version = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = p.stdin.Write(append(line, '\n'))
	return err
}

func (p *peer) notify(method string) error { return p.send(message{Method: method}) }

// call waits for the answer. What else the other side says meanwhile is passed over.
func (p *peer) call(method string, params, result any) error {
	p.last++
	if p.send(message{ID: p.last, Method: method, Params: params}) != nil {
		return p.died()
	}
	for p.lines.Scan() {
		var m message
		if json.Unmarshal(p.lines.Bytes(), &m) != nil || m.ID != p.last || m.Method != "" {
			continue
		}
		if m.Error != nil {
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		}
		return json.Unmarshal(m.Result, result)
	}
	return p.died()
}

// died is why there is no answer: what the program says of itself, if it does.
func (p *peer) died() error {
	_ = p.cmd.Wait()
	if said := strings.TrimSpace(p.stderr.String()); said != "" {
		return errors.New(lastLine(said))
	}
	return errors.New("it ended without an answer")
}

func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

// close ends the program as an agent does that is done.
func (p *peer) close() {
	_ = p.stdin.Close()
	_ = p.cmd.Wait()
}
