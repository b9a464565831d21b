--- What happens to a file as a whole: it is created empty, deleted, renamed, or gets another mode. Such a hunk has no lines
--- in the buffer. Accepting it is only noted, so that it can be taken back; it is done when the review ends.
local api, uv = vim.api, vim.uv
local config = require('agent_diff.config')
local disk = require('agent_diff.disk')
local folder = require('agent_diff.folder')
local text = require('agent_diff.text')

local M = {}

---@class agent_diff.Whole
---@field kind 'create'|'delete'|'rename'|'modify' modify: its mode
---@field program boolean the new mode is a program's
---@field noted boolean? it was accepted
---@field why string? why it cannot be done, when it was last looked at
---@field never string? why it never can
---@field was table? what taking it back needs, once it is done; see restore.lua

--- Whether a hunk is nothing but a change of the file as a whole.
---@param hunk agent_diff.Hunk
---@return boolean
function M.is(hunk) return hunk.whole ~= nil and #hunk.blocks == 0 end

--- What the reviewed text of a file is known by.
local function print_of(bufnr) return vim.fn.sha256(text.text(bufnr)) end

--- Makes a hunk of a new review ready.
---@param hunk agent_diff.Hunk
function M.prepare(hunk)
  local whole, file = hunk.whole, hunk.file
  if not whole or whole.kind ~= 'delete' then return end
  file.print = print_of(file.source.bufnr)
  if hunk.state == 'conflict' then whole.never = hunk.reason end
end

--- Why each kind cannot be done now; nil when it can.
---@type table<string, fun(file: agent_diff.File): string?>
local obstacles = {}

function obstacles.create(file)
  if #text.lines(file.source.bufnr) > 0 then return 'the buffer of the file is not empty' end
  return file.loaded.watch:obstacle()
end

function obstacles.delete(file)
  local bufnr, watch = file.source.bufnr, file.loaded.watch
  if print_of(bufnr) ~= file.print then return 'the file does not hold the text that was proposed to go' end
  if vim.bo[bufnr].modified and not watch:in_step() then return 'the buffer has unsaved changes' end
  local why = watch:obstacle()
  if why then return why end
  if not watch:in_step() then return 'the file on disk does not hold what the buffer does' end
end

function obstacles.rename(file)
  local why = file.loaded.watch:obstacle() or disk.led_astray(file.to)
  if why then return why end
  if file.loaded.unsaved and vim.bo[file.source.bufnr].modified then
    return 'the buffer has unsaved changes'
  end
  if uv.fs_lstat(file.to) then return ('%s exists already'):format(file.to_name) end
  local other = disk.find(file.to)
  if other and api.nvim_buf_is_loaded(other) then return ('a buffer for %s is open'):format(file.to_name) end
end

function obstacles.modify(file) return disk.led_astray(file.path) end

---@return string?
local function obstacle(hunk)
  local file, whole = hunk.file, hunk.whole
  if whole.never or not file.loaded.watch then return whole.never end -- nothing is done to the file of a text alone
  if config.get().save == 'never' then return "the option save is 'never'" end
  if file.loaded.no_write then return file.loaded.no_write end
  if whole.kind ~= 'create' and not uv.fs_stat(file.path) then return 'the file does not exist' end
  return obstacles[whole.kind](file)
end

--- Whether it is done, as far as a person has decided: 'new' when it was accepted, 'old' when it can be, else 'neither'.
---@param hunk agent_diff.Hunk
---@return 'old'|'new'|'neither'
function M.fit(hunk)
  if hunk.whole.noted then return 'new' end
  hunk.whole.why = obstacle(hunk)
  return hunk.whole.why and 'neither' or 'old'
end

---@param hunk agent_diff.Hunk
---@param side 'old'|'new'
function M.note(hunk, side) hunk.whole.noted = side == 'new' end

--- Moves a file; never onto another one.
---@return string? err
function M.move(from, to)
  folder.make(to)
  local done, err, code = uv.fs_link(from, to)
  if done then
    done, err = uv.fs_unlink(from)
    if not done then uv.fs_unlink(to) end
  elseif code ~= 'EEXIST' and code ~= 'EXDEV' and not uv.fs_lstat(to) then
    done, err = uv.fs_rename(from, to) -- a file system without links
  end
  if done then return nil end
  folder.drop(to)
  return tostring(err)
end

