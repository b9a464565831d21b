--- How a review is shown: in one column, side by side, or in the file itself; and going from one to another.
local notice = require('agent_diff.notice')
local presence = require('agent_diff.presence')

local M = {}

-- Loaded when they are needed.
local shapes = setmetatable({}, {
  __index = function(_, name) return require('agent_diff.' .. (name == 'split' and 'pair' or name)) end,
})

--- Makes another shape of a review; the windows do not show it yet.
local function take(view, name)
  view.shape = shapes[name].new(view)
  if view.shape.open then return end -- its buffer is the person's
  for _, bufnr in ipairs(view.shape.bufs) do
    if bufnr ~= view.bufnr then
      require('agent_diff.keys').map(view, bufnr)
      presence.watch_buffer(view, bufnr)
      if view.dressed then presence.set_filetype(bufnr) end
    end
  end
end

local order = { unified = 'split', split = 'inline', inline = 'unified' }

--- Says, once, why a review is not shown in the file itself.
---@param view agent_diff.View
function M.explain(view)
  local why = view.not_inline
  if not why or view.explained then return end
  view.explained = true
  notice.say(('not shown in the file itself: %s'):format(why))
end

--- The name of the shape that comes after the present one.
---@param view agent_diff.View
---@return string
function M.next(view)
  local name = order[view.shape.name]
  if name == 'inline' then view.not_inline = shapes.inline.hindrance(view.review) end
  if name ~= 'inline' or not view.not_inline then return name end
  M.explain(view)
  return order[name]
end

--- Shows a review in another shape, in the same place.
---@param view agent_diff.View
---@param name 'unified'|'split'|'inline'
---@param opening agent_diff.Layout? the windows, while they are being opened
function M.arrange(view, name, opening)
  if name == 'inline' then
    view.not_inline = shapes.inline.hindrance(view.review)
    if view.not_inline then return end
  end
  local hunk, before, opened = view:hunk_at_cursor() or view.current, view.shape, opening or view.layout
  local left = view.left
  -- From our windows into the person's, or back: those that are open close first.
  local moves = opened and (name == 'inline' or before.name == 'inline')
  if moves then
    view.layout = nil
    local back = opened.back
    opened.back = vim.tbl_extend('force', back, { terminal = false })
    opened:close()
    before:drop()
    take(view, name)
    view.layout = presence.open(view)
    view.layout.back = back
  else
    take(view, name)
    if opened then opened:refill(view) end
    before:drop()
  end
  view:draw_beside()
  view.left = left
  view:draw_bar()
  if hunk then view:go(hunk) end
end

return M
