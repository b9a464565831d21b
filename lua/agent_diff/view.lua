--- The review buffer: its text, the marks in it, its dictionary, and what happens when it is left.
local api = vim.api
local layout = require('agent_diff.layout')
local notice = require('agent_diff.notice')
local paint = require('agent_diff.paint')
local rows = require('agent_diff.rows')

local M = {}
local NS = api.nvim_create_namespace('agent_diff.view')

-- How long the first frame of a review has, in milliseconds, before anything else is done.
local first_frame_ms = 5

local function manners() return require('agent_diff.manners') end

---@class agent_diff.View
---@field review agent_diff.Review
---@field bufnr integer
---@field diff_row integer 0-based row of the first line of the diff
---@field current agent_diff.Hunk? the hunk that the cursor was last in
---@field close_float fun()?
local View = {}
View.__index = View

---@return boolean
function View:is_loaded() return api.nvim_buf_is_valid(self.bufnr) and api.nvim_buf_is_loaded(self.bufnr) end

--- Makes the buffer of a review; nothing is shown yet.
---@param review agent_diff.Review
---@param given { lines: string[], hidden: table[], notices: string[] } lines are the diff's
---@return agent_diff.View
function M.new(review, given)
  local self = setmetatable({ review = review, given = given }, View)
  self.bufnr = api.nvim_create_buf(false, true)
  local bo = vim.bo[self.bufnr]
  bo.modeline = false
  bo.undolevels = -1
  bo.swapfile = false
  local name = ('agent-diff://%s/%s'):format(review.id, review.name)
  if not pcall(api.nvim_buf_set_name, self.bufnr, name) then
    api.nvim_buf_set_name(self.bufnr, ('agent-diff://%s/%s'):format(review.id, vim.fn.strtrans(review.name)))
  end
  review.view = self
  self.colours = require('agent_diff.colours').new(review, given.lines)
  self:draw()
  require('agent_diff.unified').attach(self)
  require('agent_diff.keys').map(self)
  self:watch()
  return self
end

--- Draws everything anew; the same review always gives the same screen.
function View:draw()
  local bufnr = self.bufnr
  local lines = paint.head(self.review, self.given.notices)
  local moved = #lines - (self.diff_row or #lines)
  self.diff_row = #lines
  self.progress_row = #lines - 2
  vim.list_extend(lines, self.given.lines)
  vim.bo[bufnr].modifiable = true
  api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].modified = false
  require('agent_diff.highlight').reset(bufnr)
  api.nvim_buf_clear_namespace(bufnr, NS, 0, -1)
  for _, hunk in ipairs(self.review.hunks) do
    self:mark(hunk)
  end
  for _, hidden in ipairs(self.given.hidden) do
    local col, mark = paint.reveal(self.given.lines[hidden.row + 1], hidden)
    if col then api.nvim_buf_set_extmark(bufnr, NS, self.diff_row + hidden.row, col, mark) end
  end
  if moved ~= 0 then
    for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
      local row, col = unpack(api.nvim_win_get_cursor(win))
      pcall(api.nvim_win_set_cursor, win, { row + moved, col })
    end
  end
  self:draw_place()
  require('agent_diff.comment').draw(self)
  require('agent_diff.part').draw(self)
  vim.b[bufnr].agent_diff = self.review:describe()
end

--- Draws other hunks, which the review has already.
---@param given table as for new()
function View:redraw(given)
  self.given, self.current = given, nil
  self.colours:renew(given.lines)
  self:draw()
end

--- Marks a decided hunk's line.
function View:mark(hunk)
  local text = paint.state(hunk)
  if not text then
    if hunk.view_mark then api.nvim_buf_del_extmark(self.bufnr, NS, hunk.view_mark) end
    hunk.view_mark = nil
    return
  end
  local row = self:row_of(hunk)
  hunk.view_mark = api.nvim_buf_set_extmark(self.bufnr, NS, row, 0, {
    id = hunk.view_mark,
    virt_text = text,
    virt_text_pos = 'eol',
    end_row = row + hunk.lines,
    hl_group = 'AgentDiffDecided', -- makes Neovim draw the gutter beside all of its lines
    strict = false,
  })
end

--- Shows the review's place in the empty line below the progress line: there is the most room.
function View:draw_place()
  if not self:is_loaded() then return end
  self.minutes = paint.minutes(self.review)
  local place, of = require('agent_diff.queue').place(self.review)
  self.place_mark = api.nvim_buf_set_extmark(self.bufnr, NS, self.progress_row + 1, 0, {
    id = self.place_mark,
    virt_text = paint.place(self.review, place, of, self.minutes),
    virt_text_pos = 'eol',
  })
end

--- Shows what stays visible while the review scrolls.
function View:draw_bar()
  if not self.layout then return end
  self.keys_hint = self.keys_hint or require('agent_diff.keys').hint()
  self.layout:set_bar(paint.bar(self.review, self.current, self.keys_hint))
end

--- Brings the waiting time up to date.
function View:tick()
  if paint.minutes(self.review) ~= self.minutes then self:draw_place() end
end

