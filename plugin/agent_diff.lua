-- What must be there before a review comes: the command, loaded when it is first used, and the registry of instances.
if vim.g.loaded_agent_diff then return end
vim.g.loaded_agent_diff = true
if vim.fn.has('nvim-0.10') == 0 then
  vim.notify('agent-diff needs Neovim 0.10 or newer', vim.log.levels.WARN)
  return
end

vim.api.nvim_create_autocmd('VimEnter', {
  group = vim.api.nvim_create_augroup('agent_diff.plugin', { clear = true }),
  once = true,
  callback = vim.schedule_wrap(function() require('agent_diff.registry').start() end),
})

vim.api.nvim_create_user_command('AgentDiff', function(args)
  require('agent_diff').start()
  vim.cmd.AgentDiff({ args = args.fargs })
end, {
  nargs = '?',
  desc = 'Go to the review that waits, or do something with it',
  complete = function(lead)
    return vim.tbl_filter(
      function(word) return vim.startswith(word, lead) end,
      require('agent_diff.command').words()
    )
  end,
})
