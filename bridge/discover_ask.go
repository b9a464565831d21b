package bridge

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

//go:embed discover.lua
var discoverChunk string

// askAll asks all candidates at once. Two addresses of one Neovim become one candidate.
func (f *Finder) askAll(ctx context.Context, candidates []Candidate, file string) []Candidate {
	answers := make([]Candidate, len(candidates))
	var all sync.WaitGroup
	for i, c := range candidates {
		all.Go(func() { answers[i] = f.ask(ctx, c, file) })
	}
	all.Wait()
	once := answers[:0]
	pids := map[int]bool{}
	for _, c := range answers {
		if c.Version != "" {
			if pids[c.PID] {
				continue
			}
			pids[c.PID] = true
		}
		once = append(once, c)
	}
	return once
}

// ask learns from a candidate, or from outside when it waits at a prompt, all that decides. Passed says why it is out of
// the question.
func (f *Finder) ask(ctx context.Context, c Candidate, file string) Candidate {
	limit := cmp.Or(f.answer, answerLimit)
	dialling, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	client, err := dial(dialling, c.Addr, nil)
	if err != nil {
		c.Passed = dialFailure(err)
		return c
	}
	defer client.Close()
	ctx, cancel = context.WithTimeout(ctx, limit)
	defer cancel()
	answer, prompt, err := question(ctx, client, file)
	if prompt {
		c.AtPrompt = true
		c.Dirs = append(c.Dirs, processDir(c.PID)...)
		return c
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		// One that the user named is used all the same, like one that only has no time now: the review waits for it.
		c.Busy = true
		c.Dirs = append(c.Dirs, processDir(c.PID)...)
		if !c.given && !c.around() {
			c.Passed = idle(c.PID, limit)
		}
		return c
	case err != nil:
		c.Passed = "it is no Neovim, or one that is ending: " + err.Error()
		return c
	}
	return c.learn(answer)
}

// question runs discover.lua. The mode is asked only when the answer takes long: the question would have Neovim wait for
// a key anew, and so say of every Neovim that it was used just now.
func question(ctx context.Context, client *Client, file string) (answer Value, prompt bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		value Value
		err   error
	}
	answered := make(chan result, 1)
	go func() {
		var r result
		r.err = client.Lua(ctx, &r.value, discoverChunk, file)
		answered <- r
	}()
	slow := time.NewTimer(promptAfter)
	defer slow.Stop()
	select {
	case r := <-answered:
		return r.value, false, r.err
	case <-slow.C:
	}
	if _, blocking, err := client.Mode(ctx); err == nil && blocking {
		return Value{}, true, nil
	}
	r := <-answered
	return r.value, false, r.err
}

// learn takes over what discover.lua said.
func (c Candidate) learn(answer Value) Candidate {
	c.Version, c.PID = answer.Key("version").Text(), answer.Key("pid").Int()
	if answer.Key("old").Bool() {
		c.old = true
		c.Passed = fmt.Sprintf("too old (%s; 0.10 or newer is needed)", c.Version)
		return c
	}
	c.UIs, c.Dirs, c.Loaded = answer.Key("uis").Int(), answer.Key("dirs").Texts(), answer.Key("loaded").Bool()
	c.LastUsed = time.Unix(int64(answer.Key("lastused").Int()), 0)
	switch {
	case answer.Err() != nil:
		c.Passed = answer.Err().Error()
	case c.UIs == 0 && !c.given:
		c.Passed = "it has no screen attached"
	}
	return c
}

// processDir is the working folder of a process, where the system tells it: Neovim's own is that of its current window.
func processDir(pid int) []string {
	if pid <= 0 {
		return nil
	}
	dir, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "cwd"))
	if err != nil {
		return nil
	}
	return []string{dir}
}

// idle says why a process that does not answer is not worth waiting for; empty when it runs, and is no Neovim without a
// screen. Where the system does not tell, it is not.
func idle(pid int, limit time.Duration) string {
	passed := fmt.Sprintf("it did not answer within %d ms", limit.Milliseconds())
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	_, state, found := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	if pid <= 0 || err != nil || !found {
		return passed + ": it is busy or suspended"
	}
	if !strings.ContainsAny(state[:1], "RSD") {
		return passed + ": it is suspended"
	}
	line, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	for arg := range strings.SplitSeq(string(line), "\x00") {
		switch arg {
		case "--headless", "-es", "-Es", "-l":
			return passed + ", and it was started without a screen"
		}
	}
	return ""
}

// dialFailure says why nobody is there, without Go's own words for it.
func dialFailure(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "it has ended (nobody listens there)"
	case errors.Is(err, os.ErrNotExist):
		return "it has ended (there is no such socket)"
	case errors.Is(err, context.DeadlineExceeded):
		return "it did not take the connection in time"
	}
	return err.Error()
}