--- Brings marks, progress line and b:agent_diff up to date.
---@param hunks agent_diff.Hunk[] whose state has changed
function View:update(hunks)
  if not self:is_loaded() then return end
  if self.review.gone and not self.drawn_gone then
    self.drawn_gone = true
    return self:draw()
  end
  for _, hunk in ipairs(hunks) do
    self:mark(hunk)
  end
  local count = self.review:count()
  vim.bo[self.bufnr].modifiable = true
  api.nvim_buf_set_lines(
    self.bufnr,
    self.progress_row,
    self.progress_row + 1,
    false,
    { paint.progress(count) }
  )
  vim.bo[self.bufnr].modifiable = false
  vim.bo[self.bufnr].modified = false
  self:draw_bar()
  if #hunks > 8 or #self.review.files > 1 then
    vim.b[self.bufnr].agent_diff = self.review:describe()
  else
    self:update_dictionary(hunks, count)
  end
end

--- Setting fields in place costs some microseconds, assigning the dictionary of 1,000 hunks most of a millisecond.
function View:update_dictionary(hunks, count)
  api.nvim_buf_call(self.bufnr, function()
    for _, hunk in ipairs(hunks) do
      vim.cmd(("let b:agent_diff.hunks[%d].state = '%s'"):format(hunk.index - 1, hunk.state))
    end
    for _, name in ipairs({ 'applied', 'rejected', 'pending', 'conflict' }) do
      vim.cmd(('let b:agent_diff.%s = %d'):format(name, count[name]))
    end
  end)
end

---@return integer row 0-based
function View:row_of(hunk) return self.diff_row + hunk.line end

--- The hunk that a row belongs to.
---@param row integer 0-based
---@return agent_diff.Hunk? hunk
---@return integer index of the hunk, or of the last one above the row, 0 when there is none
function View:hunk_at(row)
  local hunks = self.review.hunks
  local low, high = 0, #hunks
  while low < high do
    local middle = math.floor((low + high + 1) / 2)
    if self:row_of(hunks[middle]) <= row then
      low = middle
    else
      high = middle - 1
    end
  end
  local hunk = hunks[low]
  if hunk and row < self:row_of(hunk) + hunk.lines then return hunk, low end
  return nil, low
end

--- The window that shows the review: the current one, or the first.
---@return integer? win
function View:win()
  local current = api.nvim_get_current_win()
  if api.nvim_win_get_buf(current) == self.bufnr then return current end
  return vim.fn.win_findbuf(self.bufnr)[1]
end

---@return integer row 0-based
function View:cursor_row()
  local win = self:win()
  return win and api.nvim_win_get_cursor(win)[1] - 1 or 0
end

---@return agent_diff.Hunk?
function View:hunk_at_cursor() return (self:hunk_at(self:cursor_row())) end

--- The file that the cursor is in; none above the first.
---@return agent_diff.File?
function View:file_at_cursor()
  local row, found = self:cursor_row() - self.diff_row, nil
  for _, file in ipairs(self.review.files) do
    if file.line <= row then found = file end
  end
  return found
end

--- The hunk at the cursor, or the first of the file that the cursor is in.
---@return agent_diff.Hunk?
function View:nearest_hunk()
  local file = self:file_at_cursor() or self.review.files[1]
  return self:hunk_at_cursor() or (file and file.hunks[1])
end

---@return integer index of the hunk at the cursor or the last one above it
---@return boolean inside
function View:index_at_cursor()
  local hunk, index = self:hunk_at(self:cursor_row())
  return index, hunk ~= nil
end

--- Moves the cursor to a file's first line.
---@param file agent_diff.File
function View:go_file(file) self:go_row(file.hunks[1], self.diff_row + file.line) end

--- Moves the cursor to a hunk's header line.
function View:go(hunk) self:go_row(hunk, self:row_of(hunk)) end

--- Moves the cursor to a row at or above a hunk.
function View:go_row(hunk, row)
  local win = self:win()
  if not win then return end
  api.nvim_win_set_cursor(win, { row + 1, 0 })
  api.nvim_win_call(win, function()
    if vim.fn.foldclosed(row + 1) > 0 then vim.cmd('normal! zv') end
  end)
  -- The whole hunk on the screen where it fits; else at least half a screen of it.
  local height, top = api.nvim_win_get_height(win), vim.fn.line('w0', win)
  local lines = rows.folded(hunk) or hunk.lines
  local least = math.min(lines, lines < height and height or math.floor(height / 2))
  local wanted = row + 1 + least - height
  if top < wanted then api.nvim_win_call(win, function() vim.fn.winrestview({ topline = wanted }) end) end
  self:follow(hunk)
end

--- Shows the hunk's place in the source window, without going there.
function View:follow(hunk)
  local changed_file = self.current and self.current.file ~= hunk.file
  if self.current ~= hunk then
    self.current = hunk
    self:draw_bar()
  end
  if changed_file and #self.review.files > 1 then vim.b[self.bufnr].agent_diff = self.review:describe() end
  local row = hunk.file.source:row(hunk) or (changed_file and 0 or nil)
  if self.layout and row then self.layout:show_source(hunk.file.source.bufnr, row) end
