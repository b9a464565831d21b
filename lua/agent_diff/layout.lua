--- The windows of a review: a tab page of its own with the review and the source side by side, so that nothing of the
--- person's windows is touched; afterwards the person is where they were.
local api = vim.api
local as_typed = require('agent_diff.notice').as_typed
local rows = require('agent_diff.rows')

local M = {}

-- Below this many columns the source stands under the review.
local side_by_side_columns = 120

---@class agent_diff.Layout
---@field bufnr integer the review's
---@field tab integer
---@field review_win integer
---@field source_win integer?
---@field source_buf integer? what we last showed in the source window
---@field back { tab: integer, win: integer, last_tab: integer, terminal: boolean } where the person was
---@field marks table<integer, integer[]> the mark '" of buffers that were hidden before
---@field just_left boolean
---@field was_here boolean the person was in our tab page when a window closed
local Layout = {}
Layout.__index = Layout

-- What the review needs of a window.
local review_options = {
  number = false,
  relativenumber = false,
  numberwidth = 1,
  signcolumn = 'no',
  foldcolumn = '0',
  foldmethod = 'manual',
  foldtext = "v:lua.require'agent_diff.layout'.foldtext()",
  spell = false,
  cursorline = true,
  cursorcolumn = false,
  colorcolumn = '',
  conceallevel = 2,
  concealcursor = 'nvc',
  scrollbind = false,
  cursorbind = false,
  diff = false,
  statuscolumn = require('agent_diff.gutter').option,
}

-- What stays as the person has it elsewhere.
local personal_options = { 'wrap', 'linebreak', 'breakindent', 'list', 'foldenable' }

local function dress(win)
  for name, value in pairs(review_options) do
    vim.wo[win][0][name] = value
  end
  for _, name in ipairs(personal_options) do
    vim.wo[win][0][name] = vim.go[name]
  end
  vim.wo[win][0].winfixbuf = true
end

--- What a fold of a file that is new or deleted as a whole says.
---@return string
function M.foldtext() return ('··· %d more lines, zo opens '):format(vim.v.foldend - vim.v.foldstart + 1) end

--- Folds what is more than a preview of a file that is new or deleted as a whole.
---@param win integer
---@param view agent_diff.View
local function fold(win, view)
  for _, hunk in ipairs(view.review.hunks) do
    local first, last = rows.folded(hunk)
    local row = view:row_of(hunk)
    if first then
      api.nvim_win_call(win, function() vim.cmd(('silent! %d,%dfold'):format(row + first, row + last)) end)
    end
  end
end

--- Opens the windows of a view, and goes to the review.
---@param view agent_diff.View
---@return agent_diff.Layout
function M.open(view)
  local self = setmetatable({ bufnr = view.bufnr, marks = {} }, Layout)
  self.back = {
    tab = api.nvim_get_current_tabpage(),
    win = api.nvim_get_current_win(),
    last_tab = api.nvim_list_tabpages()[vim.fn.tabpagenr('#')],
    terminal = vim.fn.mode(1) == 't',
  }
  if self.back.terminal then vim.cmd.stopinsert() end
  as_typed(function() self:open_tab() end)
  dress(self.review_win)
  fold(self.review_win, view)
  local file = view.review.files[1]
  if file then as_typed(function() self:open_source(file.source.bufnr) end) end
  return self
end

function Layout:open_tab()
  local here = api.nvim_tabpage_get_number(self.back.tab)
  local command = { cmd = 'sbuffer', args = { tostring(self.bufnr) }, mods = { tab = here, keepalt = true } }
  local ok, err = pcall(api.nvim_cmd, command, {})
  self.tab = api.nvim_get_current_tabpage()
  if self.tab == self.back.tab then error(err, 0) end
  -- On the smallest screens the tab page is there, and the error too.
  if not ok then api.nvim_win_set_buf(0, self.bufnr) end
  self.review_win = api.nvim_get_current_win()
end

--- Opens the source beside the review. Where there is no room for it, the review is shown alone.
function Layout:open_source(bufnr)
  local split = vim.o.columns >= side_by_side_columns and 'right' or 'below'
  self:keep_mark(bufnr)
  self.source_buf = bufnr
  local below = math.max(math.floor(api.nvim_win_get_height(self.review_win) / 3), 1)
  local ok, win = pcall(api.nvim_open_win, bufnr, false, {
    split = split,
    win = self.review_win,
    height = split == 'below' and below or nil,
  })
  if ok then self.source_win = win end
end

--- Remembers where the person was last in a buffer that no window shows: showing it moves that mark.
function Layout:keep_mark(bufnr)
  if self.marks[bufnr] or #vim.fn.win_findbuf(bufnr) > 0 then return end
  self.marks[bufnr] = api.nvim_buf_get_mark(bufnr, '"')
end

function Layout:restore_marks()
  for bufnr, mark in pairs(self.marks) do
    if api.nvim_buf_is_loaded(bufnr) and #vim.fn.win_findbuf(bufnr) == 0 then
      pcall(api.nvim_buf_set_mark, bufnr, '"', mark[1], mark[2], {})
    end
  end
