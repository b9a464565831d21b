--- The keys of the review buffer. Every action is a <Plug> mapping of that buffer, so that it goes with it.
local api = vim.api
local config = require('agent_diff.config')
local manners = require('agent_diff.manners')
local notice = require('agent_diff.notice')

local M = {}

---@param view agent_diff.View
local function may_decide(view)
  if view.review.gone then
    notice.say('agent is gone: no more decisions; q closes', vim.log.levels.WARN)
    return false
  end
  return not view.review.ended and manners.armed(view.review)
end

---@param view agent_diff.View
local function refused(view, hunk, why)
  view:go(hunk)
  notice.say(('hunk %d: %s'):format(hunk.index, why), vim.log.levels.WARN)
end

--- Notes the cursor's place in the jumplist.
local function mark_jump() vim.cmd("normal! m'") end

local function is_undecided(hunk) return hunk.state == 'pending' or hunk.state == 'conflict' end

--- Decides on the hunk at the cursor, and goes on to the next undecided one; so often as the count says.
---@param verb 'accept'|'reject'|'toggle'
local function decide(verb)
  local function run(view, count)
    if not may_decide(view) then return end
    local review = view.review
    view.last_key = { run = run, count = count }
    for _ = 1, verb == 'toggle' and 1 or math.min(count, #review.hunks) do
      local hunk = view:nearest_hunk()
      if not hunk then return end
      local done, culprit, why = review:decide({ hunk }, verb)
      if review.ended then return end
      if not done then return refused(view, culprit, why) end
      local next_hunk = verb ~= 'toggle' and review:next_undecided(hunk) or hunk
      if next_hunk ~= hunk then mark_jump() end
      view:go(next_hunk)
      if next_hunk == hunk then return end
    end
  end
  return run
end

--- Decides on the selected lines.
---@param verb 'accept'|'reject'
local function decide_lines(verb)
  return function(view)
    local from, to = vim.fn.line('v') - 1, vim.fn.line('.') - 1
    local selected = view:selected(math.min(from, to), math.max(from, to))
    vim.cmd.normal({ '\27', bang = true })
    if not may_decide(view) then return end
    local review = view.review
    local done, hunk, why = require('agent_diff.part').decide(view, selected, verb)
    if review.ended or not hunk then return end
    if not done then return refused(view, hunk, why) end
    view:go(review:next_undecided(hunk) or hunk)
  end
end

---@param verb 'accept'|'reject'
---@param wanted fun(hunk: agent_diff.Hunk): boolean
local function decide_all(verb, wanted)
  return function(view)
    if not may_decide(view) then return end
    local review = view.review
    review:settle()
    local hunks = vim.tbl_filter(wanted, review.hunks)
    local done, culprit, why = review:decide(hunks, verb)
    if review.ended then return end
    if not done then return refused(view, culprit, why) end
    review:finish('decided')
  end
end

--- Decides what is undecided in the file under the cursor, as one decision.
---@param verb 'accept'|'reject'
local function decide_file(verb)
  return function(view)
    if not may_decide(view) then return end
    local review, file = view.review, view:nearest_hunk().file
    review:settle()
    local hunks = vim.tbl_filter(is_undecided, file.hunks)
    if #hunks == 0 then return notice.say('nothing is undecided in ' .. vim.fn.strtrans(file.name)) end
    local done, culprit, why = review:decide(hunks, verb)
    if review.ended then return end
    if not done then return refused(view, culprit, why) end
    view:go(review:next_undecided(file.hunks[#file.hunks]) or file.hunks[#file.hunks])
  end
end

--- Where a count leads from a place in a list, round the end where 'wrapscan' says so.
local function step_to(at, by, last)
  local target = at + by
  if vim.o.wrapscan then return (target - 1) % last + 1 end
  return math.max(math.min(target, last), 1)
end

--- Moves by files.
---@param step 1|-1
local function move_file(step)
  return function(view, count)
    local files = view.review.files
    if #files == 0 then return end
    local file = view:file_at_cursor()
    local at = file and file.index or 0
    -- From within a file, back is to its beginning.
    local within = not file or view:cursor_row() > view.diff_row + file.line
    if step == -1 and within then at = at + 1 end
    local target = files[step_to(at, step * count, #files)]
    mark_jump()
    view:go_file(target)
  end
end

--- Moves by hunks, with a count, round the end where 'wrapscan' says so.
---@param step 1|-1
local function move(step)
  return function(view, count)
    local hunks = view.review.hunks
    if #hunks == 0 then return end
    local at, inside = view:index_at_cursor()
    if step == -1 and inside and view:row_of(hunks[at]) < view:cursor_row() then at = at + 1 end
    if step == -1 and not inside then at = at + 1 end
    local target = hunks[step_to(at, step * count, #hunks)]
    mark_jump()
    view:go(target)
  end
end

local actions = {
  accept = decide('accept'),
  reject = decide('reject'),
  toggle = decide('toggle'),
  accept_all = decide_all('accept', is_undecided),
  reject_all = decide_all('reject', function(hunk) return hunk.state ~= 'rejected' end),
  next = move(1),
  prev = move(-1),
  accept_file = decide_file('accept'),
  reject_file = decide_file('reject'),
  next_file = move_file(1),
  prev_file = move_file(-1),
}

function actions.show(view)
  -- Keys that follow one that was meant for something else would change the file.
  if not manners.armed(view.review) then return end
  local hunk = view:nearest_hunk()
  if hunk then view:enter_source(hunk) end
end

function actions.finish(view)
  local review = view.review
  if not review.gone and not manners.armed(review) then return end
  review:settle()
  if review.ended then return end
  local pending = review:count().pending
  if pending == 0 or review.gone then return review:finish('decided') end
  local question = ('%d undecided hunks left. Finish anyway?'):format(pending)
  view:ask(require('agent_diff.ask').confirm, question, function() review:finish('decided') end)
end

function actions.remember(view)
  if not may_decide(view) then return end
  local hunk = view:nearest_hunk()
  if not view.review.may_remember then return notice.say('nothing is remembered here: it is always asked') end
  if not hunk then return end
  require('agent_diff.remember').ask(view, hunk.file, function() actions.accept_all(view) end)
end

function actions.undo(view, count)
  if not may_decide(view) then return end
  -- In the file itself it takes back what was done last, be it a decision or what was typed.
  local text = view.shape.name == 'inline' and view.shape.source
  if text and text:is_edited() then return vim.cmd.normal({ count .. 'u', bang = true }) end
  for _ = 1, count do
    local hunk, why = view.review:undo()
    if hunk then view:go(hunk) end
    if why then return notice.say(why, vim.log.levels.WARN) end
  end
end

function actions.again(view, count)
  local last = view.last_key
  if last then last.run(view, vim.v.count > 0 and count or last.count) end
end

function actions.later(view)
  if view.review.ended or not manners.armed(view.review) then return end
  require('agent_diff.queue').put_off(view.review)
end

function actions.split(view)
  if may_decide(view) then require('agent_diff.part').split(view) end
end

function actions.edit(view)
  if may_decide(view) then require('agent_diff.part').edit(view) end
end

function actions.comment(view)
  if not may_decide(view) then return end
  local hunk = view:nearest_hunk()
  if hunk then require('agent_diff.comment').on_hunk(view, hunk) end
end

function actions.comment_all(view)
  if may_decide(view) then require('agent_diff.comment').on_all(view) end
end

function actions.layout(view) view:arrange(view:next_shape()) end

function actions.help(view) view:ask(require('agent_diff.ask').show, M.help(view.bufnr)) end

local object = require('agent_diff.object')

--- Actions in other modes, by the same names.
local elsewhere = {
  accept = { x = decide_lines('accept') },
  reject = { x = decide_lines('reject') },
  inner_hunk = { x = object.inner, o = object.inner },
  around_hunk = { o = object.around }, -- in visual mode `a` accepts
}

--- Does an action without its key.
---@param name string of config.actions
---@param view agent_diff.View
function M.run(name, view)
  if view.run then return view:run(name) end -- a question
  actions[name](view, 1)
end

--- Maps the keys in a review buffer.
---@param view agent_diff.View
---@param bufnr integer the review buffer, or another one that shows the review
---@return string[][] mapped modes and keys
function M.map(view, bufnr)
  local mapped = {}
  local function set(buf, mode, lhs, rhs, opts)
    mapped[#mapped + 1] = { mode, lhs }
    api.nvim_buf_set_keymap(buf, mode, lhs, rhs, opts)
  end
  for _, action in ipairs(config.actions) do
    local target = config.plug(action.name)
    local keys = config.get().keys[action.name]
    local runs = vim.tbl_extend('error', { n = actions[action.name] }, elsewhere[action.name] or {})
    for mode, run in pairs(runs) do
      set(bufnr, mode, target, '', {
        callback = notice.guarded(function()
          local count = vim.v.count1
          view:announce()
          run(view, count)
        end),
        noremap = true,
        desc = action.help,
      })
      for _, key in ipairs(type(keys) == 'table' and keys or { keys or nil }) do
        set(bufnr, mode, key, target, { nowait = true, desc = action.help })
      end
    end
  end
  return mapped
end

--- The mappings of a buffer that are the buffer's own, by mode and key.
local function own_maps(bufnr)
  local found = {}
  api.nvim_buf_call(bufnr, function()
    for _, map in ipairs(vim.fn.maplist()) do
      if map.buffer == 1 then found[map.mode .. ' ' .. map.lhsraw] = map end
    end
  end)
  return found
end

--- Maps the keys in a buffer of the person's, for a while.
---@param view agent_diff.View
---@param bufnr integer
---@return fun() give_back brings the person's own mappings of the buffer back
function M.borrow(view, bufnr)
  local theirs = own_maps(bufnr)
  local mapped = M.map(view, bufnr)
  return function()
    for _, map in ipairs(mapped) do
      pcall(api.nvim_buf_del_keymap, bufnr, map[1], map[2])
    end
    local left = own_maps(bufnr)
    api.nvim_buf_call(bufnr, function()
      for name, map in pairs(theirs) do
        if not left[name] then vim.fn.mapset(map) end
      end
    end)
  end
end

local hints = {
  { 'accept', 'accept' },
  { 'reject', 'reject' },
  { 'toggle', 'toggle' },
  { 'next', 'next' },
  { 'accept_all', 'accept all' },
  { 'reject_all', 'reject all' },
  { 'finish', 'finish' },
  { 'layout', 'layout' },
  { 'help', 'help' },
}

--- The most important keys in one line, in the language of 'winbar'.
---@return string
function M.hint()
  local parts = {}
  for _, hint in ipairs(hints) do
    local keys = config.get().keys[hint[1]]
    local key = type(keys) == 'table' and keys[1] or keys
    if key then
      local shown = key:gsub('%%', '%%%%')
      parts[#parts + 1] = ('%%#AgentDiffKey#%s%%#AgentDiffHead# %s'):format(shown, hint[2])
    end
  end
  return table.concat(parts, '  ')
end

--- The keys as they are really mapped in the buffer, for the help float.
---@param bufnr integer
---@return string[]
function M.help(bufnr)
  local keys = {}
  for _, mode in ipairs({ 'n', 'o' }) do
    for _, map in ipairs(api.nvim_buf_get_keymap(bufnr, mode)) do
      local target = (map.rhs or ''):match('^<Plug>%(AgentDiff%a+%)$')
      if target then
        keys[target] = keys[target] or {}
        table.insert(keys[target], map.lhs == ' ' and '<Space>' or map.lhs)
      end
    end
  end
  local lines, mapped, width = { 'agent-diff: keys of the review', '' }, {}, 0
  for i, action in ipairs(config.actions) do
    local lhs = keys[config.plug(action.name)] or { '-' }
    table.sort(lhs)
    mapped[i] = table.concat(lhs, ' ')
    width = math.max(width, vim.fn.strdisplaywidth(mapped[i]))
  end
  for i, action in ipairs(config.actions) do
    lines[#lines + 1] = ('  %s%s  %s'):format(
      mapped[i],
      (' '):rep(width - vim.fn.strdisplaywidth(mapped[i])),
      action.help
    )
  end
  lines[#lines + 1] = ''
  lines[#lines + 1] = '  Leaving the window otherwise finishes too: what is applied counts.'
  return lines
end

return M
