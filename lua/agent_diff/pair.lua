--- The review side by side: two buffers of our own, the old text on the left and the new one on the right, line beside line.
--- What one side lacks is an empty line there, so that rows are the same on both.
local api = vim.api
local dress = require('agent_diff.dress')
local guarded = require('agent_diff.notice').guarded
local paint = require('agent_diff.paint')
local words = require('agent_diff.words')

local M = {}
local NS = api.nvim_create_namespace('agent_diff.pair')

local sides = { 'old', 'new' }

-- What stands for a line that only the other side has; wider than any window.
local filler = ('╱'):rep(400)

---@class agent_diff.Pair: agent_diff.Shape
---@field by_side table<'old'|'new', integer> the buffers
---@field pairs { old: integer?, new: integer? }[] rows of the review buffer that stand beside each other
---@field row_of table<integer, integer> row here by row of the review buffer
local Pair = {}
Pair.__index = Pair

--- Puts lines that were taken away beside those that came for them.
local function beside(into, old, new, text_of)
  local function texts(rows) return vim.tbl_map(text_of, rows) end
  for _, pair in ipairs(words.align(texts(old), texts(new))) do
    into[#into + 1] = { old = old[pair[1]], new = new[pair[2]] }
  end
end

--- Which rows of the review buffer stand beside each other.
---@param view agent_diff.View
---@return { old: integer?, new: integer? }[]
local function align(view)
  local made, old, new = {}, {}, {}
  local lines, first = view.given.lines, view.diff_row
  local function flush()
    beside(made, old, new, function(row) return lines[row - first + 1]:sub(2) end)
    old, new = {}, {}
  end
  for row = 0, first - 1 do
    made[#made + 1] = { old = row }
  end
  local at, last = first, first + #lines
  --- What is between hunks is on both sides; the two lines that name the file stand beside each other.
  local function between(from, to)
    while from < to do
      local names = vim.startswith(lines[from - first + 1], '--- ')
      made[#made + 1] = { old = from, new = names and from + 1 or from }
      from = from + (names and 2 or 1)
    end
  end
  for _, hunk in ipairs(view.review.hunks) do
    local start = view:row_of(hunk)
    between(at, start)
    local kind_before
    for i, its in ipairs(view.colours:rows_of(hunk)) do
      local row, kind = start + i - 1, its.kind
      if kind == '\\' then kind = kind_before end
      if kind == '-' then
        if #new > 0 then flush() end
        old[#old + 1] = row
      elseif kind == '+' then
        new[#new + 1] = row
      else
        flush()
        made[#made + 1] = { old = row, new = row }
      end
      kind_before = kind
    end
    flush()
    at = start + hunk.lines
  end
  between(at, last)
  return made
end

--- Makes the buffers.
---@param view agent_diff.View
---@return agent_diff.Pair
function M.new(view)
  local self = setmetatable({ name = 'split', view = view, by_side = {}, bufs = {} }, Pair)
  for i, side in ipairs(sides) do
    local bufnr = api.nvim_create_buf(false, true)
    local bo = vim.bo[bufnr]
    bo.modeline, bo.undolevels, bo.swapfile = false, -1, false
    local name = ('agent-diff://%s/%s/%s'):format(view.review.id, side, vim.fn.strtrans(view.review.name))
    api.nvim_buf_set_name(bufnr, name)
    self.by_side[side], self.bufs[i] = bufnr, bufnr
  end
  self:draw()
  for _, side in ipairs(sides) do
    self:attach(side)
  end
  -- There is no event for a fold that is opened.
  self.watch = api.nvim_create_autocmd('SafeState', {
    group = view.group,
    callback = guarded(function() self:bind_folds() end),
  })
  return self
end

--- Opens on the other side what the person opens on one, and closes what they close: the lines stay beside each other.
function Pair:bind_folds()
  local current = api.nvim_get_current_win()
  local bufnr = api.nvim_win_get_buf(current)
  if not vim.list_contains(self.bufs, bufnr) then return end
  self.folds = self.folds or dress.folds(self.view, bufnr)
  local folds = self.folds
  if #folds == 0 then return end
  local function is_closed(fold) return vim.fn.foldclosed(fold[1]) > 0 end
  local here, changed = vim.tbl_map(is_closed, folds), false
  for _, other in ipairs(self.bufs) do
    for _, win in ipairs(other ~= bufnr and vim.fn.win_findbuf(other) or {}) do
      api.nvim_win_call(win, function()
        for i, fold in ipairs(folds) do
          if is_closed(fold) ~= here[i] then
            changed = true
            vim.cmd(('silent! %dfold%s'):format(fold[1], here[i] and 'close' or 'open'))
          end
        end
      end)
    end
  end
  if changed and vim.wo.scrollbind then vim.cmd.syncbind() end
end

--- Starts to colour and to number a side.
function Pair:attach(side)
  local view, bufnr = self.view, self.by_side[side]
  local function place(row)
    local pair = self.pairs[row + 1]
    if pair and pair[side] then return require('agent_diff.unified').place(view, pair[side]) end
  end
  local unified = require('agent_diff.unified').face(view)
  require('agent_diff.gutter').attach(bufnr, {
    width = require('agent_diff.unified').number_width(view.review.hunks),
    sides = { side },
    room = function(win) return self:room(win) end,
    at = function(row)
      local hunk, index = place(row)
      if hunk then return hunk, view.colours:rows_of(hunk)[index] end
      return (view:hunk_at(self:to_review(bufnr, row)))
    end,
  })
  require('agent_diff.highlight').attach({
    bufnr = bufnr,
    colours = view.colours,
    col = 0,
    at = place,
    group = function(row)
      local pair = self.pairs[row + 1]
      if not pair then return nil end
      return pair[side] and unified.group(pair[side]) or nil
    end,
    has_cr = function(row)
      local hunk = place(row)
      return hunk ~= nil and hunk.file.crlf
    end,
    over = function(row)
      local pair = self.pairs[row + 1]
      if not pair or pair[side] then return nil end
      if row < view.diff_row then return self:rest_of(row) end
      return { { filler, 'AgentDiffFiller' } }
    end,
  })
end

--- What of a line of the head has no room on the left goes on beside it on the right.
function Pair:rest_of(row)
  local win = self.view.layout and self.view.layout.review_win
  if not win or not api.nvim_win_is_valid(win) then return nil end
  local line = api.nvim_buf_get_lines(self.by_side.old, row, row + 1, false)[1]
  local room = api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff
  local seen = vim.fn.strcharpart(line, 0, room)
  while vim.fn.strdisplaywidth(seen) > room do
    seen = vim.fn.strcharpart(seen, 0, vim.fn.strchars(seen) - 1)
  end
  if seen == line then return nil end
  return { { line:sub(#seen + 1), row == 0 and 'AgentDiffTitle' or 'AgentDiffHead' } }
end

--- How many columns the narrower one of the two windows has: both look the same.
function Pair:room(win)
  local opened, least = self.view.layout, api.nvim_win_get_width(win)
  for _, own in ipairs(opened and { opened.review_win, opened.second_win } or {}) do
    if api.nvim_win_is_valid(own) then least = math.min(least, api.nvim_win_get_width(own)) end
  end
  return least
end

--- What a row of the review buffer says here.
local function text_of(view, row)
  local hunk, index = require('agent_diff.unified').place(view, row)
  local its = hunk and view.colours:rows_of(hunk)[index]
  if its and (its.kind == ' ' or its.kind == '-' or its.kind == '+') then return its.text end
  return api.nvim_buf_get_lines(view.bufnr, row, row + 1, false)[1] or ''
end

--- Draws everything anew.
function Pair:draw()
  local view = self.view
  self.pairs, self.row_of, self.folds = align(view), {}, nil
  for i, pair in ipairs(self.pairs) do
    for _, side in ipairs(sides) do
      if pair[side] then self.row_of[pair[side]] = i - 1 end
    end
  end
  for _, side in ipairs(sides) do
    local bufnr, lines = self.by_side[side], {}
    for i, pair in ipairs(self.pairs) do
      lines[i] = pair[side] and text_of(view, pair[side]) or ''
    end
    vim.bo[bufnr].modifiable = true
    api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
    vim.bo[bufnr].modifiable = false
    require('agent_diff.highlight').reset(bufnr)
    api.nvim_buf_clear_namespace(bufnr, NS, 0, -1)
  end
  for _, hunk in ipairs(view.review.hunks) do
    self:mark(hunk)
  end
  for _, hidden in ipairs(view.given.hidden) do
    self:reveal(hidden)
  end
  self:draw_place()
end

--- Shows the review's place among those that wait.
function Pair:draw_place() self.place_mark = self.view:put_place(self.by_side.old, self.place_mark) end

--- Shows a character that is not seen.
function Pair:reveal(hidden)
  local view = self.view
  local row = view.diff_row + hidden.row
  local line = view.given.lines[hidden.row + 1]
  local cut = #line - #text_of(view, row)
  local shifted = { col = hidden.col - cut, bytes = hidden.bytes, text = hidden.text }
  local col, mark = paint.reveal(line:sub(cut + 1), shifted)
  local pair = self.pairs[self.row_of[row] + 1]
  for _, side in ipairs(col and sides or {}) do
    if pair[side] == row then
      api.nvim_buf_set_extmark(self.by_side[side], NS, self.row_of[row], col, vim.deepcopy(mark))
    end
  end
end

--- Marks a decided hunk's line.
function Pair:mark(hunk)
  local row = self.row_of[self.view:row_of(hunk)]
  local text = paint.state(hunk)
  self.marks = self.marks or {}
  for _, side in ipairs(sides) do
    local bufnr = self.by_side[side]
    local ids = self.marks[bufnr] or {}
    self.marks[bufnr] = ids
    if text then
      local last = self.row_of[self.view:row_of(hunk) + hunk.lines - 1]
      ids[hunk] = api.nvim_buf_set_extmark(bufnr, NS, row, 0, {
        id = ids[hunk],
        virt_text = text,
        virt_text_pos = 'eol',
        end_row = last + 1,
        hl_group = 'AgentDiffDecided',
        strict = false,
      })
    elseif ids[hunk] then
      api.nvim_buf_del_extmark(bufnr, NS, ids[hunk])
      ids[hunk] = nil
    end
  end
end

--- Brings marks and the progress line up to date.
---@param hunks agent_diff.Hunk[]
function Pair:update(hunks)
  for _, hunk in ipairs(hunks) do
    self:mark(hunk)
  end
  local row, bufnr = self.view.progress_row, self.by_side.old
  vim.bo[bufnr].modifiable = true
  api.nvim_buf_set_lines(bufnr, row, row + 1, false, { paint.progress(self.view.review:count()) })
  vim.bo[bufnr].modifiable = false
end

function Pair:to_review(bufnr, row)
  local pair = self.pairs[row + 1]
  if not pair then return self.view.diff_row + #self.view.given.lines end
  local side = bufnr == self.by_side.new and 'new' or 'old'
  return pair[side] or pair.old or pair.new
end

function Pair:rows_at(_, row) return self.pairs[row + 1] or {} end

function Pair:from_review(_, row) return self.row_of[row] or 0 end

--- Makes room on the side where nothing is said, so that the rows stay beside each other.
function Pair:mirrors(row)
  return vim.tbl_map(function(bufnr) return { bufnr, self.row_of[row] or 0 } end, self.bufs)
end

--- Takes the buffers away.
function Pair:drop()
  pcall(api.nvim_del_autocmd, self.watch) -- with the review its group has gone already
  for _, bufnr in ipairs(self.bufs) do
    require('agent_diff.gutter').detach(bufnr)
    require('agent_diff.highlight').detach(bufnr)
    if api.nvim_buf_is_valid(bufnr) then pcall(api.nvim_buf_delete, bufnr, { force = true }) end
  end
end

return M
