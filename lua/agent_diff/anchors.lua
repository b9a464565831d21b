--- Where each block of a proposal is in a buffer while the text moves, by extmarks. Rows are 0-based, ends exclusive.
---
--- A block has two marks. Lines that come in at its edges stay outside of `mark` and come into `reach`. The block is
--- between edges of the two such that the text between is its old or its new one; so a line that a person adds at an edge is
--- not part of it, and one that they delete there and put back is.
local text = require('agent_diff.text')
local api = vim.api

local M = {}
local NS = api.nvim_create_namespace('agent_diff.source')

---@class agent_diff.Block
---@field id integer
---@field row integer 0-based row in the text that was read; -1 when the block has no place
---@field old string[] lines without their line ends
---@field new string[]
---@field eol { old: boolean, new: boolean }? whether the file ends in a newline, for a block that holds its last line
---@field eol_only boolean? only the final newline differs
---@field eol_was boolean? 'eol' before the block was applied, while that changed it
---@field side 'old'|'new'|nil what the text said when it was last looked at
---@field mark integer? extmark; nil for a block that has no place
---@field reach integer? extmark
---@field adrift boolean? its marks are not where it is
---@field beside table<string|false, table<string|false, true>> between which lines, above and below, it may be empty
---@field hunk agent_diff.Hunk

---@class agent_diff.Anchors
---@field bufnr integer
---@field blocks agent_diff.Block[] in order of place, those without a place last
---@field torn table<agent_diff.Block, true> lines were taken away from them, or replaced around them: they may be elsewhere
local Anchors = {}
Anchors.__index = Anchors

--- Makes a block of what the server sends.
function M.prepare(block)
  block.beside = {}
  block.eol_only = block.eol ~= nil and text.same(block.old, block.new)
end

