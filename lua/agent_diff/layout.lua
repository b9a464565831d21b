--- The windows of a review: by default a tab page of its own with the review and the source side by side, so that nothing of
--- the person's windows is touched; afterwards the person is where they were.
local api = vim.api
local config = require('agent_diff.config')
local as_typed = require('agent_diff.notice').as_typed
local dress = require('agent_diff.dress')

local M = {}

-- Below this many columns the source stands under the review.
local side_by_side_columns = 120
-- On screens where the source had fewer lines than this the review is shown alone, until the person wants to see the source.
local least_source = 3

---@class agent_diff.Layout
---@field shape agent_diff.Shape what is in the windows
---@field kind 'tab'|'split'|'float' where they are
---@field tab integer
---@field review_win integer
---@field second_win integer? the right one, side by side
---@field source_win integer?
---@field source_buf integer? what we last showed in the source window
---@field theirs { win: integer, view: table }? the person's window that follows, and how it stood
---@field sizes string brings the person's windows back to their sizes
---@field sizes_below string? what that is once there is a window under floats
---@field back { tab: integer, win: integer, last_tab: integer, terminal: boolean } where the person was
---@field marks table<integer, integer[]> the mark '" of buffers that were hidden before
---@field just_left boolean
---@field was_here boolean the person was in our tab page when a window closed
local Layout = {}
Layout.__index = Layout

--- One of several floats that stand beside each other over the middle of the screen.
---@param below integer? how many lines at the bottom of the screen they leave free
local function float_config(place, of, below)
  local columns, lines = vim.o.columns, vim.o.lines - (below or 0)
  local width, height = math.floor(columns * 0.9), math.max(math.floor(lines * 0.85) - 2, 1)
  local own = math.max(math.floor(width / of) - 2, 1)
  return {
    relative = 'editor',
    row = math.max(math.floor((lines - height) / 2) - 2, 0),
    col = math.max(math.floor((columns - width) / 2) + (place - 1) * (own + 2), 0),
    width = own,
    height = height,
    border = 'rounded',
    zindex = 40,
  }
end

--- Opens the windows of a view, and goes to the review.
---@param view agent_diff.View
---@return agent_diff.Layout
function M.open(view)
  local self = setmetatable({ marks = {}, kind = config.get().window, sizes = '' }, Layout)
  self.back = {
    tab = api.nvim_get_current_tabpage(),
    win = api.nvim_get_current_win(),
    last_tab = api.nvim_list_tabpages()[vim.fn.tabpagenr('#')],
    terminal = vim.fn.mode(1) == 't',
  }
  if self.back.terminal then vim.cmd.stopinsert() end
  local function open() self['open_' .. self.kind](self, view.shape.bufs[1]) end
  if not pcall(as_typed, open) then
    self.kind = 'tab' -- there is no room for anything else
    as_typed(open)
  end
  self:fill(view)
  return self
end

--- Shows the view's shape in the windows, and what goes with it beside them.
---@param view agent_diff.View
function Layout:fill(view)
  self.shape = view.shape
  local first, second = unpack(self.shape.bufs)
  if api.nvim_win_get_buf(self.review_win) ~= first then
    vim.wo[self.review_win].winfixbuf = false
    as_typed(function() api.nvim_win_set_buf(self.review_win, first) end)
  end
  dress.window(self.review_win, second ~= nil)
  if second then
    as_typed(function() self:open_second(second) end)
    -- Half of a review is none.
    if not self.second_win then return view:arrange('unified', self) end
    dress.window(self.second_win, true)
    dress.fold(self.second_win, view)
  end
  dress.fold(self.review_win, view)
  if not second then
    local file = view.review.files[1]
    if file and self.kind == 'tab' then
      as_typed(function() self:open_source(file.source.bufnr, least_source) end)
    end
  end
end

--- Puts another shape into the windows.
---@param view agent_diff.View
function Layout:refill(view)
  as_typed(function()
    if not api.nvim_win_is_valid(self.review_win) then
      local own = self:own_wins()[1]
      if own == self.source_win or own == nil then error('there is no window of the review', 0) end
      self.review_win = own
    end
    if self:has_source_win() and api.nvim_win_get_buf(self.source_win) == self.source_buf then
      api.nvim_win_close(self.source_win, true)
    end
    if self.second_win and api.nvim_win_is_valid(self.second_win) and self.second_win ~= self.review_win then
      api.nvim_win_close(self.second_win, true)
    end
    self.source_win, self.second_win = nil, nil
    api.nvim_set_current_win(self.review_win)
  end)
  if self.kind == 'float' then api.nvim_win_set_config(self.review_win, float_config(1, 1)) end
  self:fill(view)
