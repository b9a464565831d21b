package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"nvim-agent-diff/screen"
)

const patience = 30 * time.Second

type bench struct {
	nvim, program string
	runs          int
	rows          []row

	dir    string
	screen *screen.Screen
	calls  int
}

func (b *bench) all() error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if b.dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	if b.screen, err = screen.Start(screen.Options{Nvim: b.nvim, Args: []string{"--clean"}, Dir: b.dir}); err != nil {
		return err
	}
	defer func() { _ = b.screen.Close() }()
	// A review that takes the focus by itself waits for a pause before keys decide: not what is measured here.
	if err := b.screen.Lua(nil, "vim.g.agent_diff = { arm_ms = 0 }"); err != nil {
		return err
	}
	goals := map[int]string{1000: "3 ms", 10_000: "8 ms", 100_000: "90 ms"}
	// What this program itself leaves behind it clears away between the measurements.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, lines := range []int{1000, 10_000, 100_000} {
		if err := b.file(lines, goals[lines]); err != nil {
			return err
		}
	}
	if err := b.colours(); err != nil {
		return err
	}
	if err := b.startup(); err != nil {
		return err
	}
	return b.start()
}

// changedLine is what the review shows of the first change, and nothing else does.
const changedLine = "+    changed "

// texts are a file of many lines of some 44 bytes, like those of a program, and the same with one change in every hundred
// lines. The lines differ in more than a number: Lua's hash of a string looks at a few of its bytes only.
func texts(lines int) (original, modified string) {
	words := strings.Fields("accept buffer channel decide editor file granted hunk index join key line mark note offer place " +
		"queue review source text undo view wait yield")
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string { return words[random.IntN(len(words))] }
	var a, m strings.Builder
	for i := range lines {
		line := fmt.Sprintf("    %s_%s := %s.%s(%s, %d)\n", word(), word(), word(), word(), word(), i)
		a.WriteString(line)
		if i%100 == 50 {
			line = "    changed " + line[4:]
		}
		m.WriteString(line)
	}
	return a.String(), m.String()
}

// file measures one size of file.
func (b *bench) file(lines int, goal string) error {
	name := fmt.Sprintf("f%d.txt", lines)
	path := filepath.Join(b.dir, name)
	original, modified := texts(lines)
	a, err := startAgent(b.program, b.screen.Addr(), b.dir)
	if err != nil {
		return err
	}
	defer a.end()
	var opened, key, all, finish sample
	var least floors
	for i := range b.runs + 1 {
		runtime.GC() // see all
		if err := os.WriteFile(path, []byte(original), 0o600); err != nil {
			return err
		}
		// Drawn within the request: a Neovim that still draws would be measured with what comes next.
		if err := b.screen.Lua(nil, "vim.cmd.edit({ args = { ... }, bang = true }) vim.cmd.redraw()", path); err != nil {
			return err
		}
		o, k, m, f, err := b.review(a, name, original, modified)
		if err != nil {
			return err
		}
		if i == 0 {
			continue // attaching and warming up
		}
		opened, key, all, finish = append(opened, o), append(key, k...), append(all, m), append(finish, f)
		if err := b.floor(&least, path, original, modified); err != nil {
			return err
		}
	}
	size := strconv.Itoa(lines) + " lines"
	b.add("tools/call written → review drawn, "+size, opened, least.opened, goal)
	b.add("key → buffer changed and mark drawn, "+size, key, least.key, "1 ms")
	if lines == 100_000 {
		b.add("accept all of 1,000 hunks", all, nil, "60 ms")
		b.rows = append(b.rows, row{what: "peak memory of the program, " + size, median: a.peak(), goal: "100 MB"})
	}
	goal = ""
	if lines == 1000 {
		goal = "2 ms"
	}
	b.add("finish → result line (with the file written), "+size, finish, least.finish, goal)
	return nil
}

// keys is how many keys of each review are measured, the first of them right after the first frame.
const keys = 5

// review measures one review: until it is drawn, keys until their marks are drawn, the rest accepted, and the finish until
// the result line.
func (b *bench) review(a *agent, name, original, modified string) (opened time.Duration, key sample, all, finish time.Duration, err error) {
	b.calls++
	line, err := proposal(b.calls, name, original, modified)
	if err != nil {
		return 0, nil, 0, 0, err
	}
	start := time.Now()
	if _, err = a.stdin.Write(line); err != nil {
		return 0, nil, 0, 0, err
	}
	if opened, err = b.until(start, changedLine); err != nil {
		return 0, nil, 0, 0, err
	}
	for i := range keys {
		start = time.Now()
		if err = b.screen.Input("a"); err != nil {
			return 0, nil, 0, 0, err
		}
		took, err := b.until(start, fmt.Sprintf("%d applied", i+1))
		if err != nil {
			return 0, nil, 0, 0, err
		}
		key = append(key, took)
	}
	var us any
	if err = b.screen.Lua(&us, acceptAll); err != nil {
		return 0, nil, 0, 0, err
	}
	micros, _ := us.(float64)
	all = time.Duration(micros * float64(time.Microsecond))
	start = time.Now()
	if err = b.screen.Input("q"); err != nil {
		return 0, nil, 0, 0, err
	}
	at, err := a.result()
	return opened, key, all, at.Sub(start), err
}

// acceptAll accepts all pending hunks as the key A does, but stays, and tells how long it took in microseconds.
const acceptAll = `
local review = require('agent_diff.queue').shown
local started = vim.uv.hrtime()
review:decide(vim.tbl_filter(function(hunk) return hunk.state == 'pending' end, review.hunks), 'accept')
local took = (vim.uv.hrtime() - started) / 1000
vim.cmd.redraw()
return took`

// until is the time from start until the first frame that shows a text.
func (b *bench) until(start time.Time, text string) (time.Duration, error) {
	var at time.Time
	err := b.screen.Wait(patience, text, func(s *screen.Snapshot) bool {
		if !strings.Contains(s.Text(), text) {
			return false
		}
		at = s.At
		return true
	})
	return at.Sub(start), err
}

// start measures from the start of the process to the answer to initialize.
func (b *bench) start() error {
	var s sample
	for range b.runs {
		a, err := startAgent(b.program, b.screen.Addr(), b.dir)
		if err != nil {
			return err
		}
		s = append(s, a.ready)
		a.end()
	}
	b.add("process start → initialize answered", s, nil, "30 ms")
	return nil
}
