--- What a review shows, as plain data: texts, virtual texts, marks. Placing them is the view's.
local M = {}

--- A text in one line: line breaks as ⏎, too long ones cut.
local function flat(text, most)
  text = text:gsub('\r\n', '\n'):gsub('[\r\n]', ' ⏎ ')
  if #text > most then text = vim.fn.strcharpart(text, 0, most) .. '…' end
  return text
end

---@param count table see Review:count()
---@return string
function M.progress(count)
  local line = ('Progress: %d/%d applied, %d rejected, %d pending'):format(
    count.applied,
    count.total,
    count.rejected,
    count.pending
  )
  if count.conflict > 0 then line = line .. (', %d conflict'):format(count.conflict) end
  return line
end

--- The lines above the diff; the progress line is the last but one.
---@param review agent_diff.Review
---@param notices string[]
---@return string[]
function M.head(review, notices)
  local lines = { 'Agent proposes changes to: ' .. flat(review.shown.name, 2000) }
  lines[#lines + 1] = 'Description: ' .. flat(review.shown.description, 2000)
  for _, note in ipairs(notices) do
    lines[#lines + 1] = 'Note: ' .. flat(note, 2000)
  end
  if review.gone then
    lines[#lines + 1] = ('The agent is gone: no more decisions; %s. q closes.'):format(review:stays())
  end
  lines[#lines + 1] = M.progress(review:count())
  lines[#lines + 1] = ''
  return lines
end

--- What to show in place of a character that is not seen; nil where Neovim shows it by itself.
---@param line string
---@param hidden { col: integer, bytes: integer, text: string }
---@return integer? col
---@return table? extmark its options
function M.reveal(line, hidden)
  local col, stop = hidden.col, hidden.col + hidden.bytes
  local char = 'a' .. line:sub(col + 1, stop) -- some are drawn only where they stand alone
  if vim.fn.strtrans(char) ~= char then return nil end
  local mark = { virt_text = { { hidden.text, 'AgentDiffHidden' } }, virt_text_pos = 'inline' }
  if vim.fn.strcharlen(char) == 1 then
    col = vim.fn.matchend(line, '.', col) -- it is in one cell with what is before it: behind that cell
  else
    mark.end_col, mark.conceal = stop, ''
  end
  return col, mark
end

local state_groups =
  { applied = 'AgentDiffApplied', rejected = 'AgentDiffRejected', conflict = 'AgentDiffConflict' }

--- The mark of a decided hunk as virtual text; nil for one that is not decided.
---@param hunk agent_diff.Hunk
---@return table?
function M.state(hunk)
  if hunk.state == 'pending' then return nil end
  local text = hunk.state:upper()
  if hunk.state == 'conflict' then text = ('CONFLICT: %s'):format(vim.fn.strtrans(hunk.reason)) end
  return { { ('[%s]'):format(text), state_groups[hunk.state] } }
end

--- A piece of text that shows every character as what it is; tabs as blanks up to the next stop.
local function plain(text, column)
  local parts = {}
  for i, part in ipairs(vim.split(text, '\t', { plain = true })) do
    if i > 1 then
      local stop = vim.o.tabstop - column % vim.o.tabstop
      parts[#parts + 1], column = (' '):rep(stop), column + stop
    end
    part = vim.fn.strtrans(part)
    parts[#parts + 1], column = part, column + vim.fn.strdisplaywidth(part)
  end
  return table.concat(parts), column
end

-- How many virtual lines a line takes at most: nobody reads a line of 100,000 characters, and Neovim would stand still.
local most_rows = 20

--- A line of code as virtual lines, its background up to the edge; what is longer than the window goes on in the next one.
---@param line string
---@param look { base: string, code: agent_diff.Span[], words: { [1]: integer, [2]: integer }[] }
---@param width integer
---@return table[] virtual lines
function M.virtual(line, look, width)
  local most, rest = math.max(width, 1) * most_rows, ''
  if #line > most then
    line, rest = line:sub(1, most + vim.str_utf_end(line, most)), '…'
  end
  local edges = { [0] = true, [#line] = true }
  for _, ranges in ipairs({ look.code, look.words }) do
    for _, range in ipairs(ranges) do
      if range[1] < #line then
        edges[range[1]], edges[math.min(range[2], #line)] = true, true
      end
    end
  end
  local sorted = vim.tbl_keys(edges)
  table.sort(sorted)
  local word = look.base .. 'Text'
  local lines, chunks, column = {}, {}, 0
  for i = 1, #sorted - 1 do
    local from, to = sorted[i], sorted[i + 1]
    local groups = { look.base }
    for _, range in ipairs(look.words) do
      if range[1] <= from and to <= range[2] then groups[#groups + 1] = word end
    end
    for _, span in ipairs(look.code) do
      if span[1] <= from and to <= span[2] then groups[#groups + 1] = span[3] end
    end
    local text, after = plain(line:sub(from + 1, to), column)
    while after > width and width > 0 do
      local room, fits = width - column, 0
      while vim.fn.strdisplaywidth(vim.fn.strcharpart(text, 0, fits + 1)) <= room do
        fits = fits + 1
      end
      if fits == 0 and column == 0 then break end
      chunks[#chunks + 1] = { vim.fn.strcharpart(text, 0, fits), groups }
      lines[#lines + 1], chunks, column = chunks, {}, 0
      text = vim.fn.strcharpart(text, fits)
      after = vim.fn.strdisplaywidth(text)
    end
    chunks[#chunks + 1], column = { text, groups }, after
  end
  chunks[#chunks + 1] =
    { rest .. (' '):rep(math.max(width - column - vim.fn.strdisplaywidth(rest), 0)), look.base }
  lines[#lines + 1] = chunks
  return lines
end

--- How many minutes the agent has been waiting.
---@param review agent_diff.Review
---@return integer
function M.minutes(review) return math.floor((vim.uv.now() - review.since) / 60000) end

--- The place in the queue, the agent, and how long it has been waiting (some never say that they have given up).
---@param review agent_diff.Review
---@param queued string? its place among those that wait, where there are several
---@param minutes integer
---@return table virtual text
function M.place(review, queued, minutes)
  local parts = { queued }
  if review.agent ~= '' then parts[#parts + 1] = flat(vim.fn.strtrans(review.shown.agent), 40) end
  if minutes > 0 then parts[#parts + 1] = ('waiting %d min'):format(minutes) end
  return { { table.concat(parts, '  '), 'AgentDiffHead' } }
end

--- What stays visible while a review scrolls, in the language of 'winbar': where the cursor is, the counts, the most
--- important keys.
---@param review agent_diff.Review
---@param hunk agent_diff.Hunk? the current one
---@param hint string see keys.hint()
---@param windows integer over how many windows, from left to right, it is spread
---@param queued string? its place among those that wait, where no head says it
---@return string[]
function M.bars(review, hunk, hint, windows, queued)
  local count, parts = review:count(), {}
  if queued then parts[1] = 'review ' .. queued end
  if #review.files > 1 then
    parts[#parts + 1] = ('file %d/%d'):format(hunk and hunk.file.index or 0, #review.files)
  end
  parts[#parts + 1] = ('hunk %d/%d'):format(hunk and hunk.index or 0, count.total)
  for _, state in ipairs({ 'applied', 'rejected', 'pending', 'conflict' }) do
    if count[state] > 0 then
      local group = 'AgentDiff' .. state:gsub('^%l', string.upper)
      parts[#parts + 1] = ('%%#%s#%d %s%%#AgentDiffHead#'):format(group, count[state], state)
    end
  end
  local left = '%#AgentDiffHead# ' .. table.concat(parts, '  ')
  if windows > 1 then return { left .. '%<', '%#AgentDiffHead# ' .. hint .. '%<' } end
  return { left .. '  │  ' .. hint .. '%<' }
end

return M
