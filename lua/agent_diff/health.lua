--- `:checkhealth agent_diff`
local M = {}

function M.check()
  local health = vim.health
  health.start('agent_diff')
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('Neovim 0.10 or newer is needed')
  end
  if vim.v.servername ~= '' then
    health.ok('listens at ' .. vim.v.servername)
  else
    health.error('no server address: agents cannot find this Neovim', {
      'Does the folder of $XDG_RUNTIME_DIR exist?',
      'Start Neovim with --listen ADDRESS, and the agent with NVIM_AGENT_DIFF_ADDR=ADDRESS.',
    })
  end
  local program = vim.fn.exepath('nvim-agent-diff')
  if program ~= '' then
    health.ok('program: ' .. program)
    local run = vim
      .system({ program, '--nvim', vim.v.servername, 'doctor' }, { text = true, timeout = 5000 })
      :wait()
    if run.code == 0 then
      health.ok('a round trip from the program to this Neovim works')
    else
      health.warn(
        'the program cannot reach this Neovim',
        { vim.trim((run.stderr or '') .. (run.stdout or '')) }
      )
    end
  else
    health.warn('nvim-agent-diff is not in PATH', { 'agents start it as their MCP server: see README.md' })
  end
  require('agent_diff.config').get()
  health.info(
    ('protocol %d, %d open reviews'):format(require('agent_diff').protocol, #require('agent_diff').reviews())
  )
end

return M
