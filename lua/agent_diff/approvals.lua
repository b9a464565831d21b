--- `:AgentDiff approvals`: what is remembered, and what was let through without a review; both can be taken back.
local api, uv = vim.api, vim.uv
local finished = require('agent_diff.finished')
local notice = require('agent_diff.notice')

local M = {}

local name = 'agent-diff://approvals'

--- The folder of the approvals. It follows from $HOME alone, as for the servers; see policy/load.go.
local function folder() return (vim.env.HOME or '') .. '/.local/state/nvim-agent-diff/approvals' end

--- An approval that a server would heed: nobody else can have written it, and its session is not over.
---@param path string
---@return table?
local function read(path)
  local stat = uv.fs_lstat(path)
  if not stat or stat.type ~= 'file' or stat.uid ~= uv.getuid() or stat.mode % 64 ~= 0 then return nil end
  local file = io.open(path, 'r')
  if not file then return nil end
  local ok, approval = pcall(vim.json.decode, file:read('*a') or '')
  file:close()
  if not ok or type(approval) ~= 'table' or type(approval.id) ~= 'string' then return nil end
  local here = approval.host == uv.os_gethostname()
  if approval.session and here and approval.pid and uv.kill(approval.pid, 0) ~= 0 then return nil end
  return approval
end

---@return table[] approvals, the oldest first
local function remembered()
  local list = {}
  for entry, kind in vim.fs.dir(folder()) do
    local id = kind == 'file' and entry:match('^([a-z0-9]+)%.json$')
    local approval = id and read(folder() .. '/' .. entry)
    if approval and approval.id == id then list[#list + 1] = approval end
  end
  table.sort(list, function(a, b) return (a.created or '') < (b.created or '') end)
  return list
end

local function home(path) return vim.fn.fnamemodify(path or '?', ':~') end

local function describe(approval)
  local what = approval.reading and 'reading' or 'changes'
  local texts = {
    file = ('%s of %s'):format(what, home(approval.path)),
    folder = ('%s in %s'):format(what, home(approval.path)),
    tool = ('%s in %s'):format(approval.tool, home(approval.root)),
    call = ('%s with the same arguments'):format(approval.tool),
  }
  local text = texts[approval.scope] or approval.scope
  return ('%s, %s'):format(text, approval.session and 'this session' or 'always')
end

---@class agent_diff.Approvals
---@field bufnr integer
---@field items table<integer, { approval: table?, review: agent_diff.Finished? }> by row, from 1
---@field open table<agent_diff.Finished, true> whose diff is shown
local List = {}
List.__index = List

function List:draw()
  local lines, items = {}, {}
  local function add(line, item)
    lines[#lines + 1] = line:gsub('\n', ' ')
    items[#lines] = item
  end
  add('Remembered: applied without a review (d revokes)')
  local approvals = remembered()
  for _, approval in ipairs(approvals) do
    add(vim.fn.strtrans(('  %s  %s'):format(approval.id, describe(approval))), { approval = approval })
  end
  if #approvals == 0 then add('  nothing') end
  add('')
  add('Let through in this Neovim (<CR> shows the diff, u takes back)')
  local some = false
  for _, review in ipairs(finished.list()) do
    if review.rule then
      some = true
      local item = { review = review }
      local mark = review.undone and 'taken back, ' or ''
      add(
        ('  %s  %s  %s%s, by %s'):format(
          os.date('%H:%M', review.time),
          review.name,
          mark,
          review.applied == 1 and '1 hunk' or review.applied .. ' hunks',
          review.rule
        ),
        item
      )
      for _, line in ipairs(self.open[review] and review.lines or {}) do
        add(line, item)
      end
    end
  end
  if not some then add('  nothing') end
  self.items = items
  vim.bo[self.bufnr].modifiable = true
  api.nvim_buf_set_lines(self.bufnr, 0, -1, false, lines)
  vim.bo[self.bufnr].modifiable = false
end

---@return { approval: table?, review: agent_diff.Finished? }
function List:item() return self.items[api.nvim_win_get_cursor(0)[1]] or {} end

function List:revoke()
  local approval = self:item().approval
  if not approval then return notice.say('no approval here') end
  local ok, err = os.remove(('%s/%s.json'):format(folder(), approval.id))
  notice.say(
    ok and 'revoked: ' .. describe(approval) or tostring(err),
    not ok and vim.log.levels.ERROR or nil
  )
  self:draw()
end

function List:toggle_diff()
  local review = self:item().review
  if not review then return end
  self.open[review] = not self.open[review] or nil
  self:draw()
end

function List:undo()
  local review = self:item().review
  if not review then return notice.say('no edit here') end
  if not finished.undo(review) then notice.say(review.name .. ': it is taken back already') end
  self:draw()
end

--- Opens the list, or goes to it.
function M.open()
  local there = vim.fn.bufnr('^' .. name .. '$')
  if there > 0 then api.nvim_buf_delete(there, { force = true }) end
  local list = setmetatable({ bufnr = api.nvim_create_buf(false, true), items = {}, open = {} }, List)
  local bo = vim.bo[list.bufnr]
  bo.bufhidden, bo.modeline = 'wipe', false
  api.nvim_buf_set_name(list.bufnr, name)
  list:draw()
  vim.cmd('botright split')
  api.nvim_win_set_buf(0, list.bufnr)
  vim.wo.winfixbuf, vim.wo.wrap = true, false
  notice.as_typed(function()
    bo.filetype = 'agentdiffapprovals'
    bo.syntax = 'diff'
  end)
  local function map(key, does, desc)
    vim.keymap.set('n', key, notice.guarded(does), { buffer = list.bufnr, nowait = true, desc = desc })
  end
  map('d', function() list:revoke() end, 'revoke the approval')
  map('u', function() list:undo() end, 'take the edit back')
  map('<CR>', function() list:toggle_diff() end, 'show or hide the diff')
  map('q', function() vim.cmd.close() end, 'close')
end

return M
