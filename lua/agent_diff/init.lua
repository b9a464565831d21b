--- The public side of agent_diff: review in Neovim what an AI agent wants to write.
local M = {}

--- The number of the language that this code and a server speak. It changes with every change of a call, an event or the
--- queue, because servers of different versions can meet in one Neovim.
M.protocol = 1

--- Configures the plugin; not needed for the defaults. See |agent-diff-options|.
---@param options table?
function M.setup(options) require('agent_diff.config').set(options) end

--- The open reviews, the shown one first, then those that wait, in order.
---@return table[] each the dictionary of b:agent_diff, with `bufnr` (-1 while it has no buffer)
function M.reviews()
  local list = {}
  for i, review in ipairs(require('agent_diff.queue').list()) do
    list[i] = review:describe()
    list[i].bufnr = review.view and review.view.bufnr or -1
  end
  return list
end

--- A short text for a statusline, empty when there is nothing to review.
---@return string
function M.statusline()
  -- A statusline is drawn often: do not load anything for it.
  local queue = package.loaded['agent_diff.queue']
  local reviews = queue and queue.list() or {}
  if #reviews == 0 then return '' end
  local pending = 0
  for _, review in ipairs(reviews) do
    pending = pending + review:count().pending
  end
  return ('agent-diff: %d review%s, %d pending'):format(#reviews, #reviews == 1 and '' or 's', pending)
end

--- Prepares this Neovim for reviews: the command, and what must be known when Neovim is left.
function M.start()
  require('agent_diff.command').create()
  vim.api.nvim_create_autocmd('VimLeavePre', {
    group = vim.api.nvim_create_augroup('agent_diff', { clear = true }),
    callback = function() require('agent_diff.server').leaving() end,
  })
  -- Also where the plugin is not installed: this Neovim may listen where no search looks.
  require('agent_diff.registry').start()
end

return M
