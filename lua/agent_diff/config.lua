--- The options: one schema yields the defaults, the check and the help.
local M = {}

---@class agent_diff.Option
---@field default any
---@field check fun(value: any): boolean
---@field expects string what the check wants, for the warning
---@field help string

local function one_of(...)
  local allowed = { ... }
  return function(value) return vim.tbl_contains(allowed, value) end, 'one of ' .. table.concat(allowed, ', ')
end

local function option(default, check, expects, help)
  return { default = default, check = check, expects = expects, help = help }
end

local function choice(default, help, ...)
  local check, expects = one_of(...)
  return option(default, check, expects, help)
end

local function is_boolean(value) return type(value) == 'boolean' end

local function is_count(value) return type(value) == 'number' and value >= 0 and value % 1 == 0 end

local function is_keys(value)
  if value == false or type(value) == 'string' then return true end
  if type(value) ~= 'table' then return false end
  for _, key in ipairs(value) do
    if type(key) ~= 'string' then return false end
  end
  return vim.islist(value)
end

--- Every option that is not a key.
---@type table<string, agent_diff.Option>
M.options = {
  save = choice(
    'auto',
    'When the file is written at the end of a review that you have decided. "auto": when it had no unsaved '
      .. 'changes before the review. "always": also then. "never": saving is left to you; then nothing is done to '
      .. 'whole files either (deleting, renaming).',
    'auto',
    'always',
    'never'
  ),
  focus = choice(
    'auto',
    'Whether a review comes to you. "auto": when you are in normal or terminal mode, and after typing only when '
      .. 'you have paused. "always": without waiting for the pause. "never": only `:AgentDiff` goes to it.',
    'auto',
    'always',
    'never'
  ),
  toggle_applied = choice(
    'unapply',
    'What <Space> does to an applied hunk. "unapply": it takes it back. "mark": it changes the mark only; the '
      .. 'text stays, the hunk still counts, and the agent is told so.',
    'unapply',
    'mark'
  ),
  layout = choice(
    'unified',
    'How a review is shown at first; <Tab> shows the next way. "unified": the diff in one column. "split": the '
      .. 'old and the new text side by side. "inline": in the file itself, where what it replaces or would be replaced '
      .. 'by stands in virtual lines; for changes of one file. There `u` takes back what was done '
      .. 'last, also what you typed.',
    'unified',
    'split',
    'inline'
  ),
  window = choice(
    'tab',
    'Where a review opens. "tab": in a tab page of its own. "split": in a window beside yours, below them when '
      .. 'there are fewer than 120 columns. "float": over them.',
    'tab',
    'split',
    'float'
  ),
  line_numbers = option(
    true,
    is_boolean,
    'true or false',
    'Whether the line numbers of both sides are shown beside the diff, in windows of 50 columns and more.'
  ),
  preview_lines = option(
    20,
    is_count,
    'a number of lines, 0 for all',
    'How much of a file that is new or deleted as a whole is shown; the rest is folded, and |zo| opens it.'
  ),
  arm_ms = option(
    500,
    is_count,
    'a number of milliseconds, 0 or more',
    'How long no key must have been pressed, after a review took the focus by itself, before its keys decide.'
  ),
  diagnostics = option(
    1000,
    function(value) return value == false or is_count(value) end,
    'false or a number of milliseconds',
    'How long the answer to the agent waits for what a language server that is attached to the file reports about '
      .. 'what was applied. You never wait. false: it does not wait.'
  ),
}

---@class agent_diff.Key
---@field name string the option's name, below `keys`
---@field lhs string|string[]|false the default
---@field help string

