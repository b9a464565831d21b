--- "Accept, and do not ask again": what the person lets through from now on, for this session or for always.
local M = {}

local scopes = {
  { key = 'f', name = 'file', what = function(file) return 'changes of ' .. vim.fs.basename(file.path) end },
  {
    key = 'd',
    name = 'folder',
    what = function(file) return ('changes in %s/'):format(vim.fs.basename(vim.fs.dirname(file.path))) end,
  },
  { key = 't', name = 'tool', what = function(_, review) return review.tool .. ' in this project' end },
}

--- Asks what is to be let through, then accepts.
---@param view agent_diff.View
---@param file agent_diff.File
---@param accept fun() accepts all, and finishes unless something cannot be applied
function M.ask(view, file, accept)
  local review = view.review
  local lines = { 'Accept all, and from now on apply without a review:', '' }
  local keys = {}
  for _, scope in ipairs(scopes) do
    local what = vim.fn.strtrans(scope.what(file, review))
    local here = review.may_remember_here and (' [%s] this session '):format(scope.key) or ''
    lines[#lines + 1] = ('%-36s%s [%s] always'):format(what, here, scope.key:upper())
    local offered = { [scope.key:upper()] = true }
    if review.may_remember_here then offered[scope.key] = false end
    for key, always in pairs(offered) do
      keys[key] = function()
        if review.ended then return end
        review.remember = { scope = scope.name, path = file.path, always = always }
        accept()
        if not review.ended then review.remember = nil end
      end
    end
  end
  vim.list_extend(lines, { '', '[q] back' })
  view:ask(require('agent_diff.ask').choose, lines, keys)
end

return M