--- Anchors the blocks at their rows.
---@param bufnr integer
---@param blocks agent_diff.Block[] in order of place
---@return agent_diff.Anchors
function M.set(bufnr, blocks)
  local self = setmetatable({ bufnr = bufnr, blocks = {}, by_mark = {}, torn = {} }, Anchors)
  local unplaced = {}
  for _, block in ipairs(blocks) do
    M.prepare(block)
    if block.row < 0 then
      unplaced[#unplaced + 1] = block
    else
      self.blocks[#self.blocks + 1] = block
      block.side = 'old'
      self:settle(block, block.row, block.row + #block.old)
      self:look_beside(block, block.row, block.row + #block.old)
    end
  end
  vim.list_extend(self.blocks, unplaced)
  for i, block in ipairs(self.blocks) do
    block.index = i
  end
  return self
end

function Anchors:line(row)
  if row < 0 or row >= text.count(self.bufnr) then return false end
  return api.nvim_buf_get_lines(self.bufnr, row, row + 1, false)[1]
end

--- Sets both marks of a block whose place is known.
function Anchors:settle(block, first, last)
  block.mark = api.nvim_buf_set_extmark(self.bufnr, NS, first, 0, {
    id = block.mark,
    end_row = last,
    end_col = 0,
    strict = false,
  })
  block.reach = api.nvim_buf_set_extmark(self.bufnr, NS, first, 0, {
    id = block.reach,
    end_row = last,
    end_col = 0,
    right_gravity = false,
    end_right_gravity = true,
    strict = false,
  })
  self.by_mark[block.mark], self.by_mark[block.reach] = block, block
  self.torn[block], block.adrift = nil, nil
  if first == last then self:look_beside(block, first, last) end
end

--- Remembers the lines that the block stands between, for the side that has no lines of its own.
function Anchors:look_beside(block, first, last)
  local above, below = self:line(first - 1), self:line(last)
  block.beside[above] = block.beside[above] or {}
  block.beside[above][below] = true
end

--- The rows of a mark; a line that it begins or ends inside of is in it.
---@return integer? first nil when there is no such mark
---@return integer? last exclusive
---@return boolean? turned lines came into it while it had none
function Anchors:range(mark)
  local at = mark and api.nvim_buf_get_extmark_by_id(self.bufnr, NS, mark, { details = true })
  if not at or not at[1] then return nil end
  local first, first_col, last, last_col = at[1], at[2], at[3].end_row, at[3].end_col
  local turned = last < first or (last == first and last_col < first_col)
  if turned then
    -- Where its text is replaced at once (by a redo, say) a mark is turned round.
    first, last, last_col = last, first, first_col
  end
  -- What is typed into the line below a block without lines does not make that one of its lines.
  local none = last == first and #self.by_mark[mark][self.by_mark[mark].side] == 0
  if last_col > 0 and not none then last = last + 1 end
  local count = text.count(self.bufnr)
  return math.min(first, count), math.min(last, count), turned
end

function Anchors:side_fits(block, side, first, last)
  local want = block[side]
  if last - first ~= #want then return false end
  if #want == 0 then
    local below = block.beside[self:line(first - 1)]
    return below ~= nil and below[self:line(last)] == true
  end
  if not text.same(api.nvim_buf_get_lines(self.bufnr, first, last, false), want) then return false end
  -- A last line has a newline behind it when 'eol' says so, any other line has one.
  return not block.eol_only or (last < text.count(self.bufnr) or vim.bo[self.bufnr].eol) == block.eol[side]
end

--- Where the block is, and what the text says there.
---@param block agent_diff.Block
---@return 'old'|'new'|nil side nil when it is neither
---@return integer? first
---@return integer? last exclusive
function Anchors:place(block)
  local first, last, turned = self:range(block.mark)
  if not first or block.adrift then return nil end
  local from, to = self:range(block.reach)
  local torn = self.torn[block]
  local function may_be(side) return side == block.side or not torn or not self:crowded(block, from, to) end
  local side = self:side_between(block, first, last)
  if side and (not turned or may_be(side)) then
    -- Where everything was replaced the marks of a block can be anywhere.
    if torn and not self:in_order(block, first, last) then return nil end
    return side, first, last
  end
  local edges = { first, last, from, to }
  side = from < to and self:side_between(block, from, to)
  if side and not may_be(side) then side = nil end
  for _, edge in ipairs(side and {} or edges) do
    for _, other in ipairs({ 'old', 'new' }) do
      local size = #block[other]
      -- Two neighbours meet in many places: they say enough only of a block that had no lines when lines came in.
      local enough = size > 0 or (block.side == other and not torn)
      if
        enough
        and may_be(other)
        and vim.list_contains(edges, edge + size)
        and self:side_fits(block, other, edge, edge + size)
      then
        if side and (side ~= other or from ~= edge) then return nil end
        side, from, to = other, edge, edge + size
      end
    end
  end
  if not side or (torn and not self:in_order(block, from, to)) then return nil end
  self:settle(block, from, to)
  return side, from, to
end

--- Whether a neighbour too may be in what is within reach of the block: much was replaced at once.
---@return boolean
function Anchors:crowded(block, from, to)
  for _, step in ipairs({ -1, 1 }) do
    local other = self.blocks[block.index + step]
    local first, last = self:range(other and other.reach)
    if first and first < to and last > from then return true end
  end
  return false
end

--- Which side of the block the rows say.
---@return 'old'|'new'|nil
function Anchors:side_between(block, first, last)
  for _, side in ipairs({ 'old', 'new' }) do
    if self:side_fits(block, side, first, last) then return side end
  end
end

--- The rows where some of a block's lines are still.
---@return integer? first nil when none is
---@return integer? last exclusive
function Anchors:remains(block)
  local first, last, turned = self:range(block.mark)
  if not first or first == last or turned or block.adrift or #block[block.side] == 0 then return nil end
  return first, last
end

--- Whether these rows are between the blocks before and behind this one, as far as their places are known.
---@return boolean
function Anchors:in_order(block, first, last)
  for _, step in ipairs({ -1, 1 }) do
    local index = block.index + step
    while self.blocks[index] and (not self.blocks[index].mark or self.torn[self.blocks[index]]) do
      index = index + step
    end
    local side, f, l = self:place(self.blocks[index] or {})
    if side and ((step < 0 and l > first) or (step > 0 and f < last)) then return false end
  end
  return true
end

--- The neighbours that begin or end where the block does, with their places; the next ones too where they are empty.
function Anchors:touching(block, first, last)
  local near = {}
  for step, edge in pairs({ [-1] = first, [1] = last }) do
    local index = block.index + step
    while self.blocks[index] do
      local side, f, l = self:place(self.blocks[index])
      if not side or (f ~= edge and l ~= edge) then break end
      near[#near + 1] = { block = self.blocks[index], first = f, last = l }
      if f ~= l then break end
      index = index + step
    end
  end
  return near
end

--- The blocks at most one line away from a range.
---@return table<agent_diff.Block, true>
function Anchors:near(first, last)
  local near = {}
  if last == math.huge then
    for _, block in ipairs(self.blocks) do
      near[block] = block.mark and true or nil
    end
    return near
  end
  local count = api.nvim_buf_line_count(self.bufnr)
  local from, to = { math.max(math.min(first, count) - 1, 0), 0 }, { math.min(last + 1, count), -1 }
  for _, mark in ipairs(api.nvim_buf_get_extmarks(self.bufnr, NS, from, to, { overlap = true })) do
    near[self.by_mark[mark[1]]] = true
  end
  return near
end

--- Where blocks begin in the text that has all of them on one side, by their rows in the text with the old sides.
---@param blocks agent_diff.Block[] in order
---@param side 'old'|'new'
---@return table<agent_diff.Block, integer>
local function rows_on(blocks, side)
  local rows, shift = {}, 0
  for _, block in ipairs(blocks) do
    rows[block] = block.row + shift
    if side == 'new' then shift = shift + #block.new - #block.old end
  end
  return rows
end

--- Puts blocks in the place of others that cover the same lines. All of a hunk's blocks that go are on one side; those that
--- come are on that side too.
---@param gone agent_diff.Block[] in order, each at its place
---@param come agent_diff.Block[] in order
function Anchors:replace(gone, come)
  local places, instead = {}, {}
  for i, block in ipairs(gone) do
    local side, first = self:place(block)
    places[i] = { block = block, side = side, first = first }
    instead[block] = {}
  end
  for _, block in ipairs(gone) do
    self:drop(block)
  end
  local rows = {}
  for _, side in ipairs({ 'old', 'new' }) do
    rows[side] = { gone = rows_on(gone, side), come = rows_on(come, side) }
  end
  local k = 1
  for _, block in ipairs(come) do
    while places[k + 1] and places[k + 1].block.row <= block.row do
      k = k + 1
    end
    local there = places[k]
    local on = rows[there.side]
    self:add(block, there.side, there.first + on.come[block] - on.gone[there.block])
    table.insert(instead[there.block], block)
  end
  local blocks = {}
  for _, block in ipairs(self.blocks) do
    vim.list_extend(blocks, instead[block] or { block })
  end
  for i, block in ipairs(blocks) do
    block.index = i
  end
  self.blocks = blocks
end

--- Forgets where a block is.
function Anchors:drop(block)
  for _, mark in ipairs({ block.mark, block.reach }) do
    api.nvim_buf_del_extmark(self.bufnr, NS, mark)
    self.by_mark[mark] = nil
  end
  block.mark, block.reach, self.torn[block] = nil, nil, nil
end

--- Anchors a block that says one of its sides at a row; nowhere, when that is not what the text says.
function Anchors:add(block, side, first)
  if not block.beside then M.prepare(block) end
  local last = first + #block[side]
  if first < 0 or not text.same(api.nvim_buf_get_lines(self.bufnr, first, last, false), block[side]) then
    return
  end
  block.side = side
  self:settle(block, first, last)
  self:look_beside(block, first, last)
end

--- The first row of the hunk in the buffer, for showing it; nil when it has no place.
---@param hunk agent_diff.Hunk
---@return integer?
function Anchors:row(hunk)
  for _, block in ipairs(hunk.blocks) do
    local first = self:range(block.mark)
    if first then return math.min(first, api.nvim_buf_line_count(self.bufnr) - 1) end
  end
end

--- Leaves nothing behind in the buffer.
function Anchors:clear() api.nvim_buf_clear_namespace(self.bufnr, NS, 0, -1) end

return M
