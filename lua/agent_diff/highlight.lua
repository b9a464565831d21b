--- Colours of the review buffer. Only the lines on the screen are looked at, and nothing runs when no review is drawn.
local api = vim.api

local M = {}
local NS = api.nvim_create_namespace('agent_diff.highlight')

local links = {
  AgentDiffTitle = 'Title',
  AgentDiffHead = 'Comment',
  AgentDiffKey = 'Special',
  AgentDiffHunk = 'Function',
  AgentDiffFile = 'Directory',
  AgentDiffAdd = 'DiffAdd',
  AgentDiffDelete = 'DiffDelete',
  AgentDiffPending = 'Comment',
  AgentDiffApplied = 'DiagnosticOk',
  AgentDiffRejected = 'DiagnosticError',
  AgentDiffConflict = 'DiagnosticWarn',
  AgentDiffHidden = 'SpecialKey',
  AgentDiffComment = 'DiagnosticInfo',
}

--- Links the groups to standard ones; a person's own definition wins.
function M.define()
  for group, target in pairs(links) do
    api.nvim_set_hl(0, group, { link = target, default = true })
  end
end

--- The group of a diff's line, by its first characters.
local function group_of(line, in_hunk)
  local first = line:sub(1, 1)
  if in_hunk then
    if first == '+' then return 'AgentDiffAdd' end
    if first == '-' then return 'AgentDiffDelete' end
    if first == '@' then return 'AgentDiffHunk' end
    if first == '\\' then return 'AgentDiffHead' end
    return nil
  end
  return 'AgentDiffFile'
end

---@type table<integer, agent_diff.View>
local views = {}

local function on_line(_, _, bufnr, row)
  local view = views[bufnr]
  local line = api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1]
  if not view or not line then return end
  local group, hunk
  if row < view.diff_row then
    group = row == 0 and 'AgentDiffTitle' or 'AgentDiffHead'
  else
    hunk = view:hunk_at(row)
    group = group_of(line, hunk ~= nil)
  end
  if group then
    api.nvim_buf_set_extmark(bufnr, NS, row, 0, {
      end_row = row + 1,
      hl_group = group,
      hl_eol = true,
      ephemeral = true,
      strict = false,
      priority = 50,
    })
  end
  -- In any other file a CR is text, and must be seen.
  if hunk and hunk.file.crlf and line:sub(-1) == '\r' then
    api.nvim_buf_set_extmark(bufnr, NS, row, #line - 1, { end_col = #line, conceal = '', ephemeral = true })
  end
end

--- Starts colouring a view.
---@param view agent_diff.View
function M.attach(view)
  M.define()
  if not next(views) then
    api.nvim_set_decoration_provider(NS, {
      on_win = function(_, _, bufnr) return views[bufnr] ~= nil end,
      on_line = on_line,
    })
  end
  views[view.bufnr] = view
end

--- Stops colouring a view.
---@param bufnr integer
function M.detach(bufnr)
  views[bufnr] = nil
  if not next(views) then api.nvim_set_decoration_provider(NS, {}) end
end

return M
