--- Files and their buffers: loading, and comparing with the disk; writing is in write.lua. No prompt of Neovim is ever
--- provoked.
local api, uv = vim.api, vim.uv
local encoding = require('agent_diff.encoding')

local M = {}

local BOM = '\239\187\191'

-- How often it is looked whether Neovim asks something, in milliseconds.
local prompt_ms = 10

--- Runs f with options set, and sets them back.
---@param options table<string, any> global options
function M.with_options(options, f)
  local saved = {}
  for name, value in pairs(options) do
    if vim.o[name] ~= value then
      saved[name] = vim.o[name]
      vim.o[name] = value
    end
  end
  local ok, result = pcall(f)
  for name, value in pairs(saved) do
    vim.o[name] = value
  end
  if not ok then error(result, 0) end
  return result
end

--- Runs f, which may make Neovim ask something that cannot be known before: whether to write over a file that was changed
--- after the person had already been told so, say. The answer is <Esc>, as a question blocks the editor and every agent.
---@return boolean asked
function M.unasked(f)
  local asked = false
  local timer = assert(uv.new_timer())
  timer:start(prompt_ms, prompt_ms, function()
    local mode = api.nvim_get_mode()
    if mode.blocking or mode.mode:find('^r') then
      asked = true
      api.nvim_input('<Esc>')
    end
  end)
  local ok, err = pcall(f)
  timer:stop()
  timer:close()
  if asked then vim.cmd.redraw() end -- no hit-enter prompt for what was asked
  if not ok then error(err, 0) end
  return asked
end

-- Buffers with such a 'buftype' have nothing of the file whose name they have.
local fileless = { nofile = true, prompt = true, quickfix = true, terminal = true }

--- The buffer that has the file, by its resolved path; compared as text, because bufnr() takes patterns.
---@param path string absolute, symbolic links resolved
---@return integer? bufnr
---@return string? buftype of another buffer that has its name
function M.find(path)
  local unresolved
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    local name = api.nvim_buf_get_name(bufnr)
    if name == path then
      local buftype = vim.bo[bufnr].buftype
      if fileless[buftype] then return nil, buftype end
      return bufnr
    end
    if name ~= '' and not unresolved and vim.bo[bufnr].buftype == '' and vim.fs.basename(name) ~= '' then
      if uv.fs_realpath(name) == path then unresolved = bufnr end
    end
  end
  return unresolved
end

--- Makes a buffer for a file that does not exist. One that is loaded from nothing would be asked about (W13) as soon as
--- the file is there, and would get whatever a person's templates put into new files, which the proposal does not expect.
local function create(path)
  local bufnr = api.nvim_create_buf(false, false)
  api.nvim_buf_set_name(bufnr, path)
  pcall(api.nvim_exec_autocmds, 'BufNewFile', { group = 'filetypedetect', buffer = bufnr, modeline = false })
  return bufnr
end

--- Loads the file into a buffer, or finds the buffer that has it.
---@param path string absolute, symbolic links resolved; the file need not exist
---@return integer bufnr
---@return { loaded: boolean, created: boolean } ours what we did to have it
function M.load(path)
  local bufnr, taken = M.find(path)
  if bufnr and api.nvim_buf_is_loaded(bufnr) then return bufnr, { loaded = false, created = false } end
  local ours = { loaded = true, created = bufnr == nil }
  local stat, err = uv.fs_stat(path)
  if stat and stat.type ~= 'file' then error(('%s is a %s'):format(path, stat.type), 0) end
  if stat and not uv.fs_access(path, 'R') then error(path .. ' cannot be read: permission denied', 0) end
  if not stat and not err:find('^ENOENT') then error(('%s cannot be read: %s'):format(path, err), 0) end
  if taken then
    error(('%s: a buffer in Neovim that is not the file (buftype %s) has its name'):format(path, taken), 0)
  end
  if not stat and not bufnr then return create(path), ours end
  bufnr = bufnr or vim.fn.bufadd(path)
  -- Without the A a swap file leaves a prompt that blocks the editor.
  M.with_options({ shortmess = vim.o.shortmess .. 'A' }, function()
    M.unasked(function() vim.fn.bufload(bufnr) end)
  end)
  return bufnr, ours
end

--- The swap file of another Neovim that edits the same file, or nil.
---@param bufnr integer
---@return string?
function M.foreign_swap(bufnr)
  local own = vim.fn.swapname(bufnr)
  local stem, last = own:match('^(.*%.sw)([a-p])$')
  if not stem then return nil end
  -- .swp is taken first, then .swo and so on backwards.
  for code = ('p'):byte(), last:byte() + 1, -1 do
    local other = stem .. string.char(code)
    if uv.fs_stat(other) then return other end
  end
