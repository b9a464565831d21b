--- Where a change stands in a text that has moved on since: where its lines are between those that were beside it.
local M = {}

-- How many lines above and below a change tell where it is.
M.context = 3

--- Whether the lines stand at the row, between those that were beside the block.
local function stands(lines, row, want, block)
  local function equal(these, from)
    for i, line in ipairs(these) do
      if lines[from + i] ~= line then return false end
    end
    return true
  end
  return row >= #block.above
    and equal(block.above, row - #block.above)
    and equal(want, row)
    and equal(block.below, row + #want)
    and (#block.above == M.context or row == #block.above)
    and (#block.below == M.context or row + #want + #block.below == #lines)
end

--- Where a block stands now: the one row where its lines are between those that were beside it.
---@param lines string[] of the buffer
---@param rows table<string, integer[]> where each line is
---@param want string[] the new lines, or the old ones
---@return integer? row
function M.find(lines, rows, want, block)
  local anchor, offset = want[1], 0
  if not anchor then
    anchor, offset = block.above[#block.above], 1
  end
  if not anchor then
    anchor, offset = block.below[1], 0
  end
  if not anchor then return #lines == 0 and 0 or nil end
  local found
  for _, at in ipairs(rows[anchor] or {}) do
    if stands(lines, at + offset, want, block) then
      if found then return nil end
      found = at + offset
    end
  end
  return found
end

--- Where each line of a text is.
---@param lines string[]
---@return table<string, integer[]>
function M.index(lines)
  local rows = {}
  for i, line in ipairs(lines) do
    rows[line] = rows[line] or {}
    table.insert(rows[line], i - 1)
  end
  return rows
end

return M
