--- A person's comments on a hunk and on the whole proposal: written in a pad, shown at what they are about, sent with the
--- result.
local api = vim.api

local M = {}
local NS = api.nvim_create_namespace('agent_diff.comment')

-- The server's number for what is about the whole proposal; hunks have theirs.
local whole = -1

--- How many bytes a comment may have.
M.most = 65536

--- The lines of a comment as virtual lines.
local function virtual(comment)
  local lines = {}
  for i, line in ipairs(vim.split(comment, '\n', { plain = true })) do
    lines[i] = { { (i == 1 and '  » ' or '    ') .. vim.fn.strtrans(line), 'AgentDiffComment' } }
  end
  return lines
end

--- Shows the comments of a review in its buffer.
---@param view agent_diff.View
function M.draw(view)
  if not view:is_loaded() then return end
  for _, place in ipairs(view:mirrors(0)) do
    api.nvim_buf_clear_namespace(place[1], NS, 0, -1)
  end
  local function show(row, comment)
    for _, place in ipairs(comment and view:mirrors(row) or {}) do
      api.nvim_buf_set_extmark(place[1], NS, place[2], 0, { virt_lines = virtual(comment) })
    end
  end
  show(view.progress_row, view.review.comment)
  for _, hunk in ipairs(view.review.hunks) do
    show(view:row_of(hunk), hunk.comment)
  end
end

--- A comment without the empty lines around it; nil when there is nothing else.
local function trimmed(lines)
  local text = table.concat(lines, '\n')
  text = text:gsub('%s+$', ''):gsub('^[ \t]*\n', '')
  if text ~= '' then return text end
end

--- Lets the person write a comment.
---@param view agent_diff.View
---@param about agent_diff.Hunk|agent_diff.Review
---@param id integer the server's number of what it is about
---@param title string
---@param below integer the row that it stands under
local function write(view, about, id, title, below)
  local review = view.review
  view:write_on({
    name = ('agent-diff://%s/comment'):format(review.id),
    title = title,
    lines = vim.split(about.comment or '', '\n', { plain = true }),
    filetype = 'agentdiffcomment',
    insert = true,
    leave = 'keep',
    below = below,
    keep = function(lines)
      local comment = trimmed(lines)
      if comment and #comment > M.most then
        require('agent_diff.notice').say(
          ('this is too long for a comment: at most %d bytes'):format(M.most),
          vim.log.levels.WARN
        )
        return false
      end
      if review.ended then return end
      about.comment = comment
      review.server:notify('comment', review.ref, id, comment or '')
      M.draw(view)
    end,
  })
end

--- A comment on a hunk.
---@param view agent_diff.View
---@param hunk agent_diff.Hunk
function M.on_hunk(view, hunk)
  local last = view:row_of(hunk) + hunk.lines - 1
  write(view, hunk, hunk.id, ('Comment on hunk %d'):format(hunk.index), last)
end

--- A comment on the whole proposal.
---@param view agent_diff.View
function M.on_all(view) write(view, view.review, whole, 'Comment on the whole proposal', view.progress_row) end

return M
