--- Whether the person has the review in front of them: showing it, hiding it, what happens when they leave it, and taking it
--- away at the end.
local api = vim.api
local layout = require('agent_diff.layout')
local notice = require('agent_diff.notice')

local M = {}

-- How long the first frame of a review has, in milliseconds, before anything else is done.
M.first_frame_ms = 5

local function manners() return require('agent_diff.manners') end

--- Sets the file type, for what plugins and the person hang on it.
---@param bufnr integer
function M.set_filetype(bufnr)
  notice.as_typed(function() vim.bo[bufnr].filetype = 'agentdiff' end)
end

--- Tells plugins that the review is open, once: after the first frame, or before what comes earlier. A key that comes
--- earlier does not wait for the file type.
---@param view agent_diff.View
function M.announce(view)
  if view.announced or not view.was_shown or not view:is_loaded() then return end
  view.announced = true
  view.review:emit('AgentDiffOpen')
end

local function dress(view)
  if view.review.ended or not view:is_loaded() then return end
  view.dressed = true
  M.set_filetype(view.bufnr)
  for _, bufnr in ipairs(view.shape.open and {} or view.shape.bufs) do
    if bufnr ~= view.bufnr and api.nvim_buf_is_loaded(bufnr) then M.set_filetype(bufnr) end
  end
  M.announce(view)
end

--- Opens the windows.
---@param view agent_diff.View
---@return agent_diff.Layout|agent_diff.Here
function M.open(view)
  if not view.shape.open then return layout.open(view) end
  view.layout = view.shape:open()
  view:draw_beside()
  return view.layout
end

--- Opens the windows and goes to the first undecided hunk.
---@param view agent_diff.View
function M.show(view)
  local win = view:win()
  if view.layout then
    if win then notice.as_typed(function() api.nvim_set_current_win(win) end) end
    return
  end
  notice.close_corner()
  view.left = false
  view.layout = M.open(view)
  local first = view.review.hunks[1]
  for _, hunk in ipairs(view.review.hunks) do
    if hunk.state == 'pending' then
      first = hunk
      break
    end
  end
  if first then view:go(first) end
  manners().guard(view.review)
  if not view.was_shown then
    view.was_shown = true
    require('agent_diff.shapes').explain(view)
    -- After the first frame: looking for filetype plugins takes longer than everything else together.
    vim.defer_fn(notice.guarded(function() dress(view) end), M.first_frame_ms)
  end
end

--- Closes the windows and keeps the review.
---@param view agent_diff.View
function M.hide(view)
  if view.layout then
    local opened = view.layout
    view.layout = nil
    if view.shape.rest then view.shape:rest() end
    opened:close()
  end
end

--- The person may have closed the last window or unloaded a buffer.
local function look(view)
  local review = view.review
  if review.ended then return end
  local loaded = view:is_loaded()
  for _, bufnr in ipairs(view.shape.bufs) do
    loaded = loaded and api.nvim_buf_is_loaded(bufnr)
  end
  if loaded and (not view.layout or view:win()) then return end
  -- The person looks at another file in the window where the review is: it waits.
  local elsewhere = view.layout and view.layout.win and api.nvim_win_is_valid(view.layout.win)
  if loaded and (elsewhere or manners().is_stray(review)) then
    require('agent_diff.queue').put_off(review)
  else
    review:finish('decided')
  end
end

--- `:split` and `:q` close a window though the buffer is still shown: look afterwards.
---@param view agent_diff.View
function M.look_afterwards(view)
  if view.layout then view.layout:note_place() end
  vim.schedule(notice.guarded(function() look(view) end))
end

--- One of our two windows was closed by the person who was in it: they are in the other one then, not in what is behind it.
local function stay_in(view, closed)
  local current = api.nvim_get_current_win()
  if #view.shape.bufs < 2 or closed ~= current or not view:owns(api.nvim_get_current_buf()) then return end
  vim.schedule(notice.guarded(function()
    local win = not view.review.ended and view:win()
    if win and api.nvim_win_get_tabpage(win) == api.nvim_get_current_tabpage() then
      notice.as_typed(function() api.nvim_set_current_win(win) end)
    end
  end))
