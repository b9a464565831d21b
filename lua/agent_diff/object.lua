--- The hunk under the cursor as a text object of the review buffer.
local M = {}

--- Selects lines of the current window that show rows of the review buffer.
local function select(view, from, to)
  local bufnr = vim.api.nvim_get_current_buf()
  from, to = view.shape:from_review(bufnr, from), view.shape:from_review(bufnr, to)
  if vim.fn.mode() ~= 'n' then vim.cmd.normal({ '\27', bang = true }) end
  vim.cmd.normal({ ('%dGV%dG'):format(from + 1, to + 1), bang = true })
end

--- The lines of the hunk, with its `@@` line.
---@param view agent_diff.View
function M.around(view)
  local hunk = view:nearest_hunk()
  if hunk then select(view, view:row_of(hunk), view:row_of(hunk) + hunk.lines - 1) end
end

--- The lines of the hunk, without its `@@` line; in the file itself there is none.
---@param view agent_diff.View
function M.inner(view)
  if view.shape.name == 'inline' then return M.around(view) end
  local hunk = view:nearest_hunk()
  if not hunk then return end
  local first, last = view:row_of(hunk), view:row_of(hunk) + hunk.lines - 1
  select(view, hunk.inner and first or math.min(first + 1, last), last)
end

return M
