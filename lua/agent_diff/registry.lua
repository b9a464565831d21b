--- Tells programs that know nothing but the home folder where this Neovim listens. An agent may pass on neither
--- $XDG_RUNTIME_DIR nor $TMPDIR nor $NVIM: one file for each Neovim, PID.json, says its address and its working folder.
local api, uv = vim.api, vim.uv

local M = {}

--- The folder of what this program keeps. It follows from $HOME alone, also where $XDG_STATE_HOME says otherwise: who reads
--- it may know no other variable.
---@return string?
function M.state()
  local home = vim.env.HOME
  if not home or home == '' then return nil end
  return home .. '/.local/state/nvim-agent-diff'
end

--- The folder of the registry.
---@return string?
function M.dir()
  local state = M.state()
  return state and state .. '/instances'
end

local function entry_path(dir) return ('%s/%d.json'):format(dir, uv.os_getpid()) end

local function socket_path(dir, pid) return ('%s/nvim.%d.0'):format(dir, pid) end

local function read(path)
  local file = io.open(path, 'r')
  if not file then return nil end
  local text = file:read('*a')
  file:close()
  local ok, entry = pcall(vim.json.decode, text)
  return ok and type(entry) == 'table' and entry or nil
end

--- Removes what Neovims have left that were killed on this machine. Others may share the home folder.
local function clean(dir)
  for name in vim.fs.dir(dir) do
    local pid = tonumber(name:match('^(%d+)%.json$'))
    if pid and uv.kill(pid, 0) ~= 0 then
      local entry = read(dir .. '/' .. name)
      if entry and entry.host == uv.os_gethostname() then
        os.remove(dir .. '/' .. name)
        os.remove(socket_path(dir, pid)) -- Neovim does this itself, unless it is killed
      end
    end
  end
end

--- The address of this Neovim. Where it has none, because its runtime folder does not exist, it is given one.
local function address(dir)
  if vim.v.servername ~= '' then return vim.v.servername end
  local ok, addr = pcall(vim.fn.serverstart, socket_path(dir, uv.os_getpid()))
  return ok and addr or ''
end

--- Writes the file of this Neovim, in one step. What cannot be written is left alone: the scan of the sockets remains.
function M.write()
  local dir = M.dir()
  if not dir then return end
  if not pcall(vim.fn.mkdir, dir, 'p', 448) then return end -- 0700
  local addr = address(dir)
  if addr == '' then return end
  local entry = vim.json.encode({
    addr = addr,
    pid = uv.os_getpid(),
    cwd = vim.fn.getcwd(),
    host = uv.os_gethostname(),
    protocol = require('agent_diff').protocol,
  })
  local temp = entry_path(dir) .. '.new'
  local fd = uv.fs_open(temp, 'w', 384) -- 0600
  if not fd then return end
  local written = uv.fs_write(fd, entry) == #entry
  uv.fs_close(fd)
  if not written or not uv.fs_rename(temp, entry_path(dir)) then os.remove(temp) end
end

--- Removes the file of this Neovim.
function M.remove()
  local dir = M.dir()
  if dir then os.remove(entry_path(dir)) end
end

--- Keeps the registry: from now, or from VimEnter, until Neovim is left.
function M.start()
  local group = api.nvim_create_augroup('agent_diff.registry', { clear = true })
  local function begin()
    M.write()
    local dir = M.dir()
    if dir then pcall(clean, dir) end
    api.nvim_create_autocmd('DirChanged', { group = group, callback = M.write })
    api.nvim_create_autocmd('VimLeave', { group = group, callback = M.remove })
  end
  if vim.v.vim_did_enter == 1 then
    begin()
  else
    api.nvim_create_autocmd('VimEnter', { group = group, once = true, callback = begin })
  end
end

return M
