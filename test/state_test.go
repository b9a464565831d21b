package test

import (
	"fmt"
	"slices"
	"strings"
)

// stateLua lists what a review could leave behind, one thing a line, so that two states can be compared as sets of
// lines. What our own watching adds is left out.
const stateLua = `
local api, out = vim.api, {}
local function add(...) out[#out + 1] = table.concat({ ... }, ' ') end
local function str(v) return (vim.inspect(v, { newline = '', indent = '' })) end
local function name(buf) return ('%d:%s'):format(buf, api.nvim_buf_get_name(buf)) end
local function layout(node)
  if node[1] == 'leaf' then
    local win = node[2]
    return ('%d(%s %dx%d)'):format(win, name(api.nvim_win_get_buf(win)), api.nvim_win_get_width(win), api.nvim_win_get_height(win))
  end
  return node[1] .. '[' .. table.concat(vim.tbl_map(layout, node[2]), ' ') .. ']'
end

add('mode', api.nvim_get_mode().mode)
add('window', api.nvim_get_current_win(), 'of tab', api.nvim_get_current_tabpage())
add('last tab', tostring(api.nvim_list_tabpages()[vim.fn.tabpagenr('#')]))
for _, tab in ipairs(api.nvim_list_tabpages()) do
  local number = api.nvim_tabpage_get_number(tab)
  add('tab', tab, layout(vim.fn.winlayout(number)))
  add('last window of', tab, vim.fn.tabpagewinnr(number, '#'))
end
for _, win in ipairs(api.nvim_list_wins()) do
  local view = api.nvim_win_call(win, vim.fn.winsaveview)
  add('view of', win, str(view), str(api.nvim_win_get_config(win).relative))
  add('jumps of', win, str(vim.fn.getjumplist(win)))
  add('alternate of', win, api.nvim_win_call(win, function() return vim.fn.expand('#') end))
  add('matches of', win, str(vim.fn.getmatches(win)))
  add('cwd of', win, api.nvim_win_call(win, vim.fn.getcwd))
end

local function options(scope, get)
  for option, info in pairs(api.nvim_get_all_options_info()) do
    local skip = info.scope ~= scope and scope ~= 'global'
    if not skip then
      local ok, value = pcall(get, option)
      if ok and (scope ~= 'global' or value ~= info.default) then
        add('option', scope, option, str(value))
      end
    end
  end
end
options('global', function(o) return api.nvim_get_option_value(o, { scope = 'global' }) end)
for _, win in ipairs(api.nvim_list_wins()) do
  options('win', function(o) return win .. ' ' .. str(api.nvim_get_option_value(o, { scope = 'local', win = win })) end)
end

local modes = { 'n', 'x', 's', 'o', 'i', 'c', 't' }
local function keymap(where, map)
  add('keymap', where, map.mode, map.lhs, str(map.rhs), map.callback and 'function' or '', map.desc or '')
end
for _, mode in ipairs(modes) do
  for _, map in ipairs(api.nvim_get_keymap(mode)) do keymap('', map) end
end
local namespaces = api.nvim_get_namespaces()
for _, buf in ipairs(api.nvim_list_bufs()) do
  add('buffer', name(buf), 'loaded', str(api.nvim_buf_is_loaded(buf)))
  if api.nvim_buf_is_loaded(buf) then
    options('buf', function(o) return buf .. ' ' .. str(api.nvim_get_option_value(o, { buf = buf })) end)
    for _, mode in ipairs(modes) do
      for _, map in ipairs(api.nvim_buf_get_keymap(buf, mode)) do keymap(tostring(buf), map) end
    end
    for space, id in pairs(namespaces) do
      local ok, marks = pcall(api.nvim_buf_get_extmarks, buf, id, 0, -1, { details = true })
      for _, mark in ipairs(ok and marks or {}) do
        add('extmark', buf, space, str(mark))
      end
    end
    for _, mark in ipairs(vim.fn.getmarklist(buf)) do
      if not mark.mark:find("^'[.'%[%]]") then add('mark', buf, str(mark)) end -- goes with the text
    end
    for key, value in pairs(vim.fn.getbufvar(buf, '')) do
      if key ~= 'changedtick' then add('variable of', buf, tostring(key), str(value)) end
    end
  end
end
for _, au in ipairs(api.nvim_get_autocmds({})) do
  if not (au.group_name or ''):match('^screen') then
    add('autocommand', au.event, au.group_name or '', au.pattern or '', tostring(au.buffer or ''), au.command or '', au.desc or '')
  end
end
for command in pairs(api.nvim_get_commands({})) do add('command', command) end
for group, def in pairs(api.nvim_get_hl(0, {})) do add('highlight', group, str(def)) end
for _, register in ipairs({ '"', '-', '/', '0', '1', 'q' }) do
  add('register', register, str(vim.fn.getreg(register, 1, true)))
end
add('timers', str(#vim.fn.timer_info()))
if vim.fn.has('nvim-0.11') == 1 then -- walking crashes 0.10
  local handles = {}
  vim.uv.walk(function(handle)
    local kind = handle:get_type()
    if handle:is_active() and not handle:is_closing() then handles[kind] = (handles[kind] or 0) + 1 end
  end)
  add('handles', str(handles))
end
add('on_key', vim.on_key())
return out`

// state is what there is in the user's Neovim: windows, tabs, buffers, cursors, options, keymaps, autocommands,
// extmarks, highlights, commands, registers, marks, jumps, alternate files, timers, what listens to keys.
type state []string

// state is the editor's state now.
func (s *story) state() state {
	s.t.Helper()
	var lines []string
	s.lua(&lines, stateLua)
	slices.Sort(lines)
	return lines
}

// installed is what there is as soon as our Lua is in a Neovim, as with any plugin; and 'syntax', whose global value
// follows the last buffer that got one, whoever made it.
var installed = []string{
	"command AgentDiff", "highlight AgentDiff", "option global syntax",
	"autocommand VimLeavePre agent_diff", "autocommand DirChanged agent_diff", "autocommand VimLeave agent_diff",
}

// since lists what differs: lines with "-" are gone, lines with "+" have come. except drops the lines that contain one
// of the texts.
func (now state) since(before state, except ...string) string {
	var out strings.Builder
	list := func(mark string, of, other state) {
		for _, line := range of {
			known := slices.ContainsFunc(except, func(text string) bool { return strings.Contains(line, text) })
			if _, found := slices.BinarySearch(other, line); !found && !known {
				fmt.Fprintf(&out, "%s %s\n", mark, line)
			}
		}
	}
	list("-", before, now)
	list("+", now, before)
	return out.String()
}

// asBefore waits until the editor's state is as it was, but for what is installed.
func (s *story) asBefore(before state, except ...string) {
	s.t.Helper()
	except = append(except, installed...)
	err := s.nvim.Until(patience, "the editor is as before", `
		local chunk, before, except = ...
		local function set(lines)
			local all = {}
			for _, line in ipairs(lines) do
				local expected = false
				for _, text in ipairs(except) do
					expected = expected or line:find(text, 1, true) ~= nil
				end
				if not expected then all[line] = true end
			end
			return all
		end
		return vim.deep_equal(set(assert(loadstring(chunk))()), set(before))`, stateLua, []string(before), except)
	if err != nil {
		s.t.Errorf("the editor is not as before:\n%s", s.state().since(before, except...))
	}
}
