--- Folders that are made for a new file.
local uv = vim.uv

local M = {}

--- Makes the folders that a file needs.
---@param path string of the file, absolute
---@return fun() undo removes those that were made, as far as they are empty: what holds something is not removed
function M.make(path)
  local folder, first = vim.fs.dirname(path), nil
  local missing = folder
  while not uv.fs_stat(missing) do
    first = missing
    missing = vim.fs.dirname(missing)
  end
  if first then vim.fn.mkdir(folder, 'p') end
  return function()
    local made = first and folder
    while made and uv.fs_rmdir(made) and made ~= first do
      made = vim.fs.dirname(made)
    end
  end
end

return M