end

--- Goes to the hunk's place in the source window.
function View:enter_source(hunk)
  self:follow(hunk)
  if self.layout then self.layout:enter_source() end
end

--- Opens the windows and goes to the first undecided hunk.
function View:show()
  if self.layout then
    layout.focus(self.bufnr)
    return
  end
  notice.close_corner()
  self.left = false
  self.layout = layout.open(self)
  local first = self.review.hunks[1]
  for _, hunk in ipairs(self.review.hunks) do
    if hunk.state == 'pending' then
      first = hunk
      break
    end
  end
  if first then self:go(first) end
  manners().guard(self.review)
  if not self.was_shown then
    self.was_shown = true
    -- After the first frame: looking for filetype plugins takes longer than everything else together.
    vim.defer_fn(notice.guarded(function() self:dress() end), first_frame_ms)
  end
end

--- Sets the file type, for what plugins and the person hang on it.
function View:dress()
  if self.review.ended or not self:is_loaded() then return end
  notice.as_typed(function() vim.bo[self.bufnr].filetype = 'agentdiff' end)
  self:announce()
end

--- Tells plugins that the review is open, once: after the first frame, or before what comes earlier. A key that comes
--- earlier does not wait for the file type.
function View:announce()
  if self.announced or not self.was_shown or not self:is_loaded() then return end
  self.announced = true
  self.review:emit('AgentDiffOpen')
end

--- Closes the windows and keeps the review.
function View:hide()
  if self.layout then
    local opened = self.layout
    self.layout = nil
    opened:close()
  end
end

--- The person has closed the last window or unloaded the buffer.
function View:left_by_person()
  local review = self.review
  if review.ended then return end
  local loaded = self:is_loaded()
  if loaded and (not self.layout or #vim.fn.win_findbuf(self.bufnr) > 0) then return end
  if loaded and manners().is_stray(review) then
    require('agent_diff.queue').put_off(review)
  else
    review:finish('decided')
  end
end

function View:watch()
  local bufnr, review = self.bufnr, self.review
  self.group = api.nvim_create_augroup('agent_diff.view.' .. review.id, { clear = true })
  local function on(event, callback, everywhere)
    api.nvim_create_autocmd(event, {
      group = self.group,
      buffer = not everywhere and bufnr or nil,
      callback = notice.guarded(function() callback() end),
    })
  end
  -- `:split` and `:q` close a window though the buffer is still shown: look afterwards.
  local function look()
    if self.layout then self.layout:note_place() end
    vim.schedule(notice.guarded(function() self:left_by_person() end))
  end
  on('WinClosed', look, true)
  on('TabLeave', function()
    if self.layout then self.layout:note_leave() end
  end, true)
  on('BufWinLeave', look)
  on('BufUnload', look)
  on('BufReadCmd', function() self:draw() end)
  on('WinEnter', function()
    -- Coming back by hand is an intention.
    if self.left then review.armed = true end
  end)
  on('WinLeave', function() self.left = true end)
  on('CursorMoved', function()
    local hunk, file = self:hunk_at_cursor(), self:file_at_cursor()
    if not hunk and file and self.current and file ~= self.current.file then hunk = file.hunks[1] end
    if hunk and hunk ~= self.current then self:follow(hunk) end
  end)
end

--- Opens a float of ours over the review, in the place of one that is open.
---@param open fun(...): fun() see ask.lua
function View:ask(open, ...)
  if self.close_float then self.close_float() end
  local left = self.left
  self.close_float = open(...)
  self.left = left -- coming back from it says nothing
end

--- Lets the person write in a pad over the review; in the one that is open already, if there is one.
---@param given table see pad.lua
function View:write_on(given)
  if self.pad and not self.pad.closed then return self.pad:focus() end
  local left = self.left
  self.pad = require('agent_diff.pad').open(given)
  self.left = left
end

--- Takes the buffer and its windows away: now, or as soon as something (the command-line window) does not forbid it any
--- more, or the person who types in one of the windows has done with it.
---@param wait boolean whether to wait for a person who types
---@param closed fun() called afterwards
function View:close(wait, closed)
  if self.close_float then self.close_float() end
  if self.group then api.nvim_del_augroup_by_id(self.group) end
  require('agent_diff.unified').detach(self)
  self.colours:drop()
  local opened, pad = self.layout, self.pad
  self.layout = nil
  local function take_away()
    local focused = (pad and pad:has_focus()) or (opened and opened:has_focus())
    if wait and focused and manners().is_typing() then return false end
    if pad then pad:close() end
    if opened then
      if not pcall(opened.close, opened) then return false end
    end
    notice.as_typed(function()
      if api.nvim_buf_is_valid(self.bufnr) then pcall(api.nvim_buf_delete, self.bufnr, { force = true }) end
    end)
    if api.nvim_buf_is_valid(self.bufnr) then return false end
    closed()
    return true
  end
  if take_away() then return end
  api.nvim_create_autocmd('SafeState', { nested = true, callback = notice.guarded(take_away) })
end

return M
