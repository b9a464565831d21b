--- Small floating windows of our own: a question, a help text. They block nothing.
local api = vim.api
local notice = require('agent_diff.notice')

local M = {}

--- In the middle of the screen, as high as there is room for.
local function place(width, rows)
  local height = math.max(math.min(rows, vim.o.lines - 4), 1)
  return {
    relative = 'editor',
    row = math.max(math.floor((vim.o.lines - height) / 2) - 1, 0),
    col = math.floor((vim.o.columns - width) / 2) - 1,
    width = width,
    height = height,
    border = 'rounded',
    footer = rows > height and ' j and k scroll, q closes ' or nil,
  }
end

--- Opens a float with a text and keys.
---@param lines string[]
---@param keys table<string, fun()|false> what a key does after the float has closed; false: just close
---@return fun() close
local function float(lines, keys)
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = 'wipe'
  lines = vim.tbl_map(function(line) return ' ' .. line .. ' ' end, lines)
  api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  local width = 1
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  width = math.min(width, vim.o.columns - 4)
  local from = api.nvim_get_current_win()
  local win = api.nvim_open_win(
    bufnr,
    true,
    vim.tbl_extend('error', place(width, #lines), { style = 'minimal', zindex = 60 })
  )
  local wo = vim.wo[win][0]
  wo.linebreak, wo.breakindent, wo.breakindentopt = true, true, 'shift:2'
  wo.wrap = true
  local rows = api.nvim_win_text_height(win, {}).all
  if rows > #lines then api.nvim_win_set_config(win, place(width, rows)) end
  local closed = false
  local function close()
    if closed then return end
    closed = true
    local was_current = api.nvim_win_is_valid(win) and api.nvim_get_current_win() == win
    notice.as_typed(function()
      if api.nvim_win_is_valid(win) then pcall(api.nvim_win_close, win, true) end
      if was_current and api.nvim_win_is_valid(from) then pcall(api.nvim_set_current_win, from) end
    end)
  end
  for key, action in pairs(keys) do
    vim.keymap.set('n', key, function()
      close()
      if action then notice.guarded(action)() end
    end, { buffer = bufnr, nowait = true })
  end
  api.nvim_create_autocmd('WinLeave', { buffer = bufnr, once = true, callback = vim.schedule_wrap(close) })
  return close
end

--- Asks a yes-or-no question: `y` or `<CR>` is yes; `n`, `q`, `<Esc>` or leaving the float is no.
---@param question string
---@param yes fun()
---@return fun() close
function M.confirm(question, yes)
  return float(
    { question, '', '[y]es   [n]o' },
    { y = yes, ['<CR>'] = yes, n = false, q = false, ['<Esc>'] = false }
  )
end

--- Lets choose by a key; `q`, `<Esc>` or leaving the float is none.
---@param lines string[]
---@param choices table<string, fun()>
---@return fun() close
function M.choose(lines, choices)
  return float(lines, vim.tbl_extend('force', { q = false, ['<Esc>'] = false }, choices))
end

--- Shows a text until a key closes it.
---@param lines string[]
---@return fun() close
function M.show(lines)
  return float(lines, { q = false, ['<Esc>'] = false, ['<CR>'] = false, ['?'] = false, ['g?'] = false })
end

return M
