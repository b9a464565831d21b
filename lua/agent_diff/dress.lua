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
local bound_options = { wrap = false, scrollbind = true, cursorbind = true, foldenable = false }

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

--- Folds what is more than a preview of a file that is new or deleted as a whole.
---@param win integer
---@param view agent_diff.View
function M.fold(win, view)
  for _, hunk in ipairs(view.review.hunks) do
    local first, last = rows.folded(hunk)
    local row = view:row_of(hunk)
    if first then
      api.nvim_win_call(win, function() vim.cmd(('silent! %d,%dfold'):format(row + first, row + last)) end)
    end
  end
end

return M
