--- `:AgentDiff` and its words.
local api = vim.api
local list = require('agent_diff.list')
local notice = require('agent_diff.notice')

local M = {}

local function reviews() return require('agent_diff.queue').list() end

--- The review that a command means: the one in the current window, else the shown one, else the first that is ready.
local function current()
  local queue = require('agent_diff.queue')
  local here = queue.of_buffer(api.nvim_get_current_buf())
  if here then return here end
  for _, review in ipairs(reviews()) do
    if review.view then return review end
  end
end

local function go(review)
  if not review or not review.view then
    notice.say(#reviews() == 0 and 'nothing to review' or 'the next review is not ready yet')
    return
  end
  review.armed = true
  require('agent_diff.queue').show(review)
end

local function step(by)
  local ready = vim.tbl_filter(function(review) return review.view ~= nil end, list.in_order())
  for i, review in ipairs(ready) do
    if review == current() then return go(ready[(i - 1 + by) % #ready + 1]) end
  end
  go(ready[1])
end

--- Presses a key of the review, wherever the cursor is.
local function press(name)
  return function()
    local review = current()
    if not review or not review.view then return notice.say('nothing to review') end
    review.armed = true
    require('agent_diff.keys').run(name, review.view)
  end
end

local words = {
  next = function() step(1) end,
  prev = function() step(-1) end,
  pick = function()
    if #reviews() == 0 then return notice.say('nothing to review') end
    list.pick(go)
  end,
  later = press('later'),
  list = function()
    if not list.quickfix() then
      notice.say(#reviews() == 0 and 'nothing to review' or 'nothing is undecided')
    end
  end,
  accept = press('accept_all'),
  reject = press('reject_all'),
  finish = press('finish'),
  approvals = function() require('agent_diff.approvals').open() end,
  undo = function() require('agent_diff.finished').undo_last() end,
  help = function()
    local review = current()
    if review and review.view then
      require('agent_diff.keys').run('help', review.view)
    else
      pcall(vim.cmd.help, 'agent-diff')
    end
  end,
  log = function() require('agent_diff.log').show() end,
  health = function() require('agent_diff.health').show() end,
}

--- Makes the command.
function M.create()
  api.nvim_create_user_command('AgentDiff', function(args)
    local word = args.fargs[1]
    if not word then return go(current()) end
    if word:match('^%d+$') then
      local wanted = list.in_order()[tonumber(word)]
      if wanted then return go(wanted) end
      return notice.say(('there is no review %s: %d wait'):format(word, #reviews()), vim.log.levels.ERROR)
    end
    if not words[word] then
      return notice.say(
        ('no such word: %s (%s)'):format(word, table.concat(M.words(), ', ')),
        vim.log.levels.ERROR
      )
    end
    words[word]()
  end, {
    nargs = '?',
    desc = 'Go to the review that waits, or do something with it',
    complete = function(lead)
      return vim.tbl_filter(function(word) return vim.startswith(word, lead) end, M.words())
    end,
  })
end

---@return string[]
function M.words()
  local list_of_words = vim.tbl_keys(words)
  table.sort(list_of_words)
  return list_of_words
end

return M
