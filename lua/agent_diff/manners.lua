--- When a review may take the focus, and when its keys decide. A person who types is never interrupted, and no key that was
--- meant for something else decides a hunk.
local api, uv = vim.api, vim.uv
local config = require('agent_diff.config')
local notice = require('agent_diff.notice')

local M = {}
local KEYS = api.nvim_create_namespace('agent_diff.keys')

-- A person who was typing when a review came is left alone for this long after the last key, in milliseconds.
local quiet_ms = 1500
-- A review that could not be shown for this long, though nobody types, waits at a prompt.
local busy_ms = 300

---@type agent_diff.Review?
local offered
---@type uv.uv_timer_t?
local timer
local group

--- Whether somebody is in the middle of something: inserting, selecting, at a command line, between an operator and its
--- motion, recording or playing a macro, at a prompt.
---@return boolean
function M.is_typing()
  local mode = api.nvim_get_mode()
  if mode.blocking then return true end
  -- mode(1): 'no' is operator pending, 'niI' an insert-mode command; nvim_get_mode does not see the command-line window.
  local now = vim.fn.mode(1)
  if now ~= 'n' and now ~= 't' and now ~= 'nt' then return true end
  -- m: halfway a mapping, o: operator pending, a: completion, w: blocked on waiting.
  if vim.fn.state('moaw') ~= '' then return true end
  return vim.fn.reg_recording() ~= '' or vim.fn.reg_executing() ~= '' or vim.fn.getcmdwintype() ~= ''
end

local function now()
  uv.update_time()
  return uv.now()
end

local function watch_keys()
  vim.on_key(function() M.last_key = now() end, KEYS)
end

local function stop_waiting()
  offered = nil
  if group then
    api.nvim_del_augroup_by_id(group)
    group = nil
  end
  if timer then
    timer:close()
    timer = nil
  end
end

local take_focus

--- That an event was handled makes Neovim fire SafeState again. Terminal mode has none.
local retry = vim.schedule_wrap(notice.guarded(function()
  if vim.fn.mode(1) == 't' then take_focus() end
end))

--- Shows the offered review. Only in SafeState is it certain that no mapping, operator or typed-ahead key is pending, and
--- no prompt: getchar() looks like normal mode.
function take_focus()
  local review = offered
  if not review or M.is_typing() then return end
  if require('agent_diff.queue').shown then return stop_waiting() end -- the person has gone to another one
  if review.was_typing then
    local rest = (M.last_key or 0) + quiet_ms - now()
    if rest > 0 then
      timer:start(rest, 0, retry)
      return
    end
  end
  stop_waiting()
  review.armed = config.get().arm_ms == 0
  M.last_key = now()
  require('agent_diff.queue').show(review)
end

--- Tells other plugins, once, that a review waits in the background.
---@param review agent_diff.Review|agent_diff.Question
function M.tell_waiting(review)
  if review.told_waiting or not review.emit then return end
  review.told_waiting = true
  review:emit('AgentDiffWaiting')
end

--- Shows a review as soon as that disturbs nobody.
---@param review agent_diff.Review
function M.offer(review)
  if offered == review then return end
  stop_waiting()
  offered = review
  local text = ('a review of %s waits: :AgentDiff'):format(review.shown.name)
  local typing = M.is_typing()
  if typing or config.get().focus == 'never' then M.tell_waiting(review) end
  if config.get().focus == 'never' then return (typing and notice.corner or notice.say)(text) end
  watch_keys()
  review.was_typing = typing and config.get().focus ~= 'always'
  if typing then notice.corner(text) end
  group = api.nvim_create_augroup('agent_diff.manners', { clear = true })
  local function on(event, pattern, callback)
    api.nvim_create_autocmd(event, { group = group, pattern = pattern, nested = true, callback = callback })
  end
  on('SafeState', '*', notice.guarded(take_focus))
  on('ModeChanged', '*:t', retry)
  retry()
  timer = assert(uv.new_timer())
  timer:start(
    busy_ms,
    0,
    vim.schedule_wrap(function()
      if offered == review and not M.is_typing() then review.server:notify('busy', review.ref) end
    end)
  )
end

--- Takes an offer back.
---@param review agent_diff.Review
function M.withdraw(review)
  if offered == review then
    stop_waiting()
    notice.close_corner()
  end
  if #require('agent_diff.queue').list() == 0 then vim.on_key(nil, KEYS) end
end

--- Guards the deciding keys of a review that took the focus by itself.
---@param review agent_diff.Review
function M.guard(review)
  review.stray = false
  if review.armed then return end
  local last = now()
  vim.on_key(function()
    local at = now()
    if at - last >= config.get().arm_ms then
      review.armed = true
    else
      review.stray = true
    end
    last, M.last_key = at, at
  end, KEYS)
end

--- Whether the deciding keys decide; says so when they do not.
---@param review agent_diff.Review
---@return boolean
function M.armed(review)
  if review.armed then
    watch_keys()
    return true
  end
  notice.say(('key ignored: pause for %d ms first'):format(config.get().arm_ms))
  return false
end

--- Whether keys that were meant for something else may have closed the review's windows.
---@param review agent_diff.Review
---@return boolean
function M.is_stray(review) return review.stray and not review.armed end

return M
