package screen

import "time"

// promptEvery is how often a Neovim that does not answer is asked whether it waits at a prompt.
const promptEvery = 20 * time.Millisecond

// catchUp draws what is to be drawn, and tells of it behind the frame, where an answer could overtake it.
const catchUp = `
	local channel, id = ...
	pcall(vim.api.nvim__redraw, { flush = true })
	vim.rpcnotify(channel, 'screen_holds', id)`

// CatchUp returns when the screen shows Neovim as it is at the time of the call, with all keys done that were pressed
// before it. A frame from before that may be of a world that is gone: a text in it tells nothing about what comes next. Of
// a Neovim that waits at a prompt, or has ended, the last frame counts.
func (s *Screen) CatchUp(timeout time.Duration, what string) error {
	id := s.newWatch()
	go func() { _ = s.v.ExecLua(catchUp, nil, s.v.ChannelID(), id) }()
	begun := time.Now()
	timer, prompt := time.NewTimer(timeout), time.NewTicker(promptEvery)
	defer timer.Stop()
	defer prompt.Stop()
	for blocking := false; !blocking; {
		saw, changed := s.saw(id)
		if saw {
			break
		}
		select {
		case <-changed:
		case <-prompt.C:
			_, blocking, _ = s.Mode()
		case <-s.done:
			return nil
		case <-timer.C:
			return &WaitError{What: what, Cause: ErrTimeout, Screen: s.Snapshot()}
		}
	}
	s.mu.Lock()
	frame := s.drawn.Frame
	s.mu.Unlock()
	return s.Wait(timeout-time.Since(begun), what, func(shot *Snapshot) bool { return shot.Frame >= frame })
}
