--- `:checkhealth agent_diff`
local M = {}

--- Checks everything.
---@param health table? what takes the results, as vim.health does
function M.check(health)
  health = health or vim.health
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
  for _, trip in ipairs(require('agent_diff.server').round_trips()) do
    if trip.ms then
      health.ok(('the agent at channel %d answers, in %.1f ms'):format(trip.channel, trip.ms))
    else
      health.error(('the agent at channel %d is attached and does not answer'):format(trip.channel))
    end
  end
  require('agent_diff.config').get()
  health.info(
    ('protocol %d, %d open reviews'):format(require('agent_diff').protocol, #require('agent_diff').reviews())
  )
end

--- Shows the results: by `:checkhealth`, which finds only plugins that are installed, or by ourselves.
function M.show()
  if #vim.api.nvim_get_runtime_file('lua/agent_diff/health.lua', false) > 0 then
    vim.cmd.checkhealth('agent_diff')
    return
  end
  local lines = {}
  local function add(kind)
    return function(text, advice)
      lines[#lines + 1] = kind .. vim.fn.strtrans(text)
      for _, each in ipairs(type(advice) == 'table' and advice or { advice }) do
        vim.list_extend(lines, vim.split('        ' .. each, '\n'))
      end
    end
  end
  M.check({
    start = add(''),
    ok = add('OK      '),
    info = add('        '),
    warn = add('WARNING '),
    error = add('ERROR   '),
  })
  require('agent_diff.ask').show(lines)
end

return M