end

--- The first character of the hunks' new lines that the buffer's encoding cannot hold.
---@param bufnr integer
---@param hunks table[] as the server sends them
---@return string?
function M.unencodable(bufnr, hunks)
  local fileencoding = vim.bo[bufnr].fileencoding
  if encoding.holds_all(fileencoding) then return nil end
  for _, hunk in ipairs(hunks) do
    for _, block in ipairs(hunk.blocks) do
      local char = #block.new > 0 and encoding.lost_char(table.concat(block.new, '\n'), fileencoding)
      if char then return char end
    end
  end
end

--- Whether the disk, read again, holds the buffer's text in its encoding.
---@param bufnr integer
---@param path string
---@return boolean
function M.holds(bufnr, path)
  local file = io.open(path, 'rb')
  if not file then return false end
  local bytes = file:read('*a')
  file:close()
  if not bytes then return false end
  local bo = vim.bo[bufnr]
  local text = require('agent_diff.text').text(bufnr)
  local ends = { dos = '\r\n', mac = '\r' }
  if ends[bo.fileformat] then text = text:gsub('\n', ends[bo.fileformat]) end
  if bo.bomb then text = BOM .. text end
  if not encoding.is_utf8(bo.fileencoding) then bytes = encoding.decode(bytes, bo.fileencoding) end
  return bytes == text
end

