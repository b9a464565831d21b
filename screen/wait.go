package screen

import (
	"fmt"
	"strings"
	"time"
)

// WaitError is a condition that did not come about.
type WaitError struct {
	What   string    // the condition
	Cause  error     // ErrTimeout or ErrGone
	Screen *Snapshot // the last frame
}

// Error shows the screen.
func (e *WaitError) Error() string {
	lines := strings.Split(strings.TrimRight(e.Screen.Text(), "\n"), "\n")
	row, col := e.Screen.Cursor()
	return fmt.Sprintf("%v: waited for: %s\nthe screen (mode %s, cursor %d,%d, frame %d):\n  | %s\n",
		e.Cause, e.What, e.Screen.Mode, row, col, e.Screen.Frame, strings.Join(lines, "\n  | "))
}

// Unwrap is the cause.
func (e *WaitError) Unwrap() error { return e.Cause }

// Wait returns nil as soon as the condition holds. It is tried now, on a frame that may be older than what Neovim has done
// since (see [Screen.CatchUp]), after every frame, and after every event that
// [Screen.Listen] asked for; it may call the Screen's methods. After the timeout the error, a [*WaitError], shows the
// screen.
func (s *Screen) Wait(timeout time.Duration, what string, cond func(*Snapshot) bool) error {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	for {
		s.mu.Lock()
		shot, changed := s.front, s.changed
		s.mu.Unlock()
		if cond(shot) {
			return nil
		}
		select {
		case <-changed:
		case <-s.done:
			if shot = s.last(); cond(shot) { // the last thing it drew
				return nil
			}
			return &WaitError{What: what, Cause: ErrGone, Screen: shot}
		case <-timer.C:
			return &WaitError{What: what, Cause: ErrTimeout, Screen: s.Snapshot()}
		}
	}
}

// last shows the last frame at once.
func (s *Screen) last() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.show(s.drawn)
	return s.front
}

// WaitText waits until a line of the screen contains the text, in a frame that shows Neovim as it is now or later.
func (s *Screen) WaitText(timeout time.Duration, text string) error {
	what := fmt.Sprintf("%q on the screen", text)
	begun := time.Now()
	if err := s.CatchUp(timeout, what); err != nil {
		return err
	}
	return s.Wait(timeout-time.Since(begun), what, func(shot *Snapshot) bool {
		return shot.Contains(text)
	})
}
