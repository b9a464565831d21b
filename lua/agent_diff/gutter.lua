--- The column beside the lines of a hunk: the line numbers of both sides, and a bar in the colour of the hunk's state.
local api = vim.api
local config = require('agent_diff.config')

local M = {}

-- Below this many columns of a window only the bar is shown.
local least_columns = 50

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
---@field room (fun(win: integer): integer)? how many columns there are for it and the text, where not those of the window

---@type table<integer, agent_diff.Gutter>
local gutters = {}

--- The value of 'statuscolumn' for windows that show a review.
M.option = "%!v:lua.require'agent_diff.gutter'.draw()"

---@param bufnr integer
---@param gutter agent_diff.Gutter
function M.attach(bufnr, gutter)
  gutter.numbers = config.get().line_numbers
  gutter.format = ('%%%ds '):format(gutter.width)
  gutter.blank = (' '):rep((gutter.width + 1) * #gutter.sides)
  gutters[bufnr] = gutter
end

---@param bufnr integer
function M.detach(bufnr) gutters[bufnr] = nil end

local number_groups = { ['-'] = 'AgentDiffDeleteSign', ['+'] = 'AgentDiffAddSign' }

--- The gutter of the line that is being drawn.
---@return string in the language of 'statuscolumn'
function M.draw()
  local win = vim.g.statusline_winid
  local gutter = gutters[api.nvim_win_get_buf(win)]
  if not gutter then return '' end
  local hunk, row = gutter.at(vim.v.lnum - 1)
  local bar = hunk and bars[hunk.state] or ' '
  local room = gutter.room or api.nvim_win_get_width
  if not gutter.numbers or room(win) < least_columns then return bar end
  if not row or vim.v.virtnum ~= 0 then return gutter.blank .. bar end
  local parts = { '%#', number_groups[row.kind] or 'AgentDiffLineNr', '#' }
  for _, side in ipairs(gutter.sides) do
    parts[#parts + 1] = gutter.format:format(row[side] or '')
  end
  parts[#parts + 1] = bar
  return table.concat(parts)
end

return M
