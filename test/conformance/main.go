// Command conformance runs a command against the MCP server of this program over HTTP, which is all that the MCP
// conformance suite speaks: it starts a server process for each session and passes messages on as they are.
//
//	conformance -program bin/nvim-agent-diff COMMAND ARGS...
//
// {url} in the arguments is the address. The exit code is the command's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

func main() { os.Exit(run()) }

func run() int {
	program := flag.String("program", "", "the program to test")
	flag.Parse()
	if *program == "" || flag.NArg() == 0 {
		flag.Usage()
		return 2
	}
	code, err := conform(context.Background(), *program, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		return 2
	}
	return code
}

// conform serves the program over HTTP while a command runs.
func conform(ctx context.Context, program string, command []string) (code int, err error) {
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	b := newBridge(program, dir)
	defer b.close()
	server := &http.Server{Handler: b, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // until it is closed
	defer func() { _ = server.Close() }()
	for i := range command {
		command[i] = strings.ReplaceAll(command[i], "{url}", "http://"+listener.Addr().String()+"/mcp")
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	return 0, err
}
