-- Makes agent_diff available in this Neovim: the loaded one where its protocol fits, else the installed one, else the one
-- that the server carries. Returns { version, protocol, source }; a protocol that is not the server's means that the loaded
-- one has reviews open and stays.
local protocol, modules = ...
local version = tostring(vim.version())
if vim.fn.has('nvim-0.10') == 0 then return { version = version, protocol = 0, source = 'none' } end

local function unload()
  for name in pairs(package.loaded) do
    if name == 'agent_diff' or vim.startswith(name, 'agent_diff.') then package.loaded[name] = nil end
  end
end

local function answer(source)
  return { version = version, protocol = require('agent_diff').protocol, source = source }
end

local loaded = package.loaded['agent_diff']
if loaded then
  if loaded.protocol == protocol then return answer('loaded') end
  local queue = package.loaded['agent_diff.queue']
  if queue and #queue.list() > 0 then return answer('loaded') end
  unload()
end
for name in pairs(modules) do
  package.preload[name] = nil
end
local installed, found = pcall(require, 'agent_diff')
local source = 'installed'
if not installed or found.protocol ~= protocol then
  unload()
  source = 'injected'
  for name, text in pairs(modules) do
    package.preload[name] = assert(loadstring(text, '@agent-diff/' .. name .. '.lua'))
  end
end
require('agent_diff').start()
return answer(source)
