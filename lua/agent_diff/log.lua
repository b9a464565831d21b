--- `:AgentDiff log`: what agents have proposed, and what became of it, in a buffer of its own. The texts are agents' and
--- files': they are shown and never run.
local api = vim.api
local notice = require('agent_diff.notice')

local M = {}

-- How much of the log's end is read, in bytes.
local tail = 4 * 1024 * 1024

---@param path string
---@return string? text the end of a file, from the beginning of a line
local function read_end(path)
  local file = io.open(path, 'rb')
  if not file then return nil end
  local size = file:seek('end') or 0
  file:seek('set', math.max(0, size - tail))
  local text = file:read('*a') or ''
  file:close()
  if size > tail then text = text:gsub('^[^\n]*\n', '', 1) end
  return text
end

--- The entries of the log, the oldest first. Lines that are none are passed over.
---@return table[]
local function entries()
  local state = require('agent_diff.registry').state()
  local list = {}
  for _, name in ipairs(state and { '/log.jsonl.1', '/log.jsonl' } or {}) do
    for line in (read_end(state .. name) or ''):gmatch('[^\n]+') do
      local ok, entry = pcall(vim.json.decode, line, { luanil = { object = true, array = true } })
      if ok and type(entry) == 'table' then list[#list + 1] = entry end
    end
  end
  return list
end

local function text_of(value) return type(value) == 'string' and value or '' end

local function one_line(text) return (text_of(text):gsub('[\r\n]+$', ''):gsub('[\r\n]+', ' ⏎ ')) end

---@param file table
local function counts(file)
  local hunks = type(file.hunks) == 'table' and file.hunks or {}
  local function count(name) return tonumber(hunks[name]) or 0 end
  return count
end

--- How a proposal ended, in a word.
local function verdict(entry)
  local err = text_of(entry.error)
  if err ~= '' then return err:match('^[%w_]+') or 'error' end
  if entry.decision ~= 'accepted' then return one_line(entry.decision) end
  local applied, total = 0, 0
  for _, file in ipairs(entry.files) do
    local count = counts(file)
    applied, total = applied + count('applied'), total + count('total')
  end
  return ('accepted %d/%d'):format(applied, total)
end

--- Adds the lines of one entry.
local function add(lines, entry)
  local function line(text) lines[#lines + 1] = text end
  entry.files = type(entry.files) == 'table' and entry.files or {}
  local names = {}
  for i, file in ipairs(entry.files) do
    names[i] = one_line(file.path)
  end
  local when = text_of(entry.time):gsub('T', ' '):sub(1, 19)
  line(
    ('%s  %s  %s %s  %s'):format(
      when,
      verdict(entry),
      one_line(entry.agent),
      one_line(entry.tool),
      table.concat(names, ', ')
    )
  )
  local notes = type(entry.notes) == 'table' and entry.notes or {}
  for _, said in ipairs(vim.list_extend({ entry.description, entry.error, entry.comment }, notes)) do
    if text_of(said) ~= '' then line('    ' .. one_line(said)) end
  end
  for _, file in ipairs(entry.files) do
    for _, comment in ipairs(type(file.comments) == 'table' and file.comments or {}) do
      line('    ' .. one_line(file.path) .. ': ' .. one_line(comment))
    end
    for _, diff in ipairs({ 'proposed', 'applied' }) do
      local text = text_of(file[diff]):gsub('\n$', '')
      if text ~= '' and diff == 'applied' then line('    What was really changed:') end
      for _, row in ipairs(text ~= '' and vim.split(text, '\n', { plain = true }) or {}) do
        line((row:gsub('\r$', '')))
      end
    end
  end
  line('')
end

--- Shows the log in a window of its own, the newest entry first.
function M.show()
  local list = entries()
  if #list == 0 then return notice.say('the log is empty') end
  local lines = {}
  for i = #list, 1, -1 do
    add(lines, list[i])
  end
  vim.cmd('botright new')
  local bufnr, win = api.nvim_get_current_buf(), api.nvim_get_current_win()
  for name, value in pairs({
    buftype = 'nofile',
    bufhidden = 'wipe',
    swapfile = false,
    modeline = false,
    undolevels = -1,
  }) do
    api.nvim_set_option_value(name, value, { buf = bufnr })
  end
  local old = vim.fn.bufnr('^agent-diff://log$')
  if old ~= -1 and old ~= bufnr then api.nvim_buf_delete(old, { force = true }) end
  api.nvim_buf_set_name(bufnr, 'agent-diff://log')
  api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].syntax = 'diff'
  vim.wo[win][0].wrap = false
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = bufnr, nowait = true, desc = 'close the log' })
end

return M
