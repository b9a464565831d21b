-- Says at once all that is needed to choose between Neovims. It runs in any Neovim, also in ones that have none of our
-- modules, or are too old for them.
local file = ... -- absolute, symbolic links resolved; '' when there is none
local api, fn, uv = vim.api, vim.fn, vim.uv or vim.loop

-- vim.version() converts the description of the whole API, which takes longer than all the rest.
local function has(version) return fn.has('nvim-' .. version) == 1 end
local version = '0'
for _ = 1, 2 do -- the newest minor version of it, then the newest patch of that
  local newest = 0
  while newest < 99 and has(version .. '.' .. newest + 1) do
    newest = newest + 1
  end
  version = version .. '.' .. newest
end
local answer = { version = version, pid = fn.getpid(), old = not has('0.10') }
if answer.old then return answer end

answer.uis = #api.nvim_list_uis()

-- The working folders: the global one, and those of tabs and windows that have their own.
local dirs, seen = {}, {}
local function add(dir)
  if dir ~= '' and not seen[dir] then
    seen[dir] = true
    table.insert(dirs, dir)
  end
end
add(fn.getcwd(-1, -1))
for tab = 1, fn.tabpagenr('$') do
  if fn.haslocaldir(-1, tab) == 1 then add(fn.getcwd(-1, tab)) end
  for win = 1, fn.tabpagewinnr(tab, '$') do
    if fn.haslocaldir(win, tab) == 1 then add(fn.getcwd(win, tab)) end
  end
end
answer.dirs = dirs

-- 'lastused' of the current buffer is when Neovim last began to wait for a key, and after this answer it begins anew. So
-- the next question, whoever asks it, must know of this one: a time that is not later is the time before it.
local memory = package.loaded['nvim-agent-diff.lastused'] or { asked = -1 }
local lastused = fn.getbufinfo(api.nvim_get_current_buf())[1].lastused
answer.lastused = lastused <= memory.asked + 1 and memory.lastused or lastused
package.loaded['nvim-agent-diff.lastused'] = { asked = os.time(), lastused = answer.lastused }

-- Neovim resolves the folders of a name by itself, but not a last part that is a link.
local base = vim.fs.basename(file)
local function is_file(name)
  if name == file then return true end
  local stat = name ~= '' and uv.fs_lstat(name)
  if not stat or stat.type ~= 'link' and vim.fs.basename(name) ~= base then return false end
  return uv.fs_realpath(name) == file
end

answer.loaded = false
for _, bufnr in ipairs(file == '' and {} or api.nvim_list_bufs()) do
  if
    api.nvim_buf_is_loaded(bufnr)
    and vim.bo[bufnr].buftype == ''
    and is_file(api.nvim_buf_get_name(bufnr))
  then
    answer.loaded = true
    break
  end
end
return answer