--- Every key of the review buffer, in the order of the help.
---@type agent_diff.Key[]
M.actions = {
  { name = 'accept', lhs = 'a', help = 'accept the hunk, in visual mode the selected lines' },
  { name = 'reject', lhs = 'r', help = 'reject the hunk, in visual mode the selected lines' },
  { name = 'toggle', lhs = '<Space>', help = 'toggle the hunk: apply it, or take it back' },
  { name = 'next', lhs = { 'n', ']c' }, help = 'next hunk, with a count' },
  { name = 'prev', lhs = { 'p', '[c' }, help = 'previous hunk, with a count' },
  { name = 'accept_file', lhs = 'ga', help = 'accept what is undecided in the file' },
  { name = 'reject_file', lhs = 'gr', help = 'reject what is undecided in the file' },
  { name = 'next_file', lhs = ']f', help = 'next file, with a count' },
  { name = 'prev_file', lhs = '[f', help = 'previous file, with a count' },
  { name = 'show', lhs = '<CR>', help = "go to the hunk's place in the file" },
  { name = 'accept_all', lhs = { 'A', '<C-c><C-c>' }, help = 'accept all undecided hunks, and finish' },
  {
    name = 'reject_all',
    lhs = { 'R', '<C-c><C-k>' },
    help = 'reject all hunks, the applied ones too, and finish',
  },
  { name = 'finish', lhs = 'q', help = 'finish; asks when hunks are undecided' },
  { name = 'remember', lhs = 'M', help = 'accept all, and do not ask again for file, folder or tool' },
  { name = 'undo', lhs = 'u', help = 'undo the last decision' },
  { name = 'split', lhs = 's', help = 'split the hunk into its change blocks' },
  { name = 'edit', lhs = 'e', help = 'edit the new text of the hunk, and accept it so' },
  { name = 'comment', lhs = 'c', help = 'comment on the hunk, for the agent' },
  { name = 'comment_all', lhs = 'C', help = 'comment on the whole proposal' },
  { name = 'again', lhs = '.', help = 'accept, reject or toggle again, as the last time' },
  { name = 'inner_hunk', lhs = 'ih', help = 'text object: the lines of the hunk' },
  { name = 'around_hunk', lhs = 'ah', help = 'text object: the hunk with its @@ line' },
  { name = 'later', lhs = 'gl', help = 'put the review off; :AgentDiff comes back to it' },
  { name = 'layout', lhs = '<Tab>', help = 'the next layout' },
  { name = 'help', lhs = { '?', 'g?' }, help = 'the keys, as they are mapped' },
}

--- The <Plug> mapping of an action.
---@param name string of M.actions
---@return string
function M.plug(name)
  local camel = name:gsub('^%l', string.upper):gsub('_(%l)', string.upper)
  return '<Plug>(AgentDiff' .. camel .. ')'
end

local function warn(text) vim.notify('agent_diff: ' .. text, vim.log.levels.WARN) end

local function check_keys(given, keys)
  if type(given) ~= 'table' then
    warn('keys: expected a table, got ' .. type(given))
    return
  end
  for name, value in pairs(given) do
    if keys[name] == nil then
      warn(('unknown key keys.%s'):format(name))
    elseif not is_keys(value) then
      warn(('keys.%s: expected a key, a list of keys or false, got %s'):format(name, vim.inspect(value)))
    else
      keys[name] = value
    end
  end
end

--- Takes a person's configuration. What is wrong is named in a warning, and the rest still works.
---@param given table
---@return table config complete, with every option and every key
function M.resolve(given)
  local config = { keys = {} }
  for name, opt in pairs(M.options) do
    config[name] = opt.default
  end
  for _, action in ipairs(M.actions) do
    config.keys[action.name] = action.lhs
  end
  if type(given) ~= 'table' then
    warn('expected a table of options, got ' .. type(given))
    return config
  end
  for name, value in pairs(given) do
    local opt = M.options[name]
    if name == 'keys' then
      check_keys(value, config.keys)
    elseif not opt then
      warn(('unknown option %s'):format(name))
    elseif not opt.check(value) then
      warn(('%s: expected %s, got %s'):format(name, opt.expects, vim.inspect(value)))
    else
      config[name] = value
    end
  end
  return config
end

local current

--- The configuration in force: setup()'s, else vim.g.agent_diff's, else the defaults.
---@return table
function M.get()
  if not current then current = M.resolve(vim.g.agent_diff or {}) end
  return current
end

--- Replaces the configuration.
---@param given table?
function M.set(given) current = M.resolve(vim.tbl_deep_extend('force', vim.g.agent_diff or {}, given or {})) end

return M
