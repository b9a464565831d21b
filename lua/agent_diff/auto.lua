--- Proposals that the user's rules let through: applied as a whole, saved and answered like a review, without a window.
--- Where not all of it can be applied, the person is asked after all.
local api = vim.api
local manners = require('agent_diff.manners')
local notice = require('agent_diff.notice')

local M = {}

--- Whether the person is typing in one of the files: what they type is not to be joined with what is applied.
---@param review agent_diff.Review
local function is_typed_in(review)
  if not manners.is_typing() then return false end
  for _, file in ipairs(review.files) do
    if file.source.bufnr == api.nvim_get_current_buf() then return true end
  end
  return false
end

---@param review agent_diff.Review
---@param rule string
---@return string? why not all of it could be applied; nothing is applied then
local function apply(review, rule)
  local done, hunk, why = review:decide(review.hunks, 'accept')
  if review.ended then return nil end
  if not done then
    review:undo()
    return ('hunk %d: %s'):format(hunk and hunk.index or 0, why or 'it cannot be applied')
  end
  review.auto = rule
  review:finish('decided')
  local n = #review.hunks
  local hunks = n == 1 and '1 hunk' or ('%d hunks'):format(n)
  local verb = review.text_only and 'let through' or 'applied'
  notice.say(('%s: %s %s without a review, :AgentDiff approvals'):format(review.shown.name, hunks, verb))
end

--- Applies a proposal, as soon as nobody types in its files.
---@param review agent_diff.Review
---@param rule string as a person shall see it
---@param ask fun(why: string) shows it for a review
function M.apply(review, rule, ask)
  if not is_typed_in(review) then
    local why = apply(review, rule)
    if why then ask(why) end
    return
  end
  local group = api.nvim_create_augroup('agent_diff.auto.' .. review.id, { clear = true })
  api.nvim_create_autocmd({ 'SafeState', 'BufEnter' }, {
    group = group,
    nested = true,
    callback = notice.guarded(function()
      if not review.ended and is_typed_in(review) then return end
      api.nvim_del_augroup_by_id(group)
      if review.ended then return end
      local why = apply(review, rule)
      if why then ask(why) end
    end),
  })
end

return M
