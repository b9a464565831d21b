--- Folders that are made for a new file, and taken away again with it.
local uv = vim.uv

local M = {}

--- What tells each folder that was made from another one at its place, by its path.
---@type table<string, string>
local made = {}

---@return string?
local function identity(folder)
  local stat = uv.fs_lstat(folder)
  if not stat or stat.type ~= 'directory' then return nil end
  return ('%s %s %s.%s'):format(stat.dev, stat.ino, stat.birthtime.sec, stat.birthtime.nsec)
end

--- Makes the folders that a file needs.
---@param path string of the file, absolute
function M.make(path)
  local folder, missing = vim.fs.dirname(path), {}
  while not uv.fs_stat(folder) do
    missing[#missing + 1] = folder
    folder = vim.fs.dirname(folder)
  end
  if #missing == 0 then return end
  local ok, err = pcall(vim.fn.mkdir, missing[1], 'p')
  for _, each in ipairs(missing) do
    made[each] = identity(each)
  end
  if not ok then error(err, 0) end
end

--- Removes the folders that were made for a file that is not there any more, as far as they are empty: what holds something
--- is not removed, nor what somebody else made, or works in.
---@param path string of the file, absolute
function M.drop(path)
  local folder = vim.fs.dirname(path)
  while made[folder] and made[folder] == identity(folder) do
    local works_in = vim.startswith(vim.fn.getcwd() .. '/', folder .. '/')
    if works_in or not uv.fs_rmdir(folder) then return end
    made[folder] = nil
    folder = vim.fs.dirname(folder)
  end
end

return M
