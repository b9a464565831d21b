--- Which words of changed lines are changed. Pure: lines in, byte ranges out.
local M = {}

-- Longer lines are not compared: nobody reads the result.
local longest_line = 600
-- Where more than this part of the text is changed, marking every word helps nobody.
local most_changed = 0.7
-- How many lines, old and new together, are matched with each other.
local most_lines = 60

--- The words of a line: letters, digits and _ together (letters of two bytes too); any other character alone.
---@param line string
---@return integer[] starts bytes, from 1; the last one is behind the line
function M.split(line)
  local starts, at, size = {}, 1, #line
  while at <= size do
    starts[#starts + 1] = at
    local _, stop = line:find('^[%w_\195-\223\128-\191]+', at)
    if not stop or (line:byte(at) >= 128 and line:byte(at) < 192) then
      _, stop = line:find('^%s+', at)
    end
    if not stop then
      _, stop = line:find('^[%z\1-\127\192-\247][\128-\191]*', at)
    end
    at = (stop or at) + 1
  end
  starts[#starts + 1] = size + 1
  return starts
end

local diff = vim.text and vim.text.diff or vim.diff

--- The words of a line as vim.diff() wants them, each in a line of its own.
---@return string? nil when there are too many
---@return integer[]? starts
local function words_of(line)
  if #line > longest_line then return nil end
  local starts, words = M.split(line), {}
  for k = 1, #starts - 1 do
    words[k] = line:sub(starts[k], starts[k + 1] - 1)
  end
  words[#words + 1] = ''
  return table.concat(words, '\n'), starts
end

--- Adds count words from the first on to the ranges of a line, and joins ranges that only blanks part.
---@return integer bytes
local function add(ranges, line, starts, first, count)
  if count == 0 then return 0 end
  local from, to = starts[first] - 1, starts[first + count] - 1
  local last = ranges[#ranges]
  if last and line:sub(last[2] + 1, from):find('^%s*$') then
    last[2] = to
  else
    ranges[#ranges + 1] = { from, to }
  end
  return to - from
end

--- The changed words of a line that was replaced by another.
---@param old string
---@param new string
---@return { [1]: integer, [2]: integer }[] old ranges of bytes, from 0, ends exclusive; none where all is changed
---@return { [1]: integer, [2]: integer }[] new
function M.of_pair(old, new)
  local from, old_starts = words_of(old)
  local to, new_starts = words_of(new)
  if not from or not to then return {}, {} end
  local old_ranges, new_ranges, changed = {}, {}, 0
  for _, change in ipairs(diff(from, to, { result_type = 'indices', algorithm = 'minimal' })) do
    local old_at, old_count, new_at, new_count = unpack(change)
    changed = changed + add(old_ranges, old, old_starts, old_at, old_count)
    changed = changed + add(new_ranges, new, new_starts, new_at, new_count)
  end
  if changed > most_changed * (#old + #new) then return {}, {} end
  return old_ranges, new_ranges
end

--- Which lines stand beside each other when lines are replaced by others, as Neovim's linematch says.
---@param old string[]
---@param new string[]
---@return { [1]: integer?, [2]: integer? }[] indices
function M.align(old, new)
  local made, a, b = {}, 1, 1
  local function pair_up(to_a, to_b)
    while a < to_a or b < to_b do
      made[#made + 1] = { a < to_a and a or nil, b < to_b and b or nil }
      a, b = math.min(a + 1, to_a), math.min(b + 1, to_b)
    end
  end
  if #old > 0 and #new > 0 and #old + #new <= most_lines then
    local function text(lines) return table.concat(lines, '\n') .. '\n' end
    for _, change in ipairs(diff(text(old), text(new), { result_type = 'indices', linematch = most_lines })) do
      local old_at, old_count, new_at, new_count = unpack(change)
      local from_a, from_b = old_count == 0 and old_at + 1 or old_at, new_count == 0 and new_at + 1 or new_at
      pair_up(from_a, from_b) -- what is the same in both
      pair_up(from_a + old_count, from_b + new_count)
    end
  end
  pair_up(#old + 1, #new + 1)
  return made
end

--- The changed words of lines that were replaced by others.
---@param old string[]
---@param new string[]
---@return { [1]: integer, [2]: integer }[][] old for each line, see of_pair()
---@return { [1]: integer, [2]: integer }[][] new
function M.changed(old, new)
  local old_ranges, new_ranges = {}, {}
  for _, pair in ipairs(M.align(old, new)) do
    local a, b = pair[1], pair[2]
    if a and b then
      old_ranges[a], new_ranges[b] = M.of_pair(old[a], new[b])
    end
  end
  return old_ranges, new_ranges
end

return M
