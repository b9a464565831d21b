--- A small floating buffer over the review that a person writes in: a comment, another version of a hunk. It blocks nothing.
local api = vim.api
local notice = require('agent_diff.notice')

local M = {}

---@class agent_diff.Pad
---@field bufnr integer
---@field win integer
---@field from integer the window that it was opened from
---@field closed boolean
---@field given agent_diff.Writing
local Pad = {}
Pad.__index = Pad

---@return boolean
function Pad:has_focus() return not self.closed and api.nvim_get_current_win() == self.win end

--- Goes to the pad.
function Pad:focus()
  notice.as_typed(function() api.nvim_set_current_win(self.win) end)
end

--- Takes the pad away with what is in it.
function Pad:close()
  if self.closed then return end
  self.closed = true
  local focused = api.nvim_win_is_valid(self.win) and api.nvim_get_current_win() == self.win
  if focused and vim.fn.mode() == 'i' then vim.cmd.stopinsert() end
  notice.as_typed(function()
    if api.nvim_win_is_valid(self.win) then pcall(api.nvim_win_close, self.win, true) end
    if api.nvim_buf_is_valid(self.bufnr) then pcall(api.nvim_buf_delete, self.bufnr, { force = true }) end
    if focused and api.nvim_win_is_valid(self.from) then pcall(api.nvim_set_current_win, self.from) end
  end)
end

--- Takes the pad away because what it is about goes away, or its window. What was written is not lost.
function Pad:abandon()
  if self.closed then return end
  if api.nvim_buf_is_loaded(self.bufnr) and vim.bo[self.bufnr].modified then
    vim.fn.setreg('"', api.nvim_buf_get_lines(self.bufnr, 0, -1, false), 'l')
    notice.say('what you were writing is in register "', vim.log.levels.WARN)
  end
  self:close()
end

--- Keeps what is in the pad, and takes it away, unless it is refused.
function Pad:keep()
  if self.closed then return end
  vim.bo[self.bufnr].modified = false
  if self.given.keep(api.nvim_buf_get_lines(self.bufnr, 0, -1, false)) == false then return end
  self:close()
end

function Pad:map()
  local function map(lhs, desc, action)
    vim.keymap.set(
      'n',
      lhs,
      notice.guarded(function() action(self) end),
      { buffer = self.bufnr, nowait = true, desc = desc }
    )
  end
  map('<CR>', 'keep', self.keep)
  map('q', 'drop', self.close)
  map('<Esc>', 'drop', self.close)
  local function on(event, callback)
    api.nvim_create_autocmd(event, { buffer = self.bufnr, callback = notice.guarded(callback) })
  end
  on('BufWriteCmd', function() self:keep() end)
  -- Not within the event: the window that is being entered must stay what it is.
  on('WinLeave', function()
    vim.schedule(notice.guarded(function()
      if self.given.leave == 'keep' and not self:has_focus() then self:keep() end
    end))
  end)
  on('BufWinLeave', function()
    vim.schedule(notice.guarded(function() self:abandon() end))
  end)
end

--- Where it stands: under a row of the current window, or under the cursor when that is not on the screen; as high as its
--- text, within limits.
local function window(lines, title, below)
  local width = 60
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line) + 1)
  end
  local seen = below and below >= vim.fn.line('w0') - 1 and below < vim.fn.line('w$')
  return {
    relative = seen and 'win' or 'cursor',
    bufpos = seen and { below, 0 } or nil,
    row = 1,
    col = 0,
    width = math.max(math.min(width, vim.o.columns - 4), 1),
    height = math.max(math.min(math.max(#lines + 1, 4), vim.o.lines - 6), 1),
    style = 'minimal',
    border = 'rounded',
    title = (' %s '):format(title),
    footer = ' <CR> or :w keeps   q or <Esc> drops ',
    zindex = 55,
  }
end

---@class agent_diff.Writing
---@field name string the buffer's
---@field title string
---@field lines string[]
---@field filetype string
---@field insert boolean whether to begin in insert mode
---@field leave 'keep'|'stay' what going to another window does
---@field below integer? a row of the current buffer that the pad shall not hide
---@field keep fun(lines: string[]): boolean? takes what is in it; false: it is refused, the pad stays

--- Opens a pad. In normal mode `<CR>` keeps what is in it, and so does `:w`; `q` and `<Esc>` drop it.
---@param given agent_diff.Writing
---@return agent_diff.Pad
function M.open(given)
  local self = setmetatable({ given = given, closed = false, from = api.nvim_get_current_win() }, Pad)
  self.bufnr = api.nvim_create_buf(false, true)
  local bo = vim.bo[self.bufnr]
  bo.buftype, bo.bufhidden, bo.swapfile, bo.modeline = 'acwrite', 'hide', false, false
  api.nvim_buf_set_name(self.bufnr, given.name)
  local levels = bo.undolevels
  bo.undolevels = -1 -- `u` does not empty it
  api.nvim_buf_set_lines(self.bufnr, 0, -1, false, given.lines)
  bo.undolevels = levels
  bo.modified = false
  local ok, err = pcall(notice.as_typed, function()
    self.win = api.nvim_open_win(self.bufnr, true, window(given.lines, given.title, given.below))
    vim.wo[self.win][0].winfixbuf = true
    vim.wo[self.win][0].wrap = given.insert
    vim.wo[self.win][0].linebreak = true
    bo.filetype = given.filetype
  end)
  if not self.win then
    api.nvim_buf_delete(self.bufnr, { force = true })
    error(err, 0)
  end
  if not ok then notice.say(tostring(err), vim.log.levels.WARN) end
  self:map()
  -- Before what is typed ahead: that is meant for the pad.
  if given.insert then api.nvim_feedkeys('GA', 'ni', false) end
  return self
end

return M
