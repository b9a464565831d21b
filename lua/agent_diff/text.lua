--- The text of a buffer: what of it is text and what is Neovim's way to show it.
local api = vim.api

local M = {}

--- Whether the buffer holds no line at all. Its one visible line is then a phantom, which an empty file and a file of one
--- newline share; wordcount() tells them apart. (line2byte() does so only until the buffer has once had a line.)
local function is_void(bufnr)
  if api.nvim_buf_line_count(bufnr) > 1 or api.nvim_buf_get_lines(bufnr, 0, 1, false)[1] ~= '' then
    return false
  end
  return api.nvim_buf_call(bufnr, function()
    -- Where a write would not end it by a newline, an empty line has no byte either.
    local nofixeol = not vim.bo.fixeol
    if nofixeol then vim.cmd('noautocmd setlocal fixeol') end
    local void = vim.fn.wordcount().bytes == 0
    if nofixeol then vim.cmd('noautocmd setlocal nofixeol') end
    return void
  end)
end

--- How many lines there are; 0 in an empty file.
---@return integer
function M.count(bufnr) return is_void(bufnr) and 0 or api.nvim_buf_line_count(bufnr) end

--- The buffer's lines; none for an empty file.
---@return string[]
function M.lines(bufnr)
  if M.count(bufnr) == 0 then return {} end
  return api.nvim_buf_get_lines(bufnr, 0, -1, false)
end

--- The buffer's text as Go knows it: lines ended by a newline, the last one as 'eol' says. A NUL is a NUL.
---@return string
function M.text(bufnr)
  local lines = M.lines(bufnr)
  if #lines == 0 then return '' end
  if vim.bo[bufnr].eol then lines[#lines + 1] = '' end
  return table.concat(lines, '\n')
end

--- The buffer's text as a write puts it into the file: with 'fixeol' it ends in a newline.
---@return string
function M.written(bufnr)
  local text = M.text(bufnr)
  local bo = vim.bo[bufnr]
  if text ~= '' and not bo.eol and bo.fixeol and not bo.binary then text = text .. '\n' end
  return text
end

--- Whether two lists of lines are the same.
---@param a string[]
---@param b string[]
function M.same(a, b)
  if #a ~= #b then return false end
  for i = 1, #a do
    if a[i] ~= b[i] then return false end
  end
  return true
end

return M
