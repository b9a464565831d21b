--- How the review buffer itself looks: the head, and below it the diff in one column.
local M = {}

local groups = {
  ['+'] = 'AgentDiffAdd',
  ['-'] = 'AgentDiffDelete',
  ['@'] = 'AgentDiffHunk',
  ['\\'] = 'AgentDiffHead',
  d = 'AgentDiffFile',
}

--- The hunk that a row of the review buffer belongs to, and which of its rows it is.
---@param view agent_diff.View
---@param row integer
---@return agent_diff.Hunk?
---@return integer? index
function M.place(view, row)
  local hunk = row >= view.diff_row and view:hunk_at(row) or nil
  if hunk then return hunk, row - view:row_of(hunk) + 1 end
end

--- Starts to colour and to number the review buffer.
---@param view agent_diff.View
function M.attach(view)
  require('agent_diff.gutter').attach(view.bufnr, {
    width = M.number_width(view.review.hunks),
    sides = { 'old', 'new' },
    at = function(row)
      local hunk, index = M.place(view, row)
      if hunk then return hunk, view.colours:rows_of(hunk)[index] end
    end,
  })
  require('agent_diff.highlight').attach(M.face(view))
end

---@param view agent_diff.View
function M.detach(view)
  require('agent_diff.gutter').detach(view.bufnr)
  require('agent_diff.highlight').detach(view.bufnr)
end

--- How the review is shown, see View:arrange().
---@class agent_diff.Shape
---@field name 'unified'|'split'|'inline'
---@field bufs integer[] the buffers whose windows are the review's, the first one has the bar
---@field to_review fun(self, bufnr: integer, row: integer): integer the row of the review buffer that stands there
---@field from_review fun(self, bufnr: integer, row: integer): integer the row where that of the review buffer stands
---@field rows_at fun(self, bufnr: integer, row: integer): table<any, integer> all rows of the review buffer that stand there
---@field headless boolean? the head's lines are not shown: what they say of the queue stands in the bar
---@field draw fun(self) draws everything anew
---@field draw_place fun(self) shows the review's place in the queue, the agent and how long it waits
---@field update fun(self, hunks: agent_diff.Hunk[]) shows new states
---@field drop fun(self)

--- The shape of the review buffer: the view draws it anyway.
---@param view agent_diff.View
---@return agent_diff.Shape
function M.new(view)
  local function same(_, _, row) return row end
  local function nothing() end
  return {
    name = 'unified',
    bufs = { view.bufnr },
    to_review = same,
    from_review = same,
    rows_at = function(_, _, row) return { row } end,
    draw = nothing,
    draw_place = nothing,
    update = nothing,
    drop = nothing,
  }
end

--- How many digits the largest line number has.
---@param hunks agent_diff.Hunk[]
---@return integer
function M.number_width(hunks)
  local most = 0
  for _, hunk in ipairs(hunks) do
    for start, count in hunk.header:gmatch('[-+](%d+),?(%d*)') do
      most = math.max(most, tonumber(start) + (tonumber(count) or 1))
    end
  end
  return #tostring(most)
end

--- How the review buffer is coloured.
---@param view agent_diff.View
---@return agent_diff.Face
function M.face(view)
  local function at(row) return M.place(view, row) end
  return {
    bufnr = view.bufnr,
    colours = view.colours,
    col = 1,
    at = at,
    group = function(row)
      if row == 0 then return 'AgentDiffTitle' end
      if row < view.diff_row then return 'AgentDiffHead' end
      local hunk, index = at(row)
      if not hunk then return 'AgentDiffFile' end
      local its = view.colours:rows_of(hunk)[index]
      return its and groups[its.kind]
    end,
    has_cr = function(row)
      local hunk = at(row)
      return hunk ~= nil and hunk.file.crlf
    end,
  }
end

return M