--- What a file's change shows in.
---@return string? nil when there is none
function M.stamp(path)
  local stat = uv.fs_stat(path)
  return stat and ('%d.%d %d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size)
end

--- What happens to the file behind a buffer while a review has it. Neovim's own questions about it are kept away.
---@class agent_diff.Watch
---@field bufnr integer
---@field path string
---@field missing boolean the file does not exist, as far as the buffer knows
---@field changed boolean the disk holds what the buffer does not know, and the buffer is not reloaded
---@field deleted boolean
---@field written boolean the buffer was written since the watch began
---@field on_gone fun(why: string)? the buffer's file is no more its file
---@field on_written fun()?
local Watch = {}
Watch.__index = Watch

---@param bufnr integer
---@param path string absolute, resolved
---@return agent_diff.Watch
function M.watch(bufnr, path)
  local self =
    setmetatable({ bufnr = bufnr, path = path, changed = false, deleted = false, written = false }, Watch)
  self.missing = uv.fs_stat(path) == nil
  self.group = api.nvim_create_augroup('agent_diff.disk.' .. bufnr, { clear = true })
  local function on(event, callback)
    api.nvim_create_autocmd(event, { group = self.group, buffer = bufnr, callback = callback })
  end
  -- A buffer-local autocommand for this event is what keeps Neovim from asking.
  on('FileChangedShell', function() vim.v.fcs_choice = self:disk_changed(vim.v.fcs_reason) end)
  on('BufReadPost', function() self:synced() end)
  on('BufWritePost', function(args)
    if args.match ~= self.path and uv.fs_realpath(args.match) ~= self.path then return end -- `:write OTHER`
    self.written = true
    self:synced()
    if self.on_written then self.on_written() end
  end)
  on('BufFilePost', function() self:gone('The buffer was given another name during the review.') end)
  return self
end

--- Stops watching.
function Watch:stop()
  if self.group then api.nvim_del_augroup_by_id(self.group) end
  self.group = nil
end

function Watch:gone(why)
  if not self.on_gone then return end
  vim.schedule(function()
    if self.group then self.on_gone(why) end
  end)
end

--- Buffer and disk were read or written.
function Watch:synced()
  self.changed, self.deleted = false, false
  self.stamp = M.stamp(self.path)
  self.missing = self.stamp == nil
end

--- What Neovim shall do about a change on the disk.
---@param reason string v:fcs_reason
---@return string choice v:fcs_choice
function Watch:disk_changed(reason)
  if reason == 'time' then
    self.stamp = M.stamp(self.path)
    return 'ask' -- nothing is asked: the time is only noted, which keeps `:write` from asking
  elseif reason == 'deleted' then
    -- Neovim tells it again whenever the buffer comes into a window.
    if not self.deleted then self:gone('The file was deleted during the review.') end
    self.deleted = true
  elseif reason == 'changed' and not vim.bo[self.bufnr].modified and not self.keep then
    return 'reload'
  elseif reason ~= 'mode' and (not self.stamp or self.stamp ~= M.stamp(self.path)) then
    self.changed = true
  end
  return ''
end

--- Whether the buffer is one for a file that did not exist when it was edited. For these `:checktime` asks without any
--- autocommand (W13); only the text of `:file` tells them.
local function is_new(bufnr)
  -- It fails in the command-line window, as `:checktime` does; then it is looked again before the file is written.
  local ok, said = pcall(api.nvim_buf_call, bufnr, function() return vim.fn.execute('file') end)
  return ok and said:find('" ' .. vim.fn.gettext('[New]'), 1, true) ~= nil
end

--- Reads the file again, its encoding and line ends too. Only for an unmodified buffer.
function Watch:reload()
  pcall(api.nvim_buf_call, self.bufnr, function()
    M.with_options({ confirm = false }, function()
      M.unasked(function() vim.cmd.edit({ mods = { silent = true, keepalt = true, keepjumps = true } }) end)
    end)
  end)
end

--- `:checktime` for this buffer.
function Watch:checktime()
  local bo = vim.bo[self.bufnr]
  local autoread = self.keep and bo.autoread
  if autoread then bo.autoread = false end
  M.with_options({ eventignore = '' }, function()
    M.unasked(
      function()
        pcall(
          vim.cmd.checktime,
          { args = { tostring(self.bufnr) }, mods = { silent = true, emsg_silent = true } }
        )
      end
    )
  end)
  if autoread then
    api.nvim_buf_call(
      self.bufnr,
      function() vim.cmd(vim.go.autoread and 'setlocal autoread<' or 'setlocal autoread') end
    )
  end
end

--- Asks Neovim itself whether the disk has changed since the buffer was read or written.
---@param keep boolean? leave an unmodified buffer as it is; else it is reloaded
function Watch:compare(keep)
  self.keep = keep
  local stat = uv.fs_stat(self.path)
  if stat and stat.type ~= 'file' then
    self.changed = true -- Neovim would read a pipe, and wait until somebody writes into it
  elseif not is_new(self.bufnr) then
    self:checktime()
  elseif stat then
    if keep or vim.bo[self.bufnr].modified then
      self.changed = true
    else
      self:reload()
    end
  end
  self.keep = false
  -- What is the same now stays the same as long as only the file's mode changes.
  if not self.changed and not self.deleted then self.stamp = M.stamp(self.path) end
end

--- Whether buffer and disk hold the same.
function Watch:in_step()
  if self.changed or self.deleted then return false end
  if self.missing then return #require('agent_diff.text').lines(self.bufnr) == 0 end
  return M.holds(self.bufnr, self.path)
end

--- Where the path leads now, when that is another place than it was.
---@param path string absolute, resolved
---@return string?
function M.led_astray(path)
  local there = path
  while not uv.fs_lstat(there) do
    there = vim.fs.dirname(there)
  end
  if uv.fs_realpath(there) ~= there then return 'the path leads to another place now' end
  local stat = uv.fs_stat(path)
  if stat and stat.type ~= 'file' then return ('the path leads to a %s now'):format(stat.type) end
end

--- Where a name leads when symbolic links are followed; its last parts need not exist. Nil when a link leads to nothing.
local function resolved(name)
  local rest, real = '', uv.fs_realpath(name)
  while not real do
    if uv.fs_lstat(name) then return nil end
    rest = '/' .. vim.fs.basename(name) .. rest
    name = vim.fs.dirname(name)
    real = uv.fs_realpath(name)
  end
  return (real == '/' and '' or real) .. rest
end

--- Why the buffer must not be written, or nil.
---@return string?
function Watch:obstacle()
  local bo = vim.bo[self.bufnr]
  local why = M.led_astray(self.path)
  if why then return why end
  -- A person may have opened the file through a link, and that is then what is written to.
  local name = api.nvim_buf_get_name(self.bufnr)
  if name ~= self.path and resolved(name) ~= self.path then return 'the path leads to another place now' end
  if self.missing and uv.fs_stat(self.path) then
    return 'the file was created on disk by another program during the review'
  end
  self:compare(true)
  if self.deleted then return 'the file was deleted on disk' end
  if self.changed then return 'the file was changed on disk by another program' end
  local swap = M.foreign_swap(self.bufnr)
  if swap then return ('another program edits the file (swap file %s)'):format(swap) end
  if bo.readonly then return 'the buffer is read-only' end
  if encoding.holds_all(bo.fileencoding) then return nil end
  local char = encoding.lost_char(require('agent_diff.text').text(self.bufnr), bo.fileencoding)
  if char then return ('the encoding %s cannot hold the character "%s"'):format(bo.fileencoding, char) end
end

return M
