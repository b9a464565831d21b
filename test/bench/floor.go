package main

import (
	"fmt"
	"os"
	"time"

	"znkr.io/diff/textdiff"
)

// floors are what the same Neovim takes for the unavoidable and nothing else, seen through the same screen.
type floors struct{ opened, key, finish sample }

// floor measures them: read the buffer, diff, show the text; change a line of the file at a key, mark the hunk and show the
// next one; close the window and write the file.
func (b *bench) floor(f *floors, path, original, modified string) error {
	if err := os.WriteFile(path, []byte(original), 0o600); err != nil {
		return err
	}
	if err := b.screen.Lua(nil, "vim.cmd.edit({ args = { ... }, bang = true }) vim.cmd.redraw()", path); err != nil {
		return err
	}
	start := time.Now()
	var current any
	if err := b.screen.Lua(&current, "return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n') .. '\\n'"); err != nil {
		return err
	}
	text, _ := current.(string)
	diff := textdiff.Unified(text, modified, textdiff.IndentHeuristic())
	if err := b.screen.Lua(nil, floorShow, "floor\n"+diff); err != nil {
		return err
	}
	took, err := b.until(start, "floor")
	if err != nil {
		return err
	}
	f.opened = append(f.opened, took)
	if err := b.screen.Lua(nil, floorKey); err != nil {
		return err
	}
	for i := range keys {
		start = time.Now()
		if err := b.screen.Input("a"); err != nil {
			return err
		}
		took, err := b.until(start, fmt.Sprintf("floor applied %d", i+1))
		if err != nil {
			return err
		}
		f.key = append(f.key, took)
	}
	start = time.Now()
	if err := b.screen.Lua(nil, "vim.cmd.bwipeout() vim.cmd.write({ mods = { silent = true } })"); err != nil {
		return err
	}
	f.finish = append(f.finish, time.Since(start))
	// What it leaves behind is not what the next review shall clear away.
	return b.screen.Lua(nil, "vim.cmd.redraw() collectgarbage()")
}

const floorShow = `vim.cmd.vnew() vim.bo.buftype, vim.bo.bufhidden = 'nofile', 'wipe'
vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(..., '\n'))`

// floorKey maps the key: the left window shows the diff, the right one the file.
const floorKey = `
local api, win, done = vim.api, vim.fn.win_getid(vim.fn.winnr('l')), 0
local source, ns = api.nvim_win_get_buf(win), api.nvim_create_namespace('floor')
local rows, places = {}, {}
for i, line in ipairs(api.nvim_buf_get_lines(0, 0, -1, false)) do
	local place = line:match('^@@ %-(%d+)')
	table.insert(rows, place and i - 1)
	table.insert(places, place and place + 2)
end
api.nvim_buf_set_keymap(0, 'n', 'a', '', { callback = function()
	done = done + 1
	local place = places[done]
	api.nvim_buf_set_lines(source, place, place + 1, false, { 'changed' })
	api.nvim_buf_set_lines(0, 0, 1, false, { ('floor: %d applied'):format(done) })
	api.nvim_buf_set_extmark(0, ns, rows[done], 0, { virt_text = { { ('floor applied %d'):format(done), 'Title' } } })
	api.nvim_win_set_cursor(0, { rows[done + 1] + 1, 0 })
	api.nvim_win_set_cursor(win, { places[done + 1], 0 })
	api.nvim_win_call(win, function() vim.cmd('normal! zz') end)
end })`
