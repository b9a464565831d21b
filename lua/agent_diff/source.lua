--- A source buffer under review: where each block of the proposal is while the text moves, what the text says there,
--- and changing it. Rows are 0-based, ends exclusive. Every change is a compare-and-set: the lines that are there must be
--- the ones that the change replaces.
---
--- A block has two marks. Lines that come in at its edges stay outside of `mark` and come into `reach`. The block is
--- between edges of the two such that the text between is its old or its new one; so a line that a person adds at an edge is
--- not part of it, and one that they delete there and put back is.
local api = vim.api

local M = {}
local NS = api.nvim_create_namespace('agent_diff.source')

-- How long a decision waits for the server to find lost blocks again, in milliseconds.
local seek_ms = 500

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

---@class agent_diff.Source
---@field bufnr integer
---@field blocks agent_diff.Block[] in order of place, those without a place last
---@field foreign boolean the text was changed by somebody else than this module
---@field torn table<agent_diff.Block, true> lines were taken away from them, or replaced around them: they may be elsewhere
---@field seeking integer how many answers of the server's are awaited
---@field on_change fun(hunks: table<agent_diff.Hunk, true>) called later, outside of the change
---@field on_lost fun(blocks: agent_diff.Block[]) blocks that are to be looked for; answered by anchor()
---@field on_gone fun() the buffer was unloaded
local Source = {}
Source.__index = Source

--- Whether the buffer holds no line at all. Its one visible line is then a phantom, which an empty file and a file of one
--- newline share; wordcount() tells them apart. (line2byte() does so only until the buffer has once had a line.)
local function is_void(bufnr)
  if api.nvim_buf_line_count(bufnr) > 1 or api.nvim_buf_get_lines(bufnr, 0, 1, false)[1] ~= '' then
    return false
  end
  return api.nvim_buf_call(bufnr, function()
    -- Where a write would not end it by a newline, an empty line has no byte either.
    local nofixeol = not vim.bo.fixeol
    if nofixeol then vim.cmd('noautocmd setlocal fixeol') end
    local void = vim.fn.wordcount().bytes == 0
    if nofixeol then vim.cmd('noautocmd setlocal nofixeol') end
    return void
  end)
end

--- The buffer's lines; none for an empty file.
---@return string[]
function M.lines(bufnr)
  if is_void(bufnr) then return {} end
  return api.nvim_buf_get_lines(bufnr, 0, -1, false)
end

