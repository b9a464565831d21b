--- The review in the file's own buffer: what is in the file stands there as it is, and what it replaces, or what would
--- replace it, stands beside it in virtual lines. The keys are there while the cursor is in a hunk.
local api = vim.api
local groups = require('agent_diff.groups')
local here = require('agent_diff.here')
local paint = require('agent_diff.paint')
local rows = require('agent_diff.rows')
local align = require('agent_diff.words').align

local M = {}
local NS = api.nvim_create_namespace('agent_diff.inline')

-- How long code is coloured in one go, and when it goes on, in milliseconds.
local at_once_ms, pause_ms = 5, 5

---@class agent_diff.Inline: agent_diff.Shape
---@field view agent_diff.View
---@field bufnr integer the source buffer
---@field source agent_diff.Source
local Inline = {}
Inline.__index = Inline

--- Why a review cannot be shown so: it can where all of it is changes in one buffer of the person's.
---@param review agent_diff.Review
---@return string? why nil when it can
function M.hindrance(review)
  if #review.files ~= 1 then return 'the review is of several files' end
  if review.text_only then return 'it is the agent that will write the file' end
  for _, hunk in ipairs(review.hunks) do
    if #hunk.blocks == 0 or rows.is_all(hunk) then return 'it is about the file as a whole' end
  end
end

---@param view agent_diff.View
---@return agent_diff.Inline
function M.new(view)
  local source = view.review.files[1].source
  local self = setmetatable(
    { name = 'inline', headless = true, view = view, source = source, bufnr = source.bufnr },
    Inline
  )
  self.bufs = { self.bufnr }
  return self
end

--- Shows it in a window, and starts to notice what the person does in the buffer.
---@return agent_diff.Here
function Inline:open()
  local view = self.view
  self.autocmds = {}
  local function on(event, callback)
    local id = api.nvim_create_autocmd(event, {
      group = view.group,
      buffer = self.bufnr,
      callback = require('agent_diff.notice').guarded(function() callback() end),
    })
    table.insert(self.autocmds, id)
  end
  on('CursorMoved', function() self:moved() end)
  on('ModeChanged', function() self:moved() end)
  on('WinEnter', function()
    if view.left then view.review.armed = true end
    view.left = false
    self:moved()
  end)
  on('WinLeave', function() view.left = true end)
  on('BufReadPost', function() self:draw() end)
  on('BufLeave', function() require('agent_diff.presence').look_afterwards(view) end)
  local opened = here.open(view, self.bufnr)
  self:draw()
  return opened
end

--- The rows that are selected in the window, or the cursor's.
---@return integer first
---@return integer last inclusive
local function selected(win)
  local row = api.nvim_win_get_cursor(win)[1] - 1
  if win ~= api.nvim_get_current_win() or not vim.fn.mode():find('^[vV\22]') then return row, row end
  local other = vim.fn.line('v') - 1
  return math.min(row, other), math.max(row, other)
end

--- Lends the keys to the buffer where the cursor, or what is selected, is in a hunk, and takes them back where it is not.
function Inline:moved()
  local win = self:win()
  local inside = win and self:inside(api.nvim_win_get_cursor(win)[1] - 1)
  local touched = inside or win and self:inside(selected(win))
  if touched and not self.give_back then
    self.give_back = require('agent_diff.keys').borrow(self.view, self.bufnr)
  elseif not touched and self.give_back then
    self:take_keys_back()
  end
  if inside and inside ~= self.view.current then self.view:follow(inside) end
  if inside then self:show_top() end
end

--- Virtual lines above the first line of a file are above the window where nobody scrolls to them.
function Inline:show_top()
  local win = self:win()
  if not win or vim.fn.line('w0', win) > 1 then return end
  local above, row = 0, api.nvim_win_get_cursor(win)[1] - 1
  for _, mark in ipairs(api.nvim_buf_get_extmarks(self.bufnr, NS, 0, { 0, -1 }, { details = true })) do
    if mark[4].virt_lines_above then above = above + #mark[4].virt_lines end
  end
  above = math.min(above, api.nvim_win_get_height(win) - row - 2)
  api.nvim_win_call(win, function()
    if vim.fn.winsaveview().topfill < above then vim.fn.winrestview({ topline = 1, topfill = above }) end
  end)
end

function Inline:take_keys_back()
  local give_back = self.give_back
  self.give_back = nil
  if give_back and api.nvim_buf_is_valid(self.bufnr) then give_back() end
end

--- The window that shows the review.
---@return integer? win
function Inline:win()
  local current = api.nvim_get_current_win()
  if api.nvim_win_get_buf(current) == self.bufnr then return current end
  local opened = self.view.layout
  return opened and opened.shows and opened:shows(self.bufnr) and opened.win or nil
end

