--- One-line messages. They never scroll, so they never leave a prompt behind that would block the editor.
local api = vim.api

local M = {}

local waiting = {}

--- A text in one line, cut to a width; control characters become visible.
---@param text string
---@param room integer
---@return string
local function one_line(text, room)
  text = vim.fn.strtrans((text:gsub('[\r\n]+', ' ⏎ ')))
  if vim.fn.strdisplaywidth(text) <= room then return text end
  local cut = vim.fn.strcharpart(text, 0, room - 1)
  while vim.fn.strdisplaywidth(cut) >= room do
    cut = vim.fn.strcharpart(cut, 0, vim.fn.strchars(cut) - 1)
  end
  return cut .. '…'
end

-- Where the last line has less room than this for a message without a hit-enter prompt, the corner shows it.
local least_room = 30

--- Says something to the person, soon. Several notices of one moment share the line.
---@param text string
---@param level integer? vim.log.levels, default INFO
function M.say(text, level)
  waiting[#waiting + 1] = text
  if #waiting > 1 then return end
  vim.schedule(function()
    local all = table.concat(waiting, ' · ')
    waiting = {}
    local room = vim.v.echospace - 1
    if room < least_room then return M.corner(all) end
    vim.notify(one_line('agent-diff: ' .. all, room), level or vim.log.levels.INFO)
  end)
end

--- A function that never fails: an error of ours would else be a text of many lines, and its hit-enter prompt would block
--- the editor.
---@param f fun(...): any
---@return fun(...): any
function M.guarded(f)
  return function(...)
    local ok, result = pcall(f, ...)
    if ok then return result end
    M.say(tostring(result), vim.log.levels.ERROR)
  end
end

--- Does something that fires autocommands, as if it was typed: where one of the person's fails, what fired it goes on all
--- the same, and what it says takes one line.
---@param f fun()
function M.as_typed(f)
  local ok, err
  local before = vim.v.errmsg
  vim.v.errmsg = ''
  M.typed = function()
    ok, err = pcall(f)
  end
  vim.cmd("silent! lua require('agent_diff.notice').typed()")
  M.typed = nil
  local theirs = vim.v.errmsg
  vim.v.errmsg = before
  if not ok then error(err, 0) end
  -- E36, no room, is about our windows on the smallest screens: there is less of them then.
  if theirs ~= '' and not vim.startswith(theirs, 'E36:') then M.say(theirs, vim.log.levels.ERROR) end
end

-- How long a corner notice stays, in milliseconds.
local corner_ms = 6000

local corner

--- Takes the corner notice away; it stays for a while where something forbids it.
function M.close_corner()
  if not corner then return end
  if api.nvim_win_is_valid(corner.win) and not pcall(api.nvim_win_close, corner.win, true) then
    corner.timer:start(corner_ms, 0, vim.schedule_wrap(M.close_corner))
    return
  end
  corner.timer:close()
  corner = nil
end

--- Says something in the corner of the screen, for a person who types: there the mode's own message hides what say() says.
---@param text string
function M.corner(text)
  M.close_corner()
  if corner then return end
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = 'wipe'
  local line = ' ' .. one_line('agent-diff: ' .. text, vim.o.columns - 2) .. ' '
  api.nvim_buf_set_lines(bufnr, 0, -1, false, { line })
  local ok, win = pcall(api.nvim_open_win, bufnr, false, {
    relative = 'editor',
    anchor = 'NE',
    row = 1,
    col = vim.o.columns,
    width = math.min(vim.fn.strdisplaywidth(line), vim.o.columns),
    height = 1,
    style = 'minimal',
    focusable = false,
    noautocmd = true,
    zindex = 200,
  })
  if not ok then return api.nvim_buf_delete(bufnr, { force = true }) end
  corner = { win = win, timer = assert(vim.uv.new_timer()) }
  corner.timer:start(corner_ms, 0, vim.schedule_wrap(M.close_corner))
end

return M