--- Gives the buffer of a renamed file its new name, and makes it one that was read from there: else `:w` would ask.
---@param file { source: { bufnr: integer }, loaded: table, to: string }
function M.rename_buffer(file)
  local bufnr, watch = file.source.bufnr, file.loaded.watch
  if file.loaded.ours.created and #vim.fn.win_findbuf(bufnr) == 0 then return end -- it goes when it is given back
  watch:stop()
  watch.path = file.to
  local other = disk.find(file.to)
  if other and other ~= bufnr then api.nvim_buf_delete(other, { force = true }) end
  local before = {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    before[buf] = true
  end
  local function name(as)
    local command = {
      cmd = 'file',
      args = { as },
      magic = { file = false, bar = false },
      mods = { keepalt = true, silent = true },
    }
    api.nvim_buf_call(bufnr, function() api.nvim_cmd(command, {}) end)
  end
  -- Neovim shows a name as it was given: a short one where it means the same.
  name(vim.fn.fnamemodify(file.to, ':.'))
  if api.nvim_buf_get_name(bufnr) ~= file.to then name(file.to) end
  -- Neovim keeps the old name in a buffer of its own.
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if not before[buf] then pcall(api.nvim_buf_delete, buf, { force = true }) end
  end
  watch:reload()
end

--- Sees to the buffer of a deleted file. It holds nothing that was not shown to be deleted.
local function forget_buffer(file, notes)
  local bufnr, loaded = file.source.bufnr, file.loaded
  loaded.watch:compare(true) -- Neovim knows it then, and says nothing about it later
  if loaded.ours.loaded then loaded.ours.created = true end -- it goes when it is given back
  if #vim.fn.win_findbuf(bufnr) > 0 then
    notes[#notes + 1] = 'Its buffer is still open in Neovim: writing it would create the file again.'
  elseif not loaded.ours.loaded and pcall(api.nvim_buf_delete, bufnr, {}) then
    notes[#notes + 1] = 'Its buffer in Neovim was closed.'
  end
end

---@return string? err
local function change_mode(file, program)
  local path = file.path
  local stat, err = uv.fs_stat(path)
  if not stat then return err end
  local mode = stat.mode % 4096
  local x = tonumber('111', 8)
  -- Who may read a program may run it, as Git has it.
  local readers = math.floor(bit.band(mode, tonumber('444', 8)) / 4)
  mode = program and bit.bor(mode, readers) or bit.band(mode, bit.bnot(x))
  local done, why = uv.fs_chmod(path, mode)
  if not done then return tostring(why) end
  file.loaded.watch:compare(true) -- Neovim knows it then, and says nothing about it later
end

--- Does each kind.
---@type table<string, fun(file: agent_diff.File, hunk: agent_diff.Hunk, report: table): string?>
local deeds = {}

function deeds.create(_, hunk, report)
  if not report.saved then return report.unsaved end
  hunk.whole.was = {}
end

---@return { bytes: string, mode: integer }? nil when it cannot be read
local function all_of(path)
  local stat, file = uv.fs_stat(path), io.open(path, 'rb')
  local bytes = file and file:read('*a')
  if file then file:close() end
  return stat and bytes and { bytes = bytes, mode = stat.mode % 4096 } or nil
end

function deeds.delete(file, hunk, report)
  hunk.whole.was = all_of(file.path)
  local done, err = uv.fs_unlink(file.path)
  if not done then return tostring(err) end
  forget_buffer(file, report.notes)
end

function deeds.rename(file, hunk, report)
  if vim.bo[file.source.bufnr].modified then
    return report.unsaved ~= '' and report.unsaved or 'the buffer has unsaved changes'
  end
  local from = file.path
  local err = M.move(from, file.to)
  if err then return err end
  hunk.whole.was = { from = from }
  file.path = file.to
  local ok, why = pcall(M.rename_buffer, file)
  if not ok then
    report.notes[#report.notes + 1] = 'Its buffer in Neovim has the old name: ' .. tostring(why)
  end
end

function deeds.modify(file, hunk)
  local stat = uv.fs_stat(file.path)
  hunk.whole.was = stat and { mode = stat.mode % 4096 }
  return change_mode(file, hunk.whole.program)
end

--- Does what was accepted, at the end of a review. What cannot be done is a conflict then, and the report says why.
---@param file agent_diff.File
---@param report table see file.report()
function M.perform(file, report)
  for i, hunk in ipairs(file.hunks) do
    local whole = hunk.whole
    if whole and hunk.state == 'applied' then
      local why
      if #hunk.blocks > 0 then
        if whole.program and report.saved then why = change_mode(file, true) end
        if why then report.notes[#report.notes + 1] = 'The mode could not be set: ' .. why end
        why = nil
      else
        local ok, result = pcall(
          function()
            return (whole.kind ~= 'create' and obstacle(hunk)) or deeds[whole.kind](file, hunk, report)
          end
        )
        why = not ok and tostring(result) or result
      end
      if why then
        hunk.state, hunk.reason, whole.noted = 'conflict', why, false
        local told = report.hunks[i]
        told.state, told.reason, told.tried, told.barred = 'conflict', why, true, why
      end
    end
  end
end

--- Takes back what was only noted, where nothing is done any more.
---@param hunks agent_diff.Hunk[]
function M.drop(hunks)
  for _, hunk in ipairs(hunks) do
    if M.is(hunk) and hunk.state == 'applied' then
      hunk.state, hunk.whole.noted = hunk.before, false
    end
  end
end

return M
