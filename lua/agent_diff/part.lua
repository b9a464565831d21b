--- Deciding on less than a hunk, or in one's own words: the keys for it, and how parts are shown.
local api = vim.api
local cut = require('agent_diff.cut')
local notice = require('agent_diff.notice')

local M = {}
local NS = api.nvim_create_namespace('agent_diff.part')

--- Shows where a part begins that has no `@@` line: it is in one printed hunk with what is above it. In the file itself no
--- hunk has such a line.
---@param view agent_diff.View
function M.draw(view)
  if view.shape.name == 'inline' then return end
  for _, place in ipairs(view:mirrors(0)) do
    api.nvim_buf_clear_namespace(place[1], NS, 0, -1)
  end
  for _, hunk in ipairs(view.review.hunks) do
    for _, place in ipairs(hunk.inner and view:mirrors(view:row_of(hunk)) or {}) do
      api.nvim_buf_set_extmark(place[1], NS, place[2], 0, {
        virt_lines = { { { ('┄┄ part %s'):format(hunk.header), 'AgentDiffHunk' } } },
        virt_lines_above = true,
      })
    end
  end
end

--- Splits the hunk at the cursor into its change blocks.
---@param view agent_diff.View
function M.split(view)
  local hunk = view:hunk_at_cursor() or view.review.hunks[1]
  local parts = hunk and cut.split(view.review, hunk)
  if parts then view:go(parts[1]) end
end

--- The selected rows of a hunk, counted from its first one, and whether the changed lines among them are none, some or all
--- of its.
local function selected_rows(view, hunk, selected)
  local first = view:row_of(hunk)
  local rows, some, all = {}, false, true
  for row, line in ipairs(api.nvim_buf_get_lines(view.bufnr, first, first + hunk.lines, false)) do
    local inside = selected[first + row - 1]
    local changes = vim.startswith(line, '+') or vim.startswith(line, '-')
    if inside then rows[#rows + 1] = row - 1 end
    some = some or (inside and changes)
    all = all and (inside or not changes)
  end
  return rows, some, all
end

--- Decides on lines of the review buffer: on whole hunks where all their changes are among them, else on the lines, which
--- then are hunks of their own.
---@param view agent_diff.View
---@param selected table<integer, true> rows
---@param verb 'accept'|'reject'
---@return boolean done
---@return agent_diff.Hunk? hunk the last one decided, or that refused
---@return string? why
function M.decide(view, selected, verb)
  local review = view.review
  local hunks, divided = {}, {}
  for _, hunk in ipairs(review.hunks) do
    local rows, some, all = selected_rows(view, hunk, selected)
    if all and #rows > 0 then
      hunks[#hunks + 1] = hunk
    elseif some then
      divided[#divided + 1] = { hunk, rows }
    end
  end
  local made
  if #divided > 0 then
    local chosen
    chosen, made = cut.divide(review, divided)
    if not chosen then return false end
    vim.list_extend(hunks, chosen)
  end
  if #hunks == 0 then
    notice.say('no changed line is selected')
    return false
  end
  table.sort(hunks, function(a, b) return a.index < b.index end)
  local before = #review.undo_steps
  local done, culprit, why = review:decide(hunks, verb)
  if made then
    if #review.undo_steps == before then review.undo_steps[before + 1] = {} end
    review.undo_steps[#review.undo_steps].cut = made
  end
  return done, done and hunks[#hunks] or culprit, why
end

--- Lets the person write another version of a hunk's new text. Keeping it accepts it.
---@param view agent_diff.View
function M.edit(view)
  local review = view.review
  local hunk = view:hunk_at_cursor() or review.hunks[1]
  local lines = hunk and cut.text(review, hunk)
  if not lines then return end
  view:go(hunk)
  view:write_on({
    name = ('agent-diff://%s/edit/%s'):format(review.id, vim.fs.basename(hunk.file.name)),
    title = ('New text of hunk %d'):format(hunk.index),
    lines = lines,
    filetype = vim.filetype.match({ filename = hunk.file.path, contents = lines }) or '',
    insert = false,
    leave = 'stay',
    below = view:row_of(hunk) + hunk.lines - 1,
    keep = function(written)
      if review.ended then return end
      if not vim.tbl_contains(review.hunks, hunk) then
        notice.say('the hunk is not there any more: it was cut otherwise', vim.log.levels.WARN)
        return false
      end
      -- A pad with nothing in it has one empty line.
      if #written == 1 and written[1] == '' and not (#lines == 1 and lines[1] == '') then written = {} end
      if vim.deep_equal(written, lines) then
        local done, _, why = review:decide({ hunk }, 'accept')
        if not done and why then notice.say(why, vim.log.levels.WARN) end
        return done
      end
      local version = cut.edit(review, hunk, written)
      if version then view:go(review:next_undecided(version) or version) end
      return version ~= nil
    end,
  })
end

return M
