--- The window of a review that is shown in the file's own buffer: one of the person's that shows it already, else a tab page
--- with it. Afterwards it is as it was.
local api = vim.api
local as_typed = require('agent_diff.notice').as_typed

local M = {}

---@class agent_diff.Here the same to a view as agent_diff.Layout
---@field win integer
---@field own boolean the window is ours
---@field stood { view: table, winbar: string } how the person's window was
---@field back { tab: integer, win: integer, terminal: boolean } where the person was
local Here = {}
Here.__index = Here

--- A window of the current tab page that shows the buffer.
local function showing(bufnr)
  local current = api.nvim_get_current_win()
  if api.nvim_win_get_buf(current) == bufnr then return current end
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    if api.nvim_win_get_buf(win) == bufnr then return win end
  end
end

---@param view agent_diff.View
---@param bufnr integer the source buffer
---@return agent_diff.Here
function M.open(view, bufnr)
  local self = setmetatable({ view = view, bufnr = bufnr }, Here)
  self.back = {
    tab = api.nvim_get_current_tabpage(),
    win = api.nvim_get_current_win(),
    terminal = vim.fn.mode(1) == 't',
  }
  if self.back.terminal then vim.cmd.stopinsert() end
  local win = showing(bufnr)
  self.own = win == nil
  self.mark = #vim.fn.win_findbuf(bufnr) == 0 and api.nvim_buf_get_mark(bufnr, '"') or nil
  as_typed(function()
    if win then
      api.nvim_set_current_win(win)
    else
      local here = api.nvim_tabpage_get_number(self.back.tab)
      vim.cmd.sbuffer({ args = { tostring(bufnr) }, mods = { tab = here, keepalt = true } })
      win = api.nvim_get_current_win()
    end
  end)
  self.win = win
  self.stood = {
    view = api.nvim_win_call(win, vim.fn.winsaveview),
    winbar = api.nvim_get_option_value('winbar', { win = win, scope = 'local' }),
  }
  return self
end

--- Whether the window is there and shows the buffer.
---@return boolean
function Here:shows(bufnr) return api.nvim_win_is_valid(self.win) and api.nvim_win_get_buf(self.win) == bufnr end

function Here:review_wins() return self:shows(self.bufnr) and { self.win } or {} end

---@param texts string[] see Layout:set_bars()
function Here:set_bars(texts)
  if not self:shows(self.bufnr) then return end
  if vim.wo[self.win].winbar == '' and api.nvim_win_get_height(self.win) < 2 then return end
  api.nvim_set_option_value('winbar', texts[1], { win = self.win, scope = 'local' })
end

-- The source is where the person is.
function Here:show_source() end
function Here:enter_source() end
function Here:note_leave() end

--- Notes, while a window closes, whether the person is in it.
function Here:note_place() self.was_here = api.nvim_get_current_win() == self.win end

function Here:has_focus() return api.nvim_get_current_win() == self.win end

--- Puts the window back as it was, and the person to where they were.
function Here:close()
  local there, gone = api.nvim_win_is_valid(self.win), self.was_here and not api.nvim_win_is_valid(self.win)
  local leaves = self:has_focus() or gone
  as_typed(function()
    if there and self.own then
      api.nvim_win_close(self.win, true)
    elseif there then
      api.nvim_set_option_value('winbar', self.stood.winbar, { win = self.win, scope = 'local' })
      if self:shows(self.bufnr) then
        api.nvim_win_call(self.win, function() vim.fn.winrestview(self.stood.view) end)
      end
    end
    if self.mark and api.nvim_buf_is_loaded(self.bufnr) and #vim.fn.win_findbuf(self.bufnr) == 0 then
      pcall(api.nvim_buf_set_mark, self.bufnr, '"', self.mark[1], self.mark[2], {})
    end
    if leaves and api.nvim_win_is_valid(self.back.win) then
      api.nvim_set_current_win(self.back.win)
      if self.back.terminal and vim.bo.buftype == 'terminal' then vim.cmd.startinsert() end
    end
  end)
end

return M
