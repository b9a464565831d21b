--- The column beside the lines of a hunk: the line numbers of both sides, and a bar in the colour of the hunk's state.
local api = vim.api
local config = require('agent_diff.config')

local M = {}

-- Below this many columns of a window only the bar is shown.
local least_columns = 60

local bars = {
  pending = '%#AgentDiffPending#▏',
  applied = '%#AgentDiffApplied#▎',
  rejected = '%#AgentDiffRejected#▎',
  conflict = '%#AgentDiffConflict#▎',
}

--- What is in the gutter of a buffer's row.
---@class agent_diff.Gutter
---@field width integer of a line number
---@field sides ('old'|'new')[]
---@field at fun(row: integer): agent_diff.Hunk?, agent_diff.Row?

---@type table<integer, agent_diff.Gutter>
local gutters = {}

--- The value of 'statuscolumn' for windows that show a review.
M.option = "%!v:lua.require'agent_diff.gutter'.draw()"

---@param bufnr integer
---@param gutter agent_diff.Gutter
function M.attach(bufnr, gutter) gutters[bufnr] = gutter end

---@param bufnr integer
function M.detach(bufnr) gutters[bufnr] = nil end

--- The gutter of the line that is being drawn.
---@return string in the language of 'statuscolumn'
function M.draw()
  local win = vim.g.statusline_winid
  local gutter = gutters[api.nvim_win_get_buf(win)]
  if not gutter then return '' end
  local numbers = config.get().line_numbers and api.nvim_win_get_width(win) >= least_columns
  local hunk, row = gutter.at(vim.v.lnum - 1)
  local parts = {}
  for i, side in ipairs(numbers and gutter.sides or {}) do
    local number = row and vim.v.virtnum == 0 and row[side]
    local group = 'AgentDiffLineNr'
    if row and row.kind == '-' then group = 'AgentDiffDeleteSign' end
    if row and row.kind == '+' then group = 'AgentDiffAddSign' end
    parts[i] = ('%%#%s#%' .. gutter.width .. 's '):format(group, number or '')
  end
  parts[#parts + 1] = hunk and bars[hunk.state] or ' '
  return table.concat(parts)
end

return M
