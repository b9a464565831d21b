package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// agent is a client of a real server process, line by line over its stdio.
type agent struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Reader
	ready time.Duration // from the start of the process to the answer to initialize
}

func startAgent(program, addr, dir string) (*agent, error) {
	a := &agent{cmd: exec.CommandContext(context.Background(), program, "--nvim", addr, "mcp")}
	a.cmd.Dir = dir
	a.cmd.Stderr = os.Stderr
	var err error
	if a.stdin, err = a.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.lines = bufio.NewReaderSize(out, 1<<20)
	start := time.Now()
	if err := a.cmd.Start(); err != nil {
		return nil, err
	}
	hello := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"bench","version":"1"}}}` + "\n"
	if _, err := io.WriteString(a.stdin, hello); err != nil {
		return nil, err
	}
	if _, err := a.lines.ReadString('\n'); err != nil {
		return nil, err
	}
	a.ready = time.Since(start)
	_, err = io.WriteString(a.stdin, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return a, err
}

// proposal is the line of a tools/call.
func proposal(id int, path, original, modified string) ([]byte, error) {
	line, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "method": "tools/call",
		"params": map[string]any{"name": "propose_file_edit", "arguments": map[string]string{
			"path": path, "original": original, "modified": modified, "description": "a benchmark",
		}},
	})
	return append(line, '\n'), err
}

// result reads the answer's line, and says when it came.
func (a *agent) result() (time.Time, error) {
	line, err := a.lines.ReadString('\n')
	at := time.Now()
	if err == nil && !strings.Contains(line, `"decision"`) {
		err = fmt.Errorf("no decision: %.300s", line)
	}
	return at, err
}

// peak is the most memory that the process has had, as the kernel says it ("87364 kB"); empty where it does not.
func (a *agent) peak() string {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", a.cmd.Process.Pid))
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func (a *agent) end() {
	_ = a.stdin.Close()
	_ = a.cmd.Wait()
}
