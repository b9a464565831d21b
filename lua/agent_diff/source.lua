--- A source buffer under review: what the text says at the places of the proposal, and changing it. Every change is a
--- compare-and-set: the lines that are there must be the ones that the change replaces.
local text = require('agent_diff.text')
local api = vim.api

local M = {}

-- How long a decision waits for the server to find lost blocks again, in milliseconds.
local seek_ms = 500

---@class agent_diff.Source
---@field bufnr integer
---@field anchors agent_diff.Anchors where the blocks are
---@field foreign boolean the text was changed by somebody else than this module
---@field began integer how many lines the text had when the review began
---@field wound { first: integer, last: integer }? the rows that were changed since the anchors were torn
---@field decided_at integer? the buffer's tick after the last decision
---@field seeking integer how many answers of the server's are awaited
---@field on_change fun(hunks: table<agent_diff.Hunk, true>) called later, outside of the change
---@field on_lost fun(blocks: agent_diff.Block[]) blocks that are to be looked for; answered by anchor()
---@field on_gone fun() the buffer was unloaded
local Source = {}
Source.__index = Source

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
        or text.same(api.nvim_buf_get_lines(bufnr, row, row + #block.old, false), block.old)
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
  local self = setmetatable({
    bufnr = bufnr,
    anchors = require('agent_diff.anchors').set(bufnr, blocks),
    foreign = false,
    began = text.count(bufnr),
    seeking = 0,
  }, Source)
  local eol = false
  for _, block in ipairs(blocks) do
    eol = eol or block.eol ~= nil
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

--- What the text says at the hunk's place: 'old' or 'new' when all its blocks say so.
---@param hunk agent_diff.Hunk
---@return 'old'|'new'|'neither'
function Source:fit(hunk)
  local all
  for _, block in ipairs(hunk.blocks) do
    local side = self.anchors:place(block)
    if not side or (all and all ~= side) then return 'neither' end
    all = side
  end
  return all or 'neither'
end

--- Ends the undo step: what comes next is not joined to what was done before.
function Source:end_step()
  api.nvim_buf_call(self.bufnr, function() vim.cmd('let &l:undolevels = &l:undolevels') end)
end

--- Remembers that the last change was a decision.
function Source:decided() self.decided_at = api.nvim_buf_get_changedtick(self.bufnr) end

--- Whether the last change was none of ours.
---@return boolean
function Source:is_edited()
  return self.foreign and api.nvim_buf_get_changedtick(self.bufnr) ~= self.decided_at
end

--- Brings the hunk's blocks to one side. The caller has asked fit() in the same turn of the event loop.
---@param hunk agent_diff.Hunk
---@param side 'old'|'new'
---@return string? why it was not done; nothing was changed then
function Source:change(hunk, side)
  if not vim.bo[self.bufnr].modifiable then return 'buffer is not modifiable' end
  for _, block in ipairs(hunk.blocks) do
    local _, _, last = self.anchors:place(block)
    if block.eol_only and last < text.count(self.bufnr) then
      return 'a line follows the one that ended the file'
    end
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
  local _, first, last = self.anchors:place(block)
  local want = block[side]
  local near = self.anchors:touching(block, first, last)
  if text.count(self.bufnr) == 0 then
    api.nvim_buf_set_lines(self.bufnr, 0, -1, false, want)
  elseif not block.eol_only then
    api.nvim_buf_set_lines(self.bufnr, first, last, false, want)
  end
  -- Our own change moves the marks at its edges: say anew where everything is.
  local delta = #want - (last - first)
  self.anchors:settle(block, first, first + #want)
  self:arrive(block, side, first + #want)
  for _, n in ipairs(near) do
    local moved = n.block.index > block.index and delta or 0
    self.anchors:settle(n.block, n.first + moved, n.last + moved)
  end
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
  elseif last == text.count(self.bufnr) then
    eol, block.eol_was = block.eol.new, vim.bo[self.bufnr].eol
  end
  if eol == nil or eol == vim.bo[self.bufnr].eol then return end
  local own = self.own
  self.own = true
  vim.bo[self.bufnr].eol = eol
  self.own = own
end

--- Makes a range hold what was changed too.
---@param range { first: integer, last: integer } rows of the text before the change; afterwards of the one after it
local function stretch(range, first, last, new_last)
  range.first = math.min(range.first, first)
  range.last = last == math.huge and last or math.max(range.last, last) + new_last - last
end

function Source:watch()
  self.watching = true
  api.nvim_buf_attach(self.bufnr, false, {
    on_lines = function(_, _, _, first, last, new_last)
      if self.detached then return true end
      if not self.own then
        self:note(first, last, new_last)
      elseif self.wound then
        stretch(self.wound, first, last, new_last)
      end
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
  stretch(seen, first, last, new_last)
  if self.wound then stretch(self.wound, first, last, new_last) end
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
  if not next(self.anchors.torn) then self.wound = nil end
  if seen.tore and not self.wound then self.wound = { first = seen.first, last = seen.last } end
  local known = (seen.tore or next(self.anchors.torn)) and self:may_be_known()
  local hunks, sought = {}, {}
  for block in pairs(self.anchors:near(seen.first, seen.last)) do
    hunks[block.hunk] = true
    block.adrift = block.adrift or seen.reloaded
    if seen.tore then self.anchors.torn[block] = true end
    if known then sought[block] = true end
    local side, first, last = self.anchors:place(block)
    if side then
      self.anchors:settle(block, first, last)
      self:arrive(block, side, last)
    end
  end
  if next(hunks) then self.on_change(hunks) end
  -- Not for every key that is typed: the text is looked at once more before a decision.
  if not seen.moved and (not known or vim.startswith(api.nvim_get_mode().mode, 'i')) then return end
  for block in pairs(self.anchors.torn) do
    sought[block] = true
  end
  self:seek(vim.tbl_keys(sought))
end

--- Whether the text has as many lines as one that the server knows: the one that the review began with, that one with what
--- is applied, or with everything. If it is one of them, that says where each block is, whatever the marks say.
---@return boolean
function Source:may_be_known()
  local as_it_was, applied = self.began, self.began
  for _, block in ipairs(self.anchors.blocks) do
    local grows = block.row < 0 and 0 or #block.new - #block.old
    applied = applied + grows
    if block.side == 'new' then as_it_was = as_it_was + grows end
  end
  return vim.list_contains({ self.began, as_it_was, applied }, text.count(self.bufnr))
end

--- Looks at everything once more, before the review ends: when the text is the one that it began with, nothing is applied.
function Source:settle()
  self:observe()
  local function is_new(block) return block.side == 'new' end
  if self.foreign and text.count(self.bufnr) == self.began and vim.iter(self.anchors.blocks):any(is_new) then
    self:seek(self.anchors.blocks)
  end
  self:wait()
end

--- Lets the server look for blocks.
---@param blocks agent_diff.Block[]
function Source:seek(blocks)
  if #blocks == 0 then return end
  -- In bytes, an empty last line without its end is the end of the line above: the server would see a line less.
  if not vim.bo[self.bufnr].eol and vim.fn.getbufoneline(self.bufnr, '$') == '' then return end
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
      if not block.mark or (self.anchors.torn[block] and self.seeking == 0) then lost[#lost + 1] = block end
    end
  end
  self:seek(lost)
  self:wait()
end

--- Waits for the server's answers, for as long as they may take.
function Source:wait()
  if self.seeking > 0 then vim.wait(seek_ms, function() return self.seeking == 0 end, 1) end
end

--- Whether a block that was torn can be what was found at these rows.
function Source:can_be(block, row, last)
  -- What stands where nothing was changed stood there before.
  local wound = self.anchors.torn[block] and self.wound
  if wound and (last < wound.first or row > wound.last) then return false end
  -- Of lines that were edited some are there: what is found is one of them at least.
  local left, right = self.anchors:remains(block)
  if left then return row < right and last > left end
  return self.anchors:in_order(block, row, last)
end

--- Anchors lost blocks where the server found them.
---@param tick integer of the text in which they were looked for
---@param places { [1]: integer, [2]: integer, [3]: 'old'|'new' }[] block id, row, what is there
---@param known boolean the text is one that the server knows: then this is so, else only what is lost is believed
---@return table<agent_diff.Hunk, true> hunks that have a place again
function Source:anchor(tick, places, known)
  self.seeking = math.max(self.seeking - 1, 0)
  local hunks = {}
  if api.nvim_buf_get_changedtick(self.bufnr) ~= tick then
    self:seek(vim.tbl_keys(self.anchors.torn))
    return hunks
  end
  local by_id = {}
  for _, block in ipairs(self.anchors.blocks) do
    by_id[block.id] = block
  end
  for _, place in ipairs(places) do
    local block, row, side = by_id[place[1]], place[2], place[3]
    local last = block and row + #block[side] or row -- it may have been cut otherwise since
    local there = block and text.same(api.nvim_buf_get_lines(self.bufnr, row, last, false), block[side])
    local lost = block and (not block.mark or block.adrift or self.anchors.torn[block])
    if there and (known or (lost and self:can_be(block, row, last))) then
      self.anchors:settle(block, row, last)
      self:arrive(block, side, last)
      hunks[block.hunk] = true
    end
  end
  return hunks
end

--- The first row of the hunk in the buffer, for showing it; nil when it has no place.
---@param hunk agent_diff.Hunk
---@return integer?
function Source:row(hunk) return self.anchors:row(hunk) end

--- Stops watching and leaves nothing behind in the buffer.
function Source:detach()
  if self.detached then return end
  self.detached = true
  api.nvim_del_autocmd(self.eol_watch)
  if not api.nvim_buf_is_valid(self.bufnr) then return end
  self.anchors:clear()
  if self.fixeol ~= nil then vim.bo[self.bufnr].fixeol = self.fixeol end
end

return M
