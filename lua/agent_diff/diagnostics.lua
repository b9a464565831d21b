--- What the editor reports after hunks were applied: the diagnostics that were not there before. Nothing is loaded for it
--- and nothing waited for where no language server is attached.
local api, uv = vim.api, vim.uv

local M = {}

-- A server often publishes more than once: it has done when it has been quiet for this long, in milliseconds.
local quiet_ms = 200
-- What is told of one file.
local most, longest = 20, 500

local severities = { 'error', 'warning', 'information', 'hint' }

local function current(bufnr)
  local diagnostic = package.loaded['vim.diagnostic']
  return diagnostic and diagnostic.get(bufnr) or {}
end

local function has_client(bufnr)
  local lsp = package.loaded['vim.lsp']
  return lsp ~= nil and api.nvim_buf_is_loaded(bufnr) and #lsp.get_clients({ bufnr = bufnr }) > 0
end

--- What makes two diagnostics the same one though lines have moved.
local function key(d) return ('%s\0%s\0%s'):format(d.severity, d.source or '', d.message) end

--- Remembers what is reported before anything of a file is applied.
---@param file agent_diff.File
function M.remember(file)
  local counts = {}
  for _, d in ipairs(current(file.source.bufnr)) do
    counts[key(d)] = (counts[key(d)] or 0) + 1
  end
  file.reported = counts
end

--- The diagnostics of a file that were not there before, the worst first.
local function new_ones(file)
  local known, found = vim.deepcopy(file.reported or {}), {}
  local all = current(file.source.bufnr)
  table.sort(all, function(a, b)
    if a.severity ~= b.severity then return a.severity < b.severity end
    return a.lnum < b.lnum
  end)
  for _, d in ipairs(all) do
    local left = known[key(d)] or 0
    if left > 0 then
      known[key(d)] = left - 1
    elseif #found < most then
      found[#found + 1] = {
        line = d.lnum + 1,
        severity = severities[d.severity] or 'error',
        source = (d.source or ''):sub(1, 100),
        message = d.message:sub(1, longest),
      }
    end
  end
  return found
end

--- The files in which something was applied, and a language server is attached.
local function awaited(files)
  return vim.tbl_filter(function(file)
    if not has_client(file.source.bufnr) then return false end
    return vim.iter(file.hunks):any(require('agent_diff.decision').in_source)
  end, files)
end

--- How long diagnostics will be waited for, in milliseconds; 0 when they are not.
---@param files agent_diff.File[]
---@return integer
function M.patience(files)
  local ms = require('agent_diff.config').get().diagnostics
  if not ms or ms == 0 or #awaited(files) == 0 then return 0 end
  return ms
end

--- Waits until every awaited file has been reported on and it has been quiet since, or for `ms`.
---@param files agent_diff.File[]
---@param ms integer
---@param done fun(found: table[]) called once, with a list for each of the files
function M.collect(files, ms, done)
  local waiting, over = {}, false
  for _, file in ipairs(awaited(files)) do
    waiting[file.source.bufnr] = true
  end
  local timer, limit = assert(uv.new_timer()), assert(uv.new_timer())
  local group = api.nvim_create_augroup('agent_diff.diagnostics.' .. tostring(limit), { clear = true })
  local function finish()
    if over then return end
    over = true
    timer:close()
    limit:close()
    api.nvim_del_augroup_by_id(group)
    local ok, found = pcall(vim.tbl_map, function(file) return new_ones(file) end, files)
    done(ok and found or {})
  end
  api.nvim_create_autocmd('DiagnosticChanged', {
    group = group,
    callback = function(event)
      waiting[event.buf] = nil
      if not next(waiting) then timer:start(quiet_ms, 0, vim.schedule_wrap(finish)) end
    end,
  })
  limit:start(ms, 0, vim.schedule_wrap(finish))
end

return M
