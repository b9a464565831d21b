--- What each row of a hunk is: context, taken away or new, and its number on either side. Plain data, read from the printed
--- diff when it is first asked for.
local config = require('agent_diff.config')

local M = {}

---@class agent_diff.Row
---@field kind string the line's first character: '@', ' ', '-', '+' or '\'; 'd' for a line of the diff's header
---@field old integer? line number on the old side
---@field new integer? line number on the new side
---@field text string the line without that character

-- Runs of changed lines that are longer than this are not compared word by word.
local longest_run = 60

--- The rows of what happens to a file as a whole; when it is created or deleted, its lines are among them.
---@return agent_diff.Row[]
local function read_whole(hunk, lines)
  local rows, last = { { kind = '@', text = lines[hunk.line + 1] } }, hunk.line + hunk.lines
  for i = hunk.line + 2, last do
    if vim.startswith(lines[i], '@@') then
      return vim.list_extend(rows, M.read({ line = i - 1, lines = last - i + 1 }, lines))
    end
    rows[#rows + 1] = { kind = 'd', text = lines[i] }
  end
  return rows
end

--- The rows of a hunk. One that was cut from another begins within what is printed as one hunk.
---@param hunk agent_diff.Hunk
---@param lines string[] the diff's
---@return agent_diff.Row[]
function M.read(hunk, lines)
  if hunk.whole then return read_whole(hunk, lines) end
  local header = hunk.line + 1
  while header > 1 and not vim.startswith(lines[header], '@@') do
    header = header - 1
  end
  local old, new = lines[header]:match('^@@ %-(%d+),?%d* %+(%d+)')
  old, new = tonumber(old), tonumber(new)
  local rows = {}
  for i = header, hunk.line + hunk.lines do
    local line = lines[i] or ''
    local row = { kind = line:sub(1, 1), text = line:sub(2) }
    if old and (row.kind == ' ' or row.kind == '-') then
      row.old, old = old, old + 1
    end
    if new and (row.kind == ' ' or row.kind == '+') then
      row.new, new = new, new + 1
    end
    if i > hunk.line then rows[#rows + 1] = row end
  end
  return rows
end

--- The lines taken away and the new ones that stand in their place, around a row; nil where there are not both.
---@param rows agent_diff.Row[]
---@param index integer
---@return integer[]? old indices in rows
---@return integer[]? new
function M.run(rows, index)
  local function is_changed(i)
    local kind = rows[i] and rows[i].kind
    return kind == '-' or kind == '+' or kind == '\\'
  end
  if not is_changed(index) then return nil end
  local first, last = index, index
  while is_changed(first - 1) do
    first = first - 1
  end
  while is_changed(last + 1) do
    last = last + 1
    if last - first > 2 * longest_run then return nil end
  end
  local old, new = {}, {}
  for i = first, last do
    local kind = rows[i].kind
    if kind == '-' then old[#old + 1] = i end
    if kind == '+' then new[#new + 1] = i end
  end
  if #old == 0 or #new == 0 then return nil end
  return old, new
end

-- Fewer lines than these are not worth a fold.
local least_folded = 5

--- Whether a hunk is all of a file that comes or goes.
---@param hunk agent_diff.Hunk
---@return boolean
function M.is_all(hunk)
  return hunk.whole ~= nil
    or vim.startswith(hunk.header, '@@ -0,0 ')
    or hunk.header:find(' +0,0 @@', 1, true) ~= nil
end

--- Which rows of a hunk are more than a preview, when it is a whole file that comes or goes.
---@param hunk agent_diff.Hunk
---@return integer? first nil when all is shown
---@return integer? last
function M.folded(hunk)
  local preview = config.get().preview_lines
  if preview == 0 or not M.is_all(hunk) then return nil end
  local headers = hunk.whole and 4 or 1
  local first, last = headers + preview + 1, hunk.lines
  if last - first + 1 >= least_folded then return first, last end
end

return M
