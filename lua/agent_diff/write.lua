--- Writes a buffer under review to its own file, and makes sure of it. Nothing is written with a bang.
local api, uv = vim.api, vim.uv
local disk = require('agent_diff.disk')
local folder = require('agent_diff.folder')
local notice = require('agent_diff.notice')

local M = {}

-- What Neovim puts before an error on its way through autocommands and our modules.
local ways = {
  'agent%-diff/agent_diff[%w_./]*%.lua:%d+: ',
  'Vim%(%a+%):',
  'Error executing lua: ',
  'Error executing lua callback: ',
  'Lua: ',
  'Lua callback: ',
}

--- An error in the words of the one who made it.
local function describe(err)
  err = tostring(err):gsub('%s*stack traceback:.*$', '')
  for _, way in ipairs(ways) do
    err = err:gsub(way, '')
  end
  err = err:gsub('^.-(E%d+:)', '%1')
  return (vim.trim(err):gsub('%s*\n%s*', ' '))
end

--- Whether there is room for the buffer's text and a backup: Neovim leaves a torn file behind when there is none.
---@param watch agent_diff.Watch
local function has_room(watch)
  local there = watch.path
  while not uv.fs_stat(there) do
    there = vim.fs.dirname(there)
  end
  local space, file = uv.fs_statfs(there), uv.fs_stat(watch.path)
  if not space or space.blocks == 0 then return true end -- it does not say
  local lines = api.nvim_buf_line_count(watch.bufnr)
  local need = api.nvim_buf_get_offset(watch.bufnr, lines) + (file and file.size or 0)
  return space.bavail * space.bsize >= need
end

--- `:write`, after a last look at where that leads: after all that others do before a write.
---@param watch agent_diff.Watch
---@return boolean ok
---@return any result whether Neovim asked something, or the error
local function write(watch)
  local guard = api.nvim_create_autocmd('BufWritePre', {
    buffer = watch.bufnr,
    callback = function()
      local astray = disk.led_astray(watch.path)
      if astray then error(astray, 0) end
    end,
  })
  local bo = vim.bo[watch.bufnr]
  -- With 'fixeol' writing adds the final newline that the file does not have.
  local fixeol = bo.fixeol
  if not bo.eol then bo.fixeol = false end
  local ok, result = pcall(function()
    folder.make(watch.path)
    return disk.with_options({ confirm = false }, function()
      return disk.unasked(function()
        api.nvim_buf_call(
          watch.bufnr,
          function() vim.cmd.write({ mods = { silent = true, keepalt = true, lockmarks = true } }) end
        )
      end)
    end)
  end)
  api.nvim_del_autocmd(guard)
  bo.fixeol = fixeol
  return ok, result
end

--- Writes the buffer to its own file.
---@param watch agent_diff.Watch
---@return string? why it was not written
function M.write(watch)
  local why = watch:obstacle()
  if why then return why end
  if not has_room(watch) then return 'the disk is full' end
  local before = disk.stamp(watch.path)
  local ok, result = write(watch)
  local modified = vim.bo[watch.bufnr].modified
  -- Who is fast enough can have put a link in the way after the last look.
  why = disk.led_astray(watch.path)
  if why then return why .. '; what was written may be there' end
  if ok and not modified then return nil end
  local touched = disk.stamp(watch.path) ~= before
  local holds = touched and disk.holds(watch.bufnr, watch.path)
  if not ok and holds and not modified then
    -- What others do after a write does not undo it.
    notice.say(describe(result), vim.log.levels.ERROR)
    return nil
  end
  folder.drop(watch.path)
  if not ok then
    local torn = touched and not holds
    return describe(result) .. (torn and '; the file on disk is not complete now, the buffer is' or '')
  end
  return result and 'the file was changed on disk, and Neovim asked whether to write all the same'
    or 'writing left the buffer modified'
end

return M