--- The buffer's text as Go knows it: lines ended by a newline, the last one as 'eol' says. A NUL is a NUL.
---@return string
function M.text(bufnr)
  local lines = M.lines(bufnr)
  if #lines == 0 then return '' end
  if vim.bo[bufnr].eol then lines[#lines + 1] = '' end
  return table.concat(lines, '\n')
end

--- The buffer's text as a write puts it into the file: with 'fixeol' it ends in a newline.
---@return string
function M.written(bufnr)
  local text = M.text(bufnr)
  local bo = vim.bo[bufnr]
  if text ~= '' and not bo.eol and bo.fixeol and not bo.binary then text = text .. '\n' end
  return text
end

local function same_lines(a, b)
  if #a ~= #b then return false end
  for i = 1, #a do
    if a[i] ~= b[i] then return false end
  end
  return true
end

--- Whether the lines that the hunks replace are where they are said to be: what was taken for the buffer's text can be
--- another one of the same size.
---@param bufnr integer
---@param hunks table[] as the server sends them
---@return boolean
function M.fits(bufnr, hunks)
  for _, hunk in ipairs(hunks) do
    for _, block in ipairs(hunk.blocks) do
      local row = block.row
      local there = row < 0
        or same_lines(api.nvim_buf_get_lines(bufnr, row, row + #block.old, false), block.old)
      if not there then return false end
    end
  end
  return true
end

--- Starts to watch the buffer and anchors the blocks at their rows.
---@param bufnr integer
---@param blocks agent_diff.Block[] in order of place
---@return agent_diff.Source
function M.attach(bufnr, blocks)
  local self = setmetatable(
    { bufnr = bufnr, blocks = {}, foreign = false, seeking = 0, by_mark = {}, torn = {} },
    Source
  )
  local unplaced, eol = {}, false
  for _, block in ipairs(blocks) do
    block.beside = {}
    block.eol_only = block.eol ~= nil and same_lines(block.old, block.new)
    eol = eol or block.eol ~= nil
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
  if eol or not vim.bo[bufnr].eol then
    -- With 'fixeol' any write would add the final newline that the file or the proposal does not have.
    self.fixeol = vim.bo[bufnr].fixeol
    vim.bo[bufnr].fixeol = false
  end
  -- The state of a block of only the final newline is read from 'eol'.
  self.eol_watch = api.nvim_create_autocmd('OptionSet', {
    pattern = 'endofline',
    callback = function()
      local last = api.nvim_buf_line_count(bufnr)
      if not self.own and api.nvim_get_current_buf() == bufnr then self:note(last - 1, last, last) end
    end,
  })
  self:watch()
  return self
end

--- How many lines there are; 0 in an empty file.
function Source:count() return is_void(self.bufnr) and 0 or api.nvim_buf_line_count(self.bufnr) end

function Source:line(row)
  if row < 0 or row >= self:count() then return false end
  return api.nvim_buf_get_lines(self.bufnr, row, row + 1, false)[1]
end

--- Sets both marks of a block whose place is known.
function Source:settle(block, first, last)
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
function Source:look_beside(block, first, last)
  local above, below = self:line(first - 1), self:line(last)
  block.beside[above] = block.beside[above] or {}
  block.beside[above][below] = true
end

--- The rows of a mark; a line that it begins or ends inside of is in it.
---@return integer? first nil when there is no such mark
---@return integer? last exclusive
function Source:range(mark)
  local at = mark and api.nvim_buf_get_extmark_by_id(self.bufnr, NS, mark, { details = true })
  if not at or not at[1] then return nil end
  local first, first_col, last, last_col = at[1], at[2], at[3].end_row, at[3].end_col
  if last < first or (last == first and last_col < first_col) then
    -- Where its text is replaced at once (by a redo, say) a mark is turned round.
    first, last, last_col = last, first, first_col
  end
  if last_col > 0 then last = last + 1 end
  local count = self:count()
  return math.min(first, count), math.min(last, count)
end

function Source:side_fits(block, side, first, last)
  local want = block[side]
  if last - first ~= #want then return false end
  if #want == 0 then
    local below = block.beside[self:line(first - 1)]
    return below ~= nil and below[self:line(last)] == true
  end
  if not same_lines(api.nvim_buf_get_lines(self.bufnr, first, last, false), want) then return false end
  -- A last line has a newline behind it when 'eol' says so, any other line has one.
  return not block.eol_only or (last < self:count() or vim.bo[self.bufnr].eol) == block.eol[side]
end

--- Where the block is, and what the text says there.
---@param block agent_diff.Block
---@return 'old'|'new'|nil side nil when it is neither
---@return integer? first
---@return integer? last exclusive
function Source:place(block)
  local first, last = self:range(block.mark)
  if not first or block.adrift then return nil end
  local side = self:side_between(block, first, last)
  if side then return side, first, last end
  local edges = { first, last, self:range(block.reach) }
  local from, to = edges[3], edges[4]
  side = from < to and self:side_between(block, from, to)
  for _, edge in ipairs(side and {} or edges) do
    for _, other in ipairs({ 'old', 'new' }) do
      local size = #block[other]
      -- Two neighbours meet in many places: what was torn needs more than them to be known again.
      local enough = size > 0 or not self.torn[block]
      if
        enough
        and vim.list_contains(edges, edge + size)
        and self:side_fits(block, other, edge, edge + size)
      then
        if side and (side ~= other or from ~= edge) then return nil end
        side, from, to = other, edge, edge + size
      end
    end
  end
  if not side then return nil end
  self:settle(block, from, to)
  return side, from, to
end

--- Which side of the block the rows say.
---@return 'old'|'new'|nil
function Source:side_between(block, first, last)
  for _, side in ipairs({ 'old', 'new' }) do
    if self:side_fits(block, side, first, last) then return side end
  end
end

--- What the text says at the hunk's place: 'old' or 'new' when all its blocks say so.
---@param hunk agent_diff.Hunk
---@return 'old'|'new'|'neither'
function Source:fit(hunk)
  local all
  for _, block in ipairs(hunk.blocks) do
    local side = self:place(block)
    if not side or (all and all ~= side) then return 'neither' end
    all = side
  end
  return all or 'neither'
end

--- Ends the undo step: what comes next is not joined to what was done before.
function Source:end_step()
  api.nvim_buf_call(self.bufnr, function() vim.cmd('let &l:undolevels = &l:undolevels') end)
end

--- Brings the hunk's blocks to one side. The caller has asked fit() in the same turn of the event loop.
---@param hunk agent_diff.Hunk
---@param side 'old'|'new'
---@return string? why it was not done; nothing was changed then
function Source:change(hunk, side)
  if not vim.bo[self.bufnr].modifiable then return 'buffer is not modifiable' end
  for _, block in ipairs(hunk.blocks) do
    local _, _, last = self:place(block)
    if block.eol_only and last < self:count() then return 'a line follows the one that ended the file' end
  end
  self.own = true
  local ok, err = pcall(function()
    for i = #hunk.blocks, 1, -1 do
      self:change_block(hunk.blocks[i], side)
    end
  end)
  self.own = false
  if not ok then return tostring(err) end
end

function Source:change_block(block, side)
  local _, first, last = self:place(block)
  local want = block[side]
  local near = self:touching(block, first, last)
  if is_void(self.bufnr) then
    api.nvim_buf_set_lines(self.bufnr, 0, -1, false, want)
  elseif not block.eol_only then
    api.nvim_buf_set_lines(self.bufnr, first, last, false, want)
  end
  -- Our own change moves the marks at its edges: say anew where everything is.
  local delta = #want - (last - first)
  self:settle(block, first, first + #want)
  self:arrive(block, side, first + #want)
  for _, n in ipairs(near) do
    local moved = n.block.index > block.index and delta or 0
    self:settle(n.block, n.first + moved, n.last + moved)
  end
end

--- The neighbours that begin or end where the block does, with their places; the next ones too where they are empty.
function Source:touching(block, first, last)
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

--- Takes note of the side that the block's text is on now. 'eol' is no text, `u` does not undo it: it follows the lines.
---@param last integer the row behind the block
function Source:arrive(block, side, last)
  if block.side == side then return end
  block.side = side
  if not block.eol then return end
  local eol
  if block.eol_only then
    eol = block.eol[side]
  elseif side == 'old' then
    eol, block.eol_was = block.eol_was, nil
  elseif last == self:count() then
    eol, block.eol_was = block.eol.new, vim.bo[self.bufnr].eol
  end
  if eol == nil or eol == vim.bo[self.bufnr].eol then return end
  local own = self.own
  self.own = true
  vim.bo[self.bufnr].eol = eol
  self.own = own
end

function Source:watch()
  self.watching = true
  api.nvim_buf_attach(self.bufnr, false, {
    on_lines = function(_, _, _, first, last, new_last)
      if self.detached then return true end
      if not self.own then self:note(first, last, new_last) end
    end,
    on_reload = function()
      if self.detached then return true end
      self:note_reload()
    end,
    on_detach = function()
      -- The buffer is unloaded, or read again by `:edit`.
      self.watching = false
      if not self.detached then self:note_reload() end
    end,
  })
end

--- Remembers what somebody else changed until observe() looks at it.
function Source:note(first, last, new_last)
  self.foreign = true
  local seen = self.seen
  if not seen then
    seen = { first = first, last = first }
    self.seen = seen
    vim.schedule(function()
      self:observe()
      if not self.detached and not api.nvim_buf_is_loaded(self.bufnr) then self.on_gone() end
    end)
  end
  seen.first = math.min(seen.first, first)
  seen.last = last == math.huge and last or math.max(seen.last, last) + new_last - last
  -- Typing changes or adds one line, and takes no block away from its place.
  seen.tore = seen.tore or new_last < last or last - first > 1
  seen.moved = seen.moved or seen.tore or new_last - last > 1
end

--- The text is being read from the disk again, or that is undone: marks do not follow that.
function Source:note_reload()
  self:note(0, math.huge, math.huge)
  self.seen.reloaded = true
end

--- Tells on_change which hunks stand in text that somebody else changed since the last look, and on_lost which blocks may
--- be elsewhere now.
function Source:observe()
  local seen = self.seen
  if not seen or self.detached or not api.nvim_buf_is_loaded(self.bufnr) then return end
  self.seen = nil
  if not self.watching then self:watch() end
  local hunks = {}
  for block in pairs(self:blocks_near(seen.first, seen.last)) do
    hunks[block.hunk] = true
    block.adrift = block.adrift or seen.reloaded
    if seen.tore then self.torn[block] = true end
    local side, first, last = self:place(block)
    if side then
      self:settle(block, first, last)
      self:arrive(block, side, last)
    end
  end
  if next(hunks) then self.on_change(hunks) end
  if seen.moved then self:seek(vim.tbl_keys(self.torn)) end
end

--- The blocks at most one line away from a range.
---@return table<agent_diff.Block, true>
function Source:blocks_near(first, last)
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

--- Lets the server look for blocks.
---@param blocks agent_diff.Block[]
function Source:seek(blocks)
  if #blocks == 0 then return end
  self.seeking = self.seeking + 1
  self.on_lost(blocks)
end

--- Waits for what the server is asked, for as long as it may take: the next decision must see the places. Hunks are looked
--- for that may be elsewhere, or never had a place.
---@param hunks agent_diff.Hunk[] that are to be decided
function Source:find(hunks)
  local lost = {}
  for _, hunk in ipairs(hunks) do
    for _, block in ipairs(hunk.blocks) do
      if not block.mark or (self.torn[block] and self.seeking == 0) then lost[#lost + 1] = block end
    end
  end
  self:seek(lost)
  if self.seeking > 0 then vim.wait(seek_ms, function() return self.seeking == 0 end, 1) end
end

--- Anchors lost blocks where the server found them.
---@param tick integer of the text in which they were looked for
---@param places { [1]: integer, [2]: integer, [3]: 'old'|'new' }[] block id, row, what is there
---@return table<agent_diff.Hunk, true> hunks that have a place again
function Source:anchor(tick, places)
  self.seeking = math.max(self.seeking - 1, 0)
  local hunks = {}
  if api.nvim_buf_get_changedtick(self.bufnr) ~= tick then
    self:seek(vim.tbl_keys(self.torn))
    return hunks
  end
  local by_id = {}
  for _, block in ipairs(self.blocks) do
    by_id[block.id] = block
  end
  for _, place in ipairs(places) do
    local block, row, side = by_id[place[1]], place[2], place[3]
    local last = row + #block[side]
    if same_lines(api.nvim_buf_get_lines(self.bufnr, row, last, false), block[side]) then
      self:settle(block, row, last)
      self:arrive(block, side, last)
      hunks[block.hunk] = true
    end
  end
  return hunks
end

--- The first row of the hunk in the buffer, for showing it; nil when it has no place.
---@param hunk agent_diff.Hunk
---@return integer?
function Source:row(hunk)
  for _, block in ipairs(hunk.blocks) do
    local first = self:range(block.mark)
    if first then return math.min(first, api.nvim_buf_line_count(self.bufnr) - 1) end
  end
end

--- Stops watching and leaves nothing behind in the buffer.
function Source:detach()
  if self.detached then return end
  self.detached = true
  api.nvim_del_autocmd(self.eol_watch)
  if not api.nvim_buf_is_valid(self.bufnr) then return end
  api.nvim_buf_clear_namespace(self.bufnr, NS, 0, -1)
  if self.fixeol ~= nil then vim.bo[self.bufnr].fixeol = self.fixeol end
end

return M
