package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"nvim-agent-diff/screen"
)

const (
	// patience is how long the played demo waits for what it expects to see.
	patience = 20 * time.Second
	// glance is the moment that a person takes before the first key. A review that has just taken the focus ignores
	// deciding keys until none has been pressed for a while, so that none meant for something else decides.
	glance = 700 * time.Millisecond
)

// step is one thing that the played person does.
type step struct {
	keys string // what is pressed
	why  string // what the person thinks
	sees string // what the screen shows then
	show bool   // print the screen
}

var steps = []step{
	{"a", "The imports and error values are fine: accept.", "hunk 2/5  1 applied  4 pending", false},
	{"a", "So that was the bug in Add: accept.", "hunk 3/5  2 applied  3 pending", true},
	{"a", "Reserve refuses to sell what is not there: accept.", "hunk 4/5  3 applied  2 pending", false},
	{"a", "And this one ...", "hunk 5/5  4 applied  1 pending", true},
	{"u", "... takes the lock away! Undo.", "hunk 4/5  3 applied  2 pending", false},
	{"r", "No: reject.", "hunk 5/5  3 applied  1 rejected  1 pending", true},
	{"q", "Done?", "1 undecided hunks left. Finish anyway?", true},
	{"n", "No, one is left.", "hunk 5/5  3 applied  1 rejected  1 pending", false},
	{"a", "Quantities in the report: accept.", "4 applied  1 rejected", true},
}

// play presses the keys of a person in a Neovim of its own, and prints what that person sees.
func (d *demo) play(ctx context.Context) error {
	nvim, err := screen.Start(screen.Options{
		Nvim: d.Nvim, Args: []string{"--clean", fileName}, Dir: d.dir, Width: 140, Height: 36,
	})
	if err != nil {
		return err
	}
	defer func() { _ = nvim.Close() }()
	defer context.AfterFunc(ctx, func() { _ = nvim.Close() })() // what waits for it then ends
	agent, err := d.startAgent(ctx, nvim.Addr(), nvim.Env())
	if err != nil {
		return err
	}
	defer agent.close()

	d.title("%s before", fileName)
	d.show(before)
	fmt.Fprintf(d.Out, "\nThe agent calls propose_file_edit: %s.\n", description)
	call := agent.propose()
	if err := d.decide(nvim, call); err != nil {
		select {
		case <-call.done:
			return errors.Join(fmt.Errorf("%w\nthe call had ended: %+v", err, call.answer), call.err)
		default:
			return fmt.Errorf("%w\nthe server says:\n%s", err, agent.stderr)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	told, err := call.wait(ctx)
	if err != nil {
		return fmt.Errorf("waiting for the answer: %w", err)
	}
	d.screen(nvim, "Neovim afterwards")
	return d.verify(told)
}

// decide goes through the review, key by key.
func (d *demo) decide(nvim *screen.Screen, call *pending) error {
	if err := nvim.Wait(patience, "the review, or an error", func(shot *screen.Snapshot) bool {
		return shot.Contains("Progress: 0/5 applied") || !call.isOpen()
	}); err != nil {
		return err
	}
	d.screen(nvim, "A review opens in the user's Neovim, beside the file")
	time.Sleep(glance)
	for _, s := range steps {
		if !call.isOpen() {
			return fmt.Errorf("the agent was answered before the review was finished")
		}
		if err := nvim.Input(s.keys); err != nil {
			return err
		}
		if err := nvim.WaitText(patience, s.sees); err != nil {
			return err
		}
		if s.show {
			d.screen(nvim, fmt.Sprintf("%s   The user presses %s", s.why, s.keys))
		} else {
			fmt.Fprintf(d.Out, "\n== %s   The user presses %s\n", s.why, s.keys)
		}
	}
	fmt.Fprintf(d.Out, "\n== That is all.   The user presses q\n")
	return nvim.Input("q")
}

func (d *demo) screen(nvim *screen.Screen, title string) {
	d.title("%s", title)
	if d.Colors {
		d.show(nvim.ANSI())
		return
	}
	d.show(nvim.Text())
}

// verify prints what has become of it, and compares it with what the keys meant.
func (d *demo) verify(told *answer) error {
	now, err := os.ReadFile(d.file)
	if err != nil {
		return err
	}
	d.title("%s after", fileName)
	d.show(string(now))
	d.title("What the agent was told")
	d.show(told.Text)

	var p problems
	p.check(string(now) == after, "%s does not hold what was accepted", fileName)
	p.check(!told.IsError && told.Decision == "accepted", "the decision should be accepted, it is %q", told.Decision)
	p.check(told.Saved, "the answer should say that the file was saved")
	h := told.Hunks
	p.check(h.Total == 5 && h.Applied == 4 && h.Rejected == 1, "4 of 5 hunks should be applied and 1 rejected: %+v", h)
	if len(p) == 0 {
		fmt.Fprintf(d.Out, "\nAll of it happened: 4 of 5 hunks are in the file, and the agent knows which.\n")
	}
	return p.err()
}