--- The rows of a hunk in the buffer; a hunk without lines there has the row above or below it.
---@return integer? first nil when it has no place
---@return integer? last inclusive
function Inline:rows(hunk)
  local first, last
  for _, block in ipairs(hunk.blocks) do
    local from, to = self.source.anchors:range(block.mark)
    if from then
      first, last = math.min(first or from, from), math.max(last or 0, to - 1)
    end
  end
  if not first then return nil end
  local most = api.nvim_buf_line_count(self.bufnr) - 1
  return math.min(first, most), math.min(math.max(first, last), most)
end

-- Blocks of one hunk are at most this many lines apart: twice the context of a diff, and one.
local apart = 7

--- The hunk that a row of the buffer belongs to, or one of several rows. There may be very many hunks: only those near them
--- are looked at.
---@param from integer
---@param to integer? inclusive
---@return agent_diff.Hunk?
function Inline:inside(from, to)
  to = to or from
  for block in pairs(self.source.anchors:near(math.max(from - apart, 0), to + apart)) do
    local first, last = self:rows(block.hunk)
    if first and to >= first and from <= last then return block.hunk end
  end
end

--- The hunk that a row of the buffer belongs to.
---@return agent_diff.Hunk? hunk
---@return integer index of the hunk, or of the last one above the row
function Inline:hunk_at(_, row)
  local inside, index = self:inside(row), 0
  if inside then return inside, inside.index end
  for _, hunk in ipairs(self.view.review.hunks) do
    local first, last = self:rows(hunk)
    if first and row >= first and row <= last then return hunk, hunk.index end
    if first and first < row then index = hunk.index end
  end
  return nil, index
end

function Inline:to_review(bufnr, row)
  local hunk, index = self:hunk_at(bufnr, row)
  hunk = hunk or self.view.review.hunks[math.max(index, 1)]
  return hunk and self.view:row_of(hunk) or self.view.diff_row
end

function Inline:from_review(_, row)
  local hunk = self.view:hunk_at(row)
  local first, last = nil, nil
  if hunk then
    first, last = self:rows(hunk)
  end
  if not first then return 0 end
  return row == self.view:row_of(hunk) and first or last
end

--- Comments stand at their hunks here too.
function Inline:mirrors(row)
  if not self.autocmds then return {} end
  local hunk = self.view:hunk_at(row)
  local first = hunk and row == self.view:row_of(hunk) and self:rows(hunk)
  if first then return { { self.bufnr, first } } end
  return row == 0 and { { self.bufnr, 0 } } or {}
end