end

--- Notices what happens to the review's windows.
---@param view agent_diff.View
function M.watch(view)
  view.group = api.nvim_create_augroup('agent_diff.view.' .. view.review.id, { clear = true })
  local function on(event, callback)
    api.nvim_create_autocmd(event, { group = view.group, callback = notice.guarded(callback) })
  end
  on('WinClosed', function(args)
    stay_in(view, tonumber(args.match))
    M.look_afterwards(view)
  end)
  on('TabLeave', function()
    if view.layout then view.layout:note_leave() end
  end)
  M.watch_buffer(view, view.bufnr)
end

--- Notices what happens in a buffer that shows the review.
---@param view agent_diff.View
---@param bufnr integer
function M.watch_buffer(view, bufnr)
  local function on(event, callback)
    api.nvim_create_autocmd(event, {
      group = view.group,
      buffer = bufnr,
      callback = notice.guarded(function() callback() end),
    })
  end
  on('BufWinLeave', function() M.look_afterwards(view) end)
  on('BufUnload', function() M.look_afterwards(view) end)
  on('BufReadCmd', function() view:draw() end)
  on('WinEnter', function()
    local from = vim.fn.winnr('#')
    local own = from > 0 and from ~= vim.fn.winnr() and view:owns(vim.fn.winbufnr(from))
    -- Coming back by hand is an intention; going from one of our two windows to the other is not.
    if view.left and not own then view.review.armed = true end
    view.left = false
  end)
  on('WinLeave', function() view.left = true end)
  on('CursorMoved', function()
    local hunk, file = view:hunk_at_cursor(), view:file_at_cursor()
    if not hunk and file and view.current and file ~= view.current.file then hunk = file.hunks[1] end
    if hunk and hunk ~= view.current then view:follow(hunk) end
  end)
end

--- Opens a float of ours over the review, in the place of one that is open.
---@param view agent_diff.View
---@param open fun(...): fun() see ask.lua
function M.ask(view, open, ...)
  if view.close_float then view.close_float() end
  local left = view.left
  view.close_float = open(...)
  view.left = left -- coming back from it says nothing
end

--- Lets the person write in a pad over the review; in the one that is open already, if there is one.
---@param view agent_diff.View
---@param given table see pad.lua
function M.write_on(view, given)
  if view.pad and not view.pad.closed then return view.pad:focus() end
  given.below = view.shape:from_review(api.nvim_get_current_buf(), given.below)
  local left = view.left
  view.pad = require('agent_diff.pad').open(given)
  view.left = left
end

--- Takes the windows away, and then the review buffer: now, or as soon as something (the command-line window) does not
--- forbid it any more, or the person who types in one of the windows has done with it.
---@param view agent_diff.View
---@param wait boolean whether to wait for a person who types
---@param closed fun() called afterwards
---@return fun() clear takes the buffer away, which can be done when there is time
function M.close(view, wait, closed)
  if view.close_float then view.close_float() end
  if view.group then api.nvim_del_augroup_by_id(view.group) end
  require('agent_diff.unified').detach(view)
  view.colours:drop()
  local opened, pad = view.layout, view.pad
  view.layout = nil
  local function close_windows()
    local focused = (pad and pad:has_focus()) or (opened and opened:has_focus())
    if wait and focused and manners().is_typing() then return false end
    if pad then pad:abandon() end
    if opened and not pcall(opened.close, opened) then return false end
    opened, pad = nil, nil
    notice.as_typed(function() view.shape:drop() end)
    return true
  end
  local function clear()
    notice.as_typed(function()
      if api.nvim_buf_is_valid(view.bufnr) then pcall(api.nvim_buf_delete, view.bufnr, { force = true }) end
    end)
    if api.nvim_buf_is_valid(view.bufnr) then return false end
    closed()
    return true
  end
  local function later(what)
    api.nvim_create_autocmd('SafeState', { nested = true, callback = notice.guarded(what) })
  end
  if not close_windows() then
    later(function() return close_windows() and clear() end)
    return function() end
  end
  return function()
    if not clear() then later(clear) end
  end
end

return M