end

--- Sets the bar above the review.
---@param text string in the language of 'winbar'
function Layout:set_bar(text)
  local win = self.review_win
  if not api.nvim_win_is_valid(win) or api.nvim_win_get_buf(win) ~= self.bufnr then return end
  -- Where there is no room for a bar, Neovim says so at a prompt.
  if vim.wo[win].winbar == '' and api.nvim_win_get_height(win) < 2 then return end
  vim.wo[win][0].winbar = text
end

--- Goes to a window that shows the buffer.
function M.focus(bufnr)
  local win = vim.fn.win_findbuf(bufnr)[1]
  if win then as_typed(function() api.nvim_set_current_win(win) end) end
end

function Layout:has_source_win() return self.source_win ~= nil and api.nvim_win_is_valid(self.source_win) end

--- Shows a row of a source buffer in the source window.
---@param bufnr integer
---@param row integer 0-based
function Layout:show_source(bufnr, row)
  if not self:has_source_win() or api.nvim_get_current_win() == self.source_win then return end
  if api.nvim_win_get_buf(self.source_win) ~= bufnr then
    if api.nvim_win_get_buf(self.source_win) ~= self.source_buf then return end
    self.source_buf = bufnr
    self:keep_mark(bufnr)
    api.nvim_win_set_buf(self.source_win, bufnr)
  end
  local line = math.min(row + 1, api.nvim_buf_line_count(bufnr))
  api.nvim_win_set_cursor(self.source_win, { line, 0 })
  api.nvim_win_call(self.source_win, function()
    if line < vim.fn.line('w0') + 2 or line > vim.fn.line('w$') - 2 then vim.cmd('normal! zz') end
  end)
end

--- Goes to the source window.
function Layout:enter_source()
  if self:has_source_win() then as_typed(function() api.nvim_set_current_win(self.source_win) end) end
end

--- Closes a window. The last one of all stays, with a listed buffer in it.
local function close_win(win, source_buf)
  if not api.nvim_win_is_valid(win) then return end
  local ok, err = pcall(api.nvim_win_close, win, true)
  if ok or not api.nvim_win_is_valid(win) then return end
  if not tostring(err):find('E444', 1, true) then error(err, 0) end
  local alternate = api.nvim_win_call(win, function() return vim.fn.bufnr('#') end)
  vim.wo[win][0].winfixbuf = false
  for _, bufnr in ipairs({ source_buf or 0, alternate }) do
    if bufnr > 0 and vim.fn.buflisted(bufnr) == 1 then return api.nvim_win_set_buf(win, bufnr) end
  end
  api.nvim_win_call(win, vim.cmd.enew)
end

--- The windows that go with the review: all that show it, and the source's. What the person looks at in the place of the
--- source is theirs.
function Layout:own_wins()
  local wins = vim.fn.win_findbuf(self.bufnr)
  if self:has_source_win() then
    local shows_source = api.nvim_win_get_buf(self.source_win) == self.source_buf
    if shows_source or api.nvim_get_current_win() ~= self.source_win then
      wins[#wins + 1] = self.source_win
    end
  end
  return wins
end

--- Whether the person is in one of the windows that go with the review.
---@return boolean
function Layout:has_focus() return vim.tbl_contains(self:own_wins(), api.nvim_get_current_win()) end

--- Notes, while a window closes, whether the person is in our tab page: afterwards Neovim has gone somewhere else. With the
--- last window of a tab page it goes before it closes.
function Layout:note_place() self.was_here = self.just_left or api.nvim_get_current_tabpage() == self.tab end

--- Notes, until the event is over, that the tab page is being left.
function Layout:note_leave()
  if api.nvim_get_current_tabpage() ~= self.tab then return end
  self.just_left = true
  vim.schedule(function() self.just_left = false end)
end

--- Closes what was opened, and goes back where the person was, unless they have gone elsewhere.
function Layout:close()
  as_typed(function() self:close_wins() end)
end

function Layout:close_wins()
  local leaves = self:has_focus() or (self.was_here and not api.nvim_tabpage_is_valid(self.tab))
  for _, win in ipairs(self:own_wins()) do
    close_win(win, self.source_buf)
  end
  self:restore_marks()
  -- A window that stays, with another buffer in it, is an ordinary one: of what dress() set only this does not go with the
  -- buffer.
  if api.nvim_win_is_valid(self.review_win) then vim.wo[self.review_win].winfixbuf = false end
  if leaves then self:go_back() end
end

function Layout:go_back()
  local back = self.back
  if not api.nvim_tabpage_is_valid(back.tab) then return end
  if back.last_tab and api.nvim_tabpage_is_valid(back.last_tab) then
    -- So that g<Tab> leads where it led.
    vim.cmd('noautocmd call nvim_set_current_tabpage(' .. back.last_tab .. ')')
  end
  if not api.nvim_win_is_valid(back.win) then
    api.nvim_set_current_tabpage(back.tab)
    return
  end
  api.nvim_set_current_win(back.win)
  if back.terminal and vim.bo.buftype == 'terminal' then vim.cmd.startinsert() end
end

return M