--- The rows of the printed hunk that are a block's lines of one side, for their colours.
local function printed(view, hunk, block, side)
  local kind, skip = side == 'old' and '-' or '+', 0
  for _, other in ipairs(hunk.blocks) do
    if other == block then break end
    skip = skip + #other[side]
  end
  local found = {}
  for i, row in ipairs(view.colours:rows_of(hunk)) do
    if row.kind == kind then
      if skip > 0 then
        skip = skip - 1
      elseif #found < #block[side] then
        found[#found + 1] = i
      end
    end
  end
  return found
end

--- Which lines of a block, of each side, a row of the buffer stands for: a line that is there for itself and what came or
--- comes in its place; where there are none, the rows above and below for all.
---@param offset integer the row, counted from the first one of the block
---@return table<'old'|'new', table<integer, true>>
local function lines_beside(block, side, offset)
  local found, at = { old = {}, new = {} }, 1
  for _, pair in ipairs(align(block.old, block.new)) do
    local lines = { old = pair[1], new = pair[2] }
    at = lines[side] or at -- what has no line beside it goes with the one above
    if #block[side] == 0 or at == offset + 1 then
      for name, line in pairs(lines) do
        found[name][line] = true
      end
    end
  end
  return found
end

--- The rows of the diff that are decided on by selecting a row of the buffer.
function Inline:rows_at(_, row)
  local view, shown = self.view, {}
  for block in pairs(self.source.anchors:near(row, row)) do
    local side, first, last = self.source.anchors:place(block)
    local there = side
      and (first == last and (row == first or row == first - 1) or row >= first and row < last)
    for name, lines in pairs(there and lines_beside(block, side, row - first) or {}) do
      local at = printed(view, block.hunk, block, name)
      for line in pairs(lines) do
        shown[#shown + 1] = view:row_of(block.hunk) + at[line] - 1
      end
    end
  end
  return shown
end

--- A line in which characters that are not seen stand as what they are; nil when there are none.
---@param row integer of the diff
---@return string?
function Inline:reveal(line, row)
  local given = self.view.given
  if self.hidden_of ~= given then
    self.hidden_of, self.hidden = given, {}
    for _, h in ipairs(given.hidden) do
      self.hidden[h.row] = self.hidden[h.row] or {}
      table.insert(self.hidden[h.row], h)
    end
  end
  local hidden = self.hidden[row]
  if not hidden then return nil end
  table.sort(hidden, function(a, b) return a.col > b.col end)
  for _, h in ipairs(hidden) do
    line = line:sub(1, h.col - 1) .. h.text .. line:sub(h.col + h.bytes) -- in the diff there is one character before it
  end
  return line
end

--- A side of a block as virtual lines.
---@param coloured boolean whether as code; that takes longer
function Inline:virtual(hunk, block, side, coloured)
  local view = self.view
  local base = side == 'old' and 'AgentDiffDelete' or 'AgentDiffAdd'
  local win = self:win()
  local width = win and api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff or vim.o.columns
  local lines, at = {}, printed(view, hunk, block, side)
  for i, line in ipairs(block[side]) do
    local revealed = at[i] and self:reveal(line, hunk.line + at[i] - 1)
    local index = coloured and not revealed and at[i] or nil
    local code = index and groups.has_backgrounds() and view.colours:code(hunk, index) or {}
    local words = index and view.colours:words(hunk, index) or {}
    vim.list_extend(
      lines,
      paint.virtual(revealed or line, { base = base, code = code, words = words }, width)
    )
  end
  return lines
end

--- Shows a hunk as it stands.
function Inline:draw_hunk(hunk, coloured)
  self.ids = self.ids or {}
  for _, id in ipairs(self.ids[hunk] or {}) do
    api.nvim_buf_del_extmark(self.bufnr, NS, id)
  end
  local ids = {}
  self.ids[hunk] = ids
  local function mark(row, opts)
    opts.strict = false
    ids[#ids + 1] = api.nvim_buf_set_extmark(self.bufnr, NS, row, 0, opts)
  end
  local first_row = self:rows(hunk)
  if not first_row then return end
  local most = api.nvim_buf_line_count(self.bufnr) - 1
  for _, block in ipairs(hunk.blocks) do
    local side, first, last = self.source.anchors:place(block)
    if side and first < last and hunk.state ~= 'rejected' then
      mark(first, {
        end_row = last,
        hl_group = side == 'new' and 'AgentDiffAdd' or 'AgentDiffDelete',
        hl_eol = true,
        priority = 50,
      })
    end
    -- What is not in the file stands beside what is, the old above the new.
    local other = side == 'new' and 'old' or 'new'
    local shown = side and #block[other] > 0 and (side == 'new' or hunk.state ~= 'rejected')
    if shown then
      local above = side == 'new' and first <= most or (first == last and first == 0)
      mark(above and first or math.min(math.max(last - 1, 0), most), {
        virt_lines = self:virtual(hunk, block, other, coloured),
        virt_lines_above = above,
      })
    end
  end
  local label = { { (' hunk %d '):format(hunk.index), 'AgentDiffHunk' } }
  vim.list_extend(label, paint.state(hunk) or {})
  mark(first_row, { virt_text = label, virt_text_pos = 'right_align', hl_mode = 'combine' })
  if first_row == 0 and hunk == self.view.current then self:show_top() end
end

--- Draws everything anew; the colours of code come afterwards, a few at a time.
function Inline:draw()
  if not self.autocmds or not api.nvim_buf_is_loaded(self.bufnr) then return end
  api.nvim_buf_clear_namespace(self.bufnr, NS, 0, -1)
  self.ids = {}
  for _, hunk in ipairs(self.view.review.hunks) do
    self:draw_hunk(hunk, false)
  end
  self:colour(1)
end

function Inline:colour(from)
  self.turn = (self.turn or 0) + 1
  local turn, guarded = self.turn, require('agent_diff.notice').guarded
  local function go_on()
    local until_then = vim.uv.hrtime() + at_once_ms * 1e6
    for i = from, #self.view.review.hunks do
      if self.turn ~= turn or not api.nvim_buf_is_loaded(self.bufnr) then return end
      self:draw_hunk(self.view.review.hunks[i], true)
      from = i + 1
      if vim.uv.hrtime() > until_then then return vim.defer_fn(guarded(go_on), pause_ms) end
    end
  end
  vim.schedule(guarded(go_on))
end

--- Shows the review's place among those that wait.
function Inline:draw_place() self.view:draw_bar() end

--- Shows new states.
---@param hunks agent_diff.Hunk[]
function Inline:update(hunks)
  if not self.autocmds then return end
  local commented = false
  for _, hunk in ipairs(hunks) do
    self:draw_hunk(hunk, true)
    commented = commented or hunk.comment ~= nil
  end
  if commented then require('agent_diff.comment').draw(self.view) end -- it does not move with lines that are replaced
  self:moved()
end

--- Leaves nothing behind in the buffer: it waits, or it is over.
function Inline:rest()
  self.turn = (self.turn or 0) + 1
  self:take_keys_back()
  for _, id in ipairs(self.autocmds or {}) do
    pcall(api.nvim_del_autocmd, id)
  end
  self.autocmds = nil
  if not api.nvim_buf_is_valid(self.bufnr) then return end
  for _, name in ipairs({ 'agent_diff.inline', 'agent_diff.comment' }) do
    api.nvim_buf_clear_namespace(self.bufnr, api.nvim_create_namespace(name), 0, -1)
  end
end

Inline.drop = Inline.rest

return M
