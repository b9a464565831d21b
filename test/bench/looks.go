package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// colours measures how long a proposal of 10,000 lines of code takes until it is drawn and until its code is coloured.
func (b *bench) colours() error {
	a, err := startAgent(b.program, b.screen.Addr(), b.dir)
	if err != nil {
		return err
	}
	defer a.end()
	original, modified := texts(10_000)
	if err := os.WriteFile(filepath.Join(b.dir, "f.go"), []byte(original), 0o600); err != nil {
		return err
	}
	var drawn, coloured sample
	for i := range b.runs + 1 {
		b.calls++
		line, err := proposal(b.calls, "f.go", original, modified)
		if err != nil {
			return err
		}
		start := time.Now()
		if _, err = a.stdin.Write(line); err != nil {
			return err
		}
		d, err := b.until(start, changedLine)
		if err != nil {
			return err
		}
		if err := b.screen.Until(patience, "colours", hasColours); err != nil {
			return err
		}
		c := time.Since(start)
		if err := b.screen.Input("R"); err != nil {
			return err
		}
		if _, err := a.result(); err != nil {
			return err
		}
		if i > 0 { // the first one loads modules
			drawn, coloured = append(drawn, d), append(coloured, c)
		}
	}
	b.add("tools/call written → review drawn, 10000 lines of Go", drawn, nil, "")
	b.add("tools/call written → its code coloured", coloured, nil, "")
	return nil
}

const hasColours = `
local words = vim.api.nvim_get_namespaces()['agent_diff.words']
return words ~= nil and #vim.api.nvim_buf_get_extmarks(0, words, 0, -1, { limit = 1 }) > 0`

// sourced is a line of --startuptime: clock, time with what it sources itself, time without that.
var sourced = regexp.MustCompile(`(?m)^[\d.]+ +([\d.]+) +[\d.]+: sourcing .*plugin/agent_diff\.lua$`)

// startup measures what the plugin costs a Neovim that starts, and no agent is there.
func (b *bench) startup() error {
	repository, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	log := filepath.Join(b.dir, "startuptime")
	var s sample
	for range b.runs {
		cmd := exec.CommandContext(context.Background(), b.nvim,
			"--headless", "--clean", "--cmd", "set rtp^="+strings.ReplaceAll(repository, " ", `\ `), "--startuptime", log, "+qall")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		text, err := os.ReadFile(log)
		if err != nil {
			return err
		}
		found := sourced.FindSubmatch(text)
		if found == nil {
			return fmt.Errorf("the plugin was not loaded:\n%s", text)
		}
		took, err := time.ParseDuration(string(found[1]) + "ms")
		if err != nil {
			return err
		}
		s = append(s, took)
		if err := os.Remove(log); err != nil {
			return err
		}
	}
	b.add("the plugin in the start of Neovim", s, nil, "1 ms")
	return nil
}
