--- The question whether an agent may read a file. It waits in the queue and has the manners of a review; what it shows is
--- one small float. Who leaves the float has not answered: the question waits.
local api = vim.api
local manners = require('agent_diff.manners')
local notice = require('agent_diff.notice')

local M = {}

--- It stands in the queue like a review that has no files.
---@class agent_diff.Question: agent_diff.Review
---@field lines string[]
---@field keys table<string, { allowed: boolean, scope: string?, always: boolean? }>
local Question = {}
Question.__index = Question

---@class agent_diff.QuestionView
---@field question agent_diff.Question
---@field bufnr integer -1 while it is hidden
local View = {}
View.__index = View

--- What to show, and what each key answers.
local function compose(given)
  local lines = { ('%s wants to read a file:'):format(given.agent ~= '' and given.agent or 'An agent'), '' }
  lines[#lines + 1] = '    ' .. given.name
  vim.list_extend(lines, { '', '[a] allow   [r] refuse' })
  local keys = {
    a = { allowed = true },
    y = { allowed = true },
    r = { allowed = false },
    n = { allowed = false },
    q = { allowed = false },
    ['<Esc>'] = { allowed = false },
  }
  if given.remember then
    lines[#lines + 1] = 'allow, and do not ask again:'
    for _, scope in ipairs({ { 'f', 'file', 'this file' }, { 'd', 'folder', 'files in its folder' } }) do
      local key, upper = scope[1], scope[1]:upper()
      local line = ('  %-20s'):format(scope[3])
      if given.session then
        line = ('%s [%s] this session '):format(line, key)
        keys[key] = { allowed = true, scope = scope[2], always = false }
      end
      lines[#lines + 1] = ('%s [%s] always'):format(line, upper)
      keys[upper] = { allowed = true, scope = scope[2], always = true }
    end
  end
  return lines, keys
end

---@param id string
---@param given table what the server asks
---@param server agent_diff.Server
---@return agent_diff.Question
function M.new(id, given, server)
  local lines, keys = compose(given)
  local question = setmetatable({
    id = id,
    ref = given.ref,
    server = server,
    tool = given.tool,
    path = given.path,
    shown = { agent = given.agent, description = '', name = 'reading ' .. given.name },
    paths = {},
    claims = {},
    loaded = {},
    files = {},
    hunks = {},
    lines = lines,
    keys = keys,
    since = vim.uv.now(),
    ended = false,
  }, Question)
  question.view = setmetatable({ question = question, bufnr = -1 }, View)
  return question
end

function Question:count() return { total = 0, applied = 0, rejected = 0, pending = 0, conflict = 0 } end

function Question:describe()
  return vim.tbl_extend('force', self:count(), {
    id = self.id,
    path = self.path,
    tool = self.tool,
    description = self.shown.name,
    source_bufnr = -1,
    hunks = {},
  })
end

--- Takes the question away.
---@param how string see Review:finish()
---@return table? report nil when it had ended before
function Question:finish(how)
  if self.ended then return nil end
  self.ended = true
  self.view:hide()
  require('agent_diff.queue').remove(self)
  return { how = how, files = {} }
end

function Question:agent_gone() self:finish('gone') end

---@param answer { allowed: boolean, scope: string?, always: boolean? }
function Question:answer(answer)
  if not self:finish('decided') then return end
  self.server:notify('answer', self.ref, answer)
end

--- What the words of `:AgentDiff` do here.
---@param name string of config.actions
function View:run(name)
  if name == 'accept_all' then
    self.question:answer({ allowed = true })
  elseif name == 'reject_all' or name == 'finish' then
    self.question:answer({ allowed = false })
  end
end

---@return boolean
function View:owns(bufnr) return bufnr == self.bufnr end

function View:draw_place() end

function View:tick() end

local function open_float(bufnr, lines)
  local width = 1
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  width = math.max(math.min(width + 1, vim.o.columns - 4), 1)
  local height = math.max(math.min(#lines, vim.o.lines - 4), 1)
  return api.nvim_open_win(bufnr, true, {
    relative = 'editor',
    row = math.max(math.floor((vim.o.lines - height) / 2) - 1, 0),
    col = math.max(math.floor((vim.o.columns - width) / 2) - 1, 0),
    width = width,
    height = height,
    style = 'minimal',
    border = 'rounded',
    zindex = 60,
  })
end

function View:show()
  if self.win then return api.nvim_set_current_win(self.win) end
  notice.close_corner()
  local question = self.question
  self.bufnr = api.nvim_create_buf(false, true)
  vim.bo[self.bufnr].bufhidden = 'wipe'
  local lines = vim.tbl_map(function(line) return ' ' .. line end, question.lines)
  api.nvim_buf_set_lines(self.bufnr, 0, -1, false, lines)
  vim.bo[self.bufnr].modifiable = false
  self.from, self.terminal = api.nvim_get_current_win(), vim.fn.mode(1) == 't'
  if self.terminal then vim.cmd.stopinsert() end
  self.win = open_float(self.bufnr, lines)
  vim.wo[self.win].wrap = true
  for key, answer in pairs(question.keys) do
    vim.keymap.set(
      'n',
      key,
      notice.guarded(function()
        if not question.ended and manners.armed(question) then question:answer(answer) end
      end),
      { buffer = self.bufnr, nowait = true }
    )
  end
  api.nvim_create_autocmd('WinLeave', {
    buffer = self.bufnr,
    once = true,
    callback = vim.schedule_wrap(notice.guarded(function()
      if not question.ended and self.win then require('agent_diff.queue').put_off(question) end
    end)),
  })
  manners.guard(question)
end

--- Takes the float away, and goes back to where the person was.
function View:hide()
  local win = self.win
  if not win then return end
  self.win, self.bufnr = nil, -1
  notice.as_typed(function()
    local was_current = api.nvim_get_current_win() == win
    if api.nvim_win_is_valid(win) then pcall(api.nvim_win_close, win, true) end
    if not was_current or not api.nvim_win_is_valid(self.from) then return end
    api.nvim_set_current_win(self.from)
    if self.terminal and vim.bo.buftype == 'terminal' then vim.cmd.startinsert() end
  end)
end

return M
