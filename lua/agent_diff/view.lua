--- The review buffer: its text, the marks in it, its dictionary, and where in it the hunks are.
local api = vim.api
local paint = require('agent_diff.paint')
local presence = require('agent_diff.presence')
local rows = require('agent_diff.rows')
local shapes = require('agent_diff.shapes')
local unified = require('agent_diff.unified')

local M = {}
local NS = api.nvim_create_namespace('agent_diff.view')

---@class agent_diff.View
---@field review agent_diff.Review
---@field bufnr integer
---@field diff_row integer 0-based row of the first line of the diff
---@field shape agent_diff.Shape how it is shown
---@field layout agent_diff.Layout? the windows, while it is shown
---@field current agent_diff.Hunk? the hunk that the cursor was last in
---@field queued string? its place among the reviews that wait, where there are several
---@field place table that, the agent and the time it has waited, as virtual text
---@field close_float fun()?
---@field not_inline string? why it is not shown in the file itself
local View = {}
View.__index = View

---@return boolean
function View:is_loaded() return api.nvim_buf_is_valid(self.bufnr) and api.nvim_buf_is_loaded(self.bufnr) end

--- Makes the buffer of a review with all that does not depend on the hunks: there is time for that while the server
--- compares the texts.
---@param review agent_diff.Review
---@return agent_diff.View
function M.prepare(review)
  local self = setmetatable({ review = review }, View)
  self.bufnr = api.nvim_create_buf(false, true)
  vim.bo[self.bufnr].undolevels = -1
  require('agent_diff.highlight').follow()
  require('agent_diff.keys').map(self, self.bufnr)
  return self
end

--- Begins with the view while the server works. What fails here is done, or fails, when the review is opened.
---@param review agent_diff.Review
function M.begin(review)
  if review.ended or review.prepared or review.view then return end
  local ok, view = pcall(M.prepare, review)
  review.prepared = ok and view or nil
end

--- Takes away what prepare() has made, when nothing came of it.
function View:discard()
  if api.nvim_buf_is_valid(self.bufnr) then pcall(api.nvim_buf_delete, self.bufnr, { force = true }) end
  require('agent_diff.highlight').rest()
end

--- Draws a review in its buffer; nothing is shown yet.
---@param review agent_diff.Review
---@param given { lines: string[], hidden: table[], notices: string[] } lines are the diff's
---@return agent_diff.View
function M.new(review, given)
  local self = review.prepared
  review.prepared = nil
  if not self or not self:is_loaded() then self = M.prepare(review) end
  self.given = given
  local name = ('agent-diff://%s/%s'):format(review.id, review.name)
  if not pcall(api.nvim_buf_set_name, self.bufnr, name) then
    api.nvim_buf_set_name(self.bufnr, ('agent-diff://%s/%s'):format(review.id, vim.fn.strtrans(review.name)))
  end
  review.view = self
  self.colours = require('agent_diff.colours').new(given.lines)
  self.shape = unified.new(self)
  self:draw()
  unified.attach(self)
  presence.watch(self)
  vim.defer_fn(function() self.colours:keep_all(review) end, presence.first_frame_ms)
  local wanted = require('agent_diff.config').get().layout
  if wanted ~= 'unified' then self:arrange(wanted) end
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
  self.shape:draw()
  self:draw_beside()
  vim.b[bufnr].agent_diff = self.review:describe()
end

--- Draws what stands between the lines.
function View:draw_beside()
  require('agent_diff.comment').draw(self)
  require('agent_diff.part').draw(self)
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
  self.queued = of > 1 and ('%d/%d'):format(place, of) or nil
  self.place = paint.place(self.review, self.queued, self.minutes)
  self.place_mark = self:put_place(self.bufnr, self.place_mark)
  self.shape:draw_place()
end

--- Puts the place into a buffer that begins as the review buffer does.
---@param mark integer? the extmark that shows it there, to be moved
---@return integer
function View:put_place(bufnr, mark)
  local opts = { id = mark, virt_text = self.place, virt_text_pos = 'eol' }
  return api.nvim_buf_set_extmark(bufnr, NS, self.progress_row + 1, 0, opts)
end