end

function Layout:open_tab(bufnr)
  local here = api.nvim_tabpage_get_number(self.back.tab)
  local command = { cmd = 'sbuffer', args = { tostring(bufnr) }, mods = { tab = here, keepalt = true } }
  local ok, err = pcall(api.nvim_cmd, command, {})
  self.tab = api.nvim_get_current_tabpage()
  if self.tab == self.back.tab then error(err, 0) end
  -- On the smallest screens the tab page is there, and the error too.
  if not ok then api.nvim_win_set_buf(0, bufnr) end
  self.review_win = api.nvim_get_current_win()
end

function Layout:open_split(bufnr)
  self.tab, self.sizes = self.back.tab, vim.fn.winrestcmd()
  local split = vim.o.columns >= side_by_side_columns and 'right' or 'below'
  self.review_win = api.nvim_open_win(bufnr, true, { split = split, win = -1 })
end

function Layout:open_float(bufnr)
  self.tab, self.sizes_below = self.back.tab, vim.fn.winrestcmd()
  self.review_win = api.nvim_open_win(bufnr, true, float_config(1, 1))
end

--- Opens the right one of two windows, where there is room for it.
function Layout:open_second(bufnr)
  local config_of_second = { split = 'right', win = self.review_win }
  if self.kind == 'float' then
    api.nvim_win_set_config(self.review_win, float_config(1, 2))
    config_of_second = float_config(2, 2)
  end
  local ok, win = pcall(api.nvim_open_win, bufnr, false, config_of_second)
  self.second_win = ok and win or nil
  if not ok or self.kind ~= 'float' or api.nvim_get_current_win() ~= self.review_win then return end
  -- Who closes a float comes into the window where they were before: the other one, and `:q` typed twice closes both.
  vim.cmd('noautocmd call nvim_set_current_win(' .. win .. ')')
  vim.cmd('noautocmd call nvim_set_current_win(' .. self.review_win .. ')')
end

