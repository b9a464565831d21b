package screen

import (
	"fmt"
	"time"
)

// watch makes Neovim itself look at a condition: now, and whenever it is about to wait for a key (SafeState). So it is
// seen as soon as it holds, also where it changes nothing on the screen, and without asking again and again.
const watch = `
	local channel, id, chunk, args = ...
	local holds = assert(loadstring(chunk))
	local function try()
		return holds(unpack(args)) and true or false
	end
	_G.screen_watches = _G.screen_watches or {}
	_G.screen_watches[id] = try
	if try() then return true end
	vim.api.nvim_create_autocmd('SafeState', {
		group = vim.api.nvim_create_augroup('screen-' .. id, {}),
		callback = function()
			local ok, yes = pcall(try)
			if ok and yes then vim.rpcnotify(channel, 'screen_holds', id) end
			return ok and yes -- told once, it is over
		end,
	})
	return false`

const unwatch = `
	local id = ...
	pcall(vim.api.nvim_del_augroup_by_name, 'screen-' .. id)
	_G.screen_watches[id] = nil
	if not next(_G.screen_watches) then _G.screen_watches = nil end`

// Until returns nil as soon as a condition holds in Neovim: a Lua chunk that returns true, with args as its "...". What
// says it in words.
func (s *Screen) Until(timeout time.Duration, what, chunk string, args ...any) error {
	id := s.newWatch()
	if args == nil {
		args = []any{}
	}
	var holds bool
	err := s.Lua(&holds, watch, s.v.ChannelID(), id, chunk, args)
	if err == nil && !holds {
		over := make(chan struct{})
		defer close(over)
		go s.nudge(over)
		err = s.Wait(timeout, what, func(*Snapshot) bool {
			if saw, _ := s.saw(id); saw {
				return true
			}
			// Some modes have no SafeState: look after each frame, too, and where nothing is drawn either, now and then.
			var now bool
			if _, blocking, err := s.Mode(); err != nil || blocking {
				return false
			}
			return s.Lua(&now, `return _G.screen_watches[...]()`, id) == nil && now
		})
	}
	if _, blocking, failed := s.Mode(); failed == nil && !blocking {
		_ = s.Lua(nil, unwatch, id)
	}
	return err
}

// nudgeEvery is how often a condition is looked at that Neovim may not tell of.
const nudgeEvery = 200 * time.Millisecond

// nudge has those who wait look again, now and then.
func (s *Screen) nudge(over <-chan struct{}) {
	tick := time.NewTicker(nudgeEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.mu.Lock()
			s.wake()
			s.mu.Unlock()
		case <-over:
			return
		}
	}
}

// newWatch is the name of a new watch.
func (s *Screen) newWatch() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watches++
	return fmt.Sprint("watch-", s.watches)
}

// saw tells whether Neovim told of a watch. changed is closed when it may have.
func (s *Screen) saw(id string) (saw bool, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held[id], s.changed
}