--- Shows what stays visible while the review scrolls.
function View:draw_bar()
  if not self.layout then return end
  self.keys_hint = self.keys_hint or require('agent_diff.keys').hint()
  local place = self.shape.headless and self.queued or nil
  self.layout:set_bars(paint.bars(self.review, self.current, self.keys_hint, #self.shape.bufs, place))
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
  self.shape:update(hunks)
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
  -- Neovim draws line after line: most often it is the hunk of the line before.
  local last = hunks[self.last_at or 0]
  if last and row >= self:row_of(last) and row < self:row_of(last) + last.lines then
    return last, self.last_at
  end
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
  self.last_at = low
  if hunk and row < self:row_of(hunk) + hunk.lines then return hunk, low end
  return nil, low
end

--- Whether a buffer shows the review.
---@param bufnr integer
---@return boolean
function View:owns(bufnr) return bufnr == self.bufnr or vim.list_contains(self.shape.bufs, bufnr) end

--- The window that shows the review: the current one, or the first.
---@return integer? win
function View:win()
  if self.shape.win then return self.shape:win() end
  local current = api.nvim_get_current_win()
  if vim.list_contains(self.shape.bufs, api.nvim_win_get_buf(current)) then return current end
  for _, bufnr in ipairs(self.shape.bufs) do
    local win = vim.fn.win_findbuf(bufnr)[1]
    if win then return win end
  end
end

--- The rows of the review buffer that rows of the current buffer show.
---@param from integer 0-based
---@param to integer inclusive
---@return table<integer, true>
function View:selected(from, to)
  local bufnr, selected = api.nvim_get_current_buf(), {}
  for row = from, to do
    for _, shown in pairs(self.shape:rows_at(bufnr, row)) do
      selected[shown] = true
    end
  end
  return selected
end

--- Where a row of the review buffer is shown, for what is to be seen beside it.
---@param row integer 0-based
---@return { [1]: integer, [2]: integer }[] buffers and rows
function View:mirrors(row)
  local places = { { self.bufnr, row } }
  return self.shape.mirrors and vim.list_extend(places, self.shape:mirrors(row)) or places
end

--- The row of the review buffer that the cursor is in.
---@return integer row 0-based
function View:cursor_row()
  local win = self:win()
  if not win then return 0 end
  return self.shape:to_review(api.nvim_win_get_buf(win), api.nvim_win_get_cursor(win)[1] - 1)
end

---@return agent_diff.Hunk?
function View:hunk_at_cursor() return (self:find_at_cursor()) end

--- As hunk_at(), where the cursor is.
function View:find_at_cursor()
  local win = self:win()
  if not win or not self.shape.hunk_at then return self:hunk_at(self:cursor_row()) end
  return self.shape:hunk_at(api.nvim_win_get_buf(win), api.nvim_win_get_cursor(win)[1] - 1)
end

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
  local hunk, index = self:find_at_cursor()
  return index, hunk ~= nil
end

--- Moves the cursor to a file's first line.
---@param file agent_diff.File
function View:go_file(file) self:go_row(file.hunks[1], self.diff_row + file.line) end

--- Moves the cursor to a hunk's header line.
function View:go(hunk) self:go_row(hunk, self:row_of(hunk)) end

--- Moves the cursor to a row of the review buffer, at or above a hunk.
function View:go_row(hunk, row)
  local win = self:win()
  if not win then return end
  local bufnr = api.nvim_win_get_buf(win)
  local last = self.shape:from_review(bufnr, self:row_of(hunk) + hunk.lines - 1)
  row = self.shape:from_review(bufnr, row)
  api.nvim_win_set_cursor(win, { row + 1, 0 })
  -- The whole hunk on the screen where it fits; else at least half a screen of it.
  local height, top = api.nvim_win_get_height(win), vim.fn.line('w0', win)
  local lines = rows.folded(hunk) or last - row + 1
  -- What a hunk adds stands between the lines of the file.
  if self.shape.name == 'inline' then lines = math.max(lines, hunk.lines) end
  local least = math.min(lines, lines < height and height or math.floor(height / 2))
  local wanted = row + 1 + least - height
  api.nvim_win_call(win, function()
    if vim.fn.foldclosed(row + 1) > 0 then vim.cmd('normal! zv') end
    if top < wanted then vim.fn.winrestview({ topline = wanted }) end
    if vim.wo.scrollbind then vim.cmd.syncbind() end
  end)
  if self.shape.moved then self.shape:moved() end
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
  local source = hunk.file.source
  if self.layout then self.layout:enter_source(source.bufnr, source:row(hunk)) end
end

View.show, View.hide, View.close = presence.show, presence.hide, presence.close
View.arrange, View.next_shape = shapes.arrange, shapes.next
View.announce, View.ask, View.write_on = presence.announce, presence.ask, presence.write_on

return M
