--- What the review's windows look like: which of their options are ours and which are the person's, and what is folded.
local api = vim.api
local rows = require('agent_diff.rows')

local M = {}

-- What the review needs of a window.
local review_options = {
  number = false,
  relativenumber = false,
  numberwidth = 1,
  signcolumn = 'no',
  foldcolumn = '0',
  foldmethod = 'manual',
  foldtext = "v:lua.require'agent_diff.dress'.foldtext()",
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

-- Side by side, the windows move as one.
local bound_options = { wrap = false, scrollbind = true, cursorbind = true }

--- Sets the options of a window.
---@param win integer
---@param bound boolean whether it is one of two that move as one
function M.window(win, bound)
  local wo = vim.wo[win][0]
  for name, value in pairs(review_options) do
    wo[name] = value
  end
  for _, name in ipairs(personal_options) do
    wo[name] = vim.go[name]
  end
  for name, value in pairs(bound and bound_options or {}) do
    wo[name] = value
  end
  wo.winfixbuf = true
end

--- What a fold of a file that is new or deleted as a whole says.
---@return string
function M.foldtext() return ('··· %d more lines, zo opens '):format(vim.v.foldend - vim.v.foldstart + 1) end

--- The lines of a buffer that are more than a preview of a file that is new or deleted as a whole.
---@param view agent_diff.View
---@param bufnr integer one that shows the review
---@return { [1]: integer, [2]: integer }[] first and last lines, counted from 1
function M.folds(view, bufnr)
  local found = {}
  for _, hunk in ipairs(view.review.hunks) do
    local first, last = rows.folded(hunk)
    local above = view:row_of(hunk) - 1
    if first then
      local from, to =
        view.shape:from_review(bufnr, above + first), view.shape:from_review(bufnr, above + last)
      found[#found + 1] = { from + 1, to + 1 }
    end
  end
  return found
end

--- Folds them.
---@param win integer
---@param view agent_diff.View
function M.fold(win, view)
  local folds = M.folds(view, api.nvim_win_get_buf(win))
  api.nvim_win_call(win, function()
    for _, fold in ipairs(folds) do
      vim.cmd(('silent! %d,%dfold'):format(fold[1], fold[2]))
    end
  end)
end

return M
