--- Takes back what a finished review did to a file as a whole: a file that was deleted is there again, a renamed one has its
--- old name. Nothing is written over.
local api, uv = vim.api, vim.uv
local disk = require('agent_diff.disk')
local folder = require('agent_diff.folder')
local whole = require('agent_diff.whole')

local M = {}

--- Lets the loaded buffer of a file know what the disk holds now.
local function tell_buffer(path)
  local bufnr = disk.find(path)
  if not bufnr or not api.nvim_buf_is_loaded(bufnr) then return end
  local watch = disk.watch(bufnr, path)
  watch:compare()
  watch:stop()
end

---@return string? err
local function write_new(path, bytes, mode)
  local fd, err = uv.fs_open(path, 'wx', mode)
  if not fd then return err end
  local at = 0
  while at < #bytes do
    local written, failed = uv.fs_write(fd, bytes:sub(at + 1), at)
    if not written then
      uv.fs_close(fd)
      uv.fs_unlink(path)
      return failed
    end
    at = at + written
  end
  uv.fs_fchmod(fd, mode) -- whatever umask says
  uv.fs_close(fd)
end

--- Takes back each kind.
---@type table<string, fun(path: string, was: table): string?>
local undo = {}

function undo.delete(path, was)
  if uv.fs_lstat(path) then return 'there is a file again' end
  local why = disk.led_astray(path)
  if why then return why end
  folder.make(path)
  local err = write_new(path, was.bytes, was.mode)
  if err then
    folder.drop(path)
    return err
  end
  tell_buffer(path)
end

function undo.create(path)
  local stat = uv.fs_lstat(path)
  if not stat then return nil end
  if stat.type ~= 'file' or stat.size > 0 then return 'the file is not empty any more' end
  local done, err = uv.fs_unlink(path)
  if not done then return err end
  folder.drop(path)
  tell_buffer(path)
end

function undo.rename(path, was)
  if uv.fs_lstat(was.from) then return ('%s exists again'):format(was.from) end
  local stat = uv.fs_lstat(path)
  if not stat or stat.type ~= 'file' then return 'the file is not there any more' end
  local why = disk.led_astray(was.from)
  if why then return why end
  local bufnr = disk.find(path)
  if bufnr and vim.bo[bufnr].modified then return 'the buffer has unsaved changes' end
  local err = whole.move(path, was.from)
  if not err then folder.drop(path) end
  if err or not bufnr or not api.nvim_buf_is_loaded(bufnr) then return err end
  local watch = disk.watch(bufnr, path)
  local loaded = { watch = watch, ours = { loaded = false, created = false } }
  local ok, failed =
    pcall(whole.rename_buffer, { source = { bufnr = bufnr }, loaded = loaded, to = was.from })
  watch:stop()
  if not ok then return 'its buffer has the other name: ' .. tostring(failed) end
end

function undo.modify(path, was)
  local why = disk.led_astray(path)
  if why then return why end
  local done, err = uv.fs_chmod(path, was.mode)
  if not done then return err end
end

--- Takes one thing back.
---@param path string of the file, as the review left it
---@param deed { kind: string, was: table }
---@return string? why it could not be done
function M.undo(path, deed)
  local ok, why = pcall(undo[deed.kind], path, deed.was)
  if not ok then return tostring(why) end
  return why
end

return M