--- Opens the source beside the review. Where there is no room for it, the review is shown alone.
---@param bufnr integer
---@param least integer how many lines there must be for it
function Layout:open_source(bufnr, least)
  local floats = self.kind == 'float'
  local split = not floats and vim.o.columns >= side_by_side_columns and 'right' or 'below'
  local above = floats and vim.o.lines or api.nvim_win_get_height(self.review_win)
  local below = math.max(math.floor(above / 3), 1)
  if split == 'below' and below < least then return end
  self:keep_mark(bufnr)
  self.source_buf = bufnr
  if floats then self.sizes = self.sizes_below end
  local ok, win = pcall(api.nvim_open_win, bufnr, false, {
    split = split,
    win = floats and -1 or self.review_win,
    height = split == 'below' and below or nil,
  })
  if not ok then return end
  self.source_win = win
  local wins = floats and { self.review_win, self.second_win } or {}
  for place, own in ipairs(wins) do
    api.nvim_win_set_config(own, float_config(place, #wins, api.nvim_win_get_height(win)))
  end
  if wins[2] then api.nvim_win_call(wins[1], vim.cmd.syncbind) end
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

--- Sets the bars above the windows.
---@param texts string[] in the language of 'winbar'; the second is for the right one of two windows
function Layout:set_bars(texts)
  for i, win in ipairs({ self.review_win, self.second_win }) do
    local is_ours = api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == self.shape.bufs[i]
    -- Where there is no room for a bar, Neovim says so at a prompt.
    if is_ours and (vim.wo[win].winbar ~= '' or api.nvim_win_get_height(win) >= 2) then
      vim.wo[win][0].winbar = texts[i]
    end
  end
end

--- Goes to a window that shows the buffer.
function M.focus(bufnr)
  local win = vim.fn.win_findbuf(bufnr)[1]
  if win then as_typed(function() api.nvim_set_current_win(win) end) end
end

function Layout:has_source_win() return self.source_win ~= nil and api.nvim_win_is_valid(self.source_win) end

--- The window that shows the source while the review moves: ours, else one of the person's in the same tab page.
function Layout:follower(bufnr)
  if self:has_source_win() then
    local now = api.nvim_win_get_buf(self.source_win)
    return (now == bufnr or now == self.source_buf) and self.source_win or nil
  end
  if self.kind == 'tab' then return nil end
  for _, win in ipairs(api.nvim_tabpage_list_wins(self.tab)) do
    if api.nvim_win_get_buf(win) == bufnr then
      if not self.theirs or self.theirs.win ~= win then
        self:give_back()
        self.theirs = { win = win, buf = bufnr, view = api.nvim_win_call(win, vim.fn.winsaveview) }
      end
      return win
    end
  end
end

--- Lets the person's window that has followed stand as it stood, unless they have gone there.
function Layout:give_back()
  local theirs = self.theirs
  self.theirs = nil
  if not theirs or not api.nvim_win_is_valid(theirs.win) then return end
  if theirs.entered or api.nvim_win_get_buf(theirs.win) ~= theirs.buf then return end
  api.nvim_win_call(theirs.win, function() vim.fn.winrestview(theirs.view) end)
end

--- Shows a row of a source buffer in the source window.
---@param bufnr integer
---@param row integer 0-based
function Layout:show_source(bufnr, row)
  local win = self:follower(bufnr)
  if not win or api.nvim_get_current_win() == win then return end
  if api.nvim_win_get_buf(win) ~= bufnr then
    self.source_buf = bufnr
    self:keep_mark(bufnr)
    api.nvim_win_set_buf(win, bufnr)
  end
  local line = math.min(row + 1, api.nvim_buf_line_count(bufnr))
  api.nvim_win_set_cursor(win, { line, 0 })
  api.nvim_win_call(win, function()
    if line < vim.fn.line('w0') + 2 or line > vim.fn.line('w$') - 2 then vim.cmd('normal! zz') end
  end)
end

--- Goes to a source window, at a row; opens one where there is none.
---@param bufnr integer
---@param row integer? 0-based
function Layout:enter_source(bufnr, row)
  -- A float hides the person's windows.
  if not self:has_source_win() and (self.kind == 'float' or not self:follower(bufnr)) then
    as_typed(function() self:open_source(bufnr, 1) end)
  end
  if row then self:show_source(bufnr, row) end
  local win = self:follower(bufnr) or self:has_source_win() and self.source_win
  if not win then return end
  if self.theirs and self.theirs.win == win then self.theirs.entered = true end
  as_typed(function() api.nvim_set_current_win(win) end)
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

--- All windows that show the review.
---@return integer[]
function Layout:review_wins()
  local wins = {}
  for _, bufnr in ipairs(self.shape.bufs) do
    vim.list_extend(wins, vim.fn.win_findbuf(bufnr))
  end
  return wins
end

--- The windows that go with the review: all that show it, and the source's. What the person looks at in the place of the
--- source is theirs.
function Layout:own_wins()
  local wins = self:review_wins()
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

--- Notes, while a window closes, whether the person is in our tab page, or window: afterwards Neovim has gone somewhere
--- else. With the last window of a tab page it goes before it closes.
function Layout:note_place()
  if self.kind == 'tab' then
    self.was_here = self.just_left or api.nvim_get_current_tabpage() == self.tab
  else
    self.was_here = vim.list_contains(self.shape.bufs, api.nvim_get_current_buf())
  end
end

--- Whether the person was in what is not there any more.
function Layout:was_closed_under_them()
  if not self.was_here then return false end
  if self.kind == 'tab' then return not api.nvim_tabpage_is_valid(self.tab) end
  return #self:review_wins() == 0
end

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
  local leaves = self:has_focus() or self:was_closed_under_them()
  local wins = self:own_wins()
  -- The review's last: without it Neovim would go to the source for a moment. The last window of all is to be the source's.
  local from, to, step = 1, #wins, 1
  if #api.nvim_list_tabpages() > 1 then
    from, to, step = #wins, 1, -1
  end
  for i = from, to, step do
    close_win(wins[i], self.source_buf)
  end
  self:give_back()
  if self.sizes ~= '' and api.nvim_get_current_tabpage() == self.tab then vim.cmd(self.sizes) end
  self:restore_marks()
  -- A window that stays, with another buffer in it, is an ordinary one: of what dress.window() set only this does not go
  -- with the buffer.
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
