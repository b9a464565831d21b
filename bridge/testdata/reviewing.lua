-- What a test does to a review and sees of it, by its parts: keys and edits as a person makes them, and everything that
-- can be observed. Rows are 0-based, ends exclusive.
local api = vim.api
local M = {}

local function review()
  local queue = package.loaded['agent_diff.queue'] -- not before a server has attached
  return queue and queue.list()[1]
end

--- Whether the review of a path has its windows.
function M.is_open(path)
  local r = review()
  return r ~= nil and r.paths[1] == path and r.view ~= nil and r.view.layout ~= nil
end

local function feed(win, keys)
  api.nvim_set_current_win(win)
  api.nvim_feedkeys(api.nvim_replace_termcodes(keys, true, true, true), 'mtx', false)
end

local function source_win()
  local r = review()
  return r.view.layout.source_win, r.files[1].source.bufnr
end

--- Keys of the review, typed all at once.
function M.press(keys) feed(review().view:win(), keys) end

--- Puts the cursor on a line of a hunk; on a line of the head when index is 0.
function M.cursor(index, line)
  local view = review().view
  local row = index > 0 and view:row_of(review().hunks[index]) + line or 0
  api.nvim_win_set_cursor(view:win(), { row + 1, 0 })
end

--- Keys in the source buffer, with the cursor on a row.
function M.type(row, keys)
  local win, bufnr = source_win()
  api.nvim_set_current_win(win)
  api.nvim_win_set_cursor(win, { math.max(1, math.min(row + 1, api.nvim_buf_line_count(bufnr))), 0 })
  feed(win, keys)
  api.nvim_set_current_win(review().view:win())
end

--- An Ex command in the source buffer.
function M.ex(command)
  local win = source_win()
  api.nvim_win_call(win, function() vim.cmd('silent ' .. command) end)
end

--- What a plugin does: it sets lines.
function M.set(first, last, lines)
  local _, bufnr = source_win()
  api.nvim_buf_set_lines(bufnr, first, last, true, lines)
end

local function break_undo(bufnr)
  api.nvim_buf_call(bufnr, function() vim.cmd('let &l:undolevels = &l:undolevels') end)
end

--- Ends the undo step as typing does, between two changes of a plugin's.
function M.step()
  local _, bufnr = source_win()
  break_undo(bufnr)
end

local function mark_of(view, row)
  local ns = api.nvim_get_namespaces()['agent_diff.view']
  local texts = {}
  for _, mark in ipairs(api.nvim_buf_get_extmarks(view.bufnr, ns, { row, 0 }, { row, -1 }, { details = true })) do
    if mark[4].virt_text and mark[4].virt_text_pos == 'eol' then texts[#texts + 1] = mark[4].virt_text[1][1] end
  end
  return table.concat(texts, ' ')
end

--- The diff that is shown.
function M.diff()
  local view = review().view
  return table.concat(api.nvim_buf_get_lines(view.bufnr, view.diff_row, -1, false), '\n') .. '\n'
end

--- Everything that can be observed, when all that was done has been looked at.
function M.look()
  local r = review()
  if not r then return end
  local file = r.files[1]
  local source, bufnr, view = file.source, file.source.bufnr, r.view
  vim.wait(20000, function() return not source.seen and source.seeking == 0 end, 1)
  local dict = vim.b[view.bufnr].agent_diff
  local seen = { states = {}, marks = {}, edited = {}, before = {} }
  for i, hunk in ipairs(dict.hunks) do
    seen.states[i] = hunk.state
    seen.marks[i] = mark_of(view, view:row_of(r.hunks[i]))
    seen.edited[i] = r.hunks[i].edited
  end
  seen.counts = { dict.total, dict.applied, dict.rejected, dict.pending, dict.conflict }
  seen.progress = api.nvim_buf_get_lines(view.bufnr, view.progress_row, view.progress_row + 1, false)[1]
  seen.cursor = (view:index_at_cursor())
  seen.text = require('agent_diff.text').text(bufnr)
  seen.eol = vim.bo[bufnr].eol
  seen.settled = not source.seen and source.seeking == 0
  return seen
end

return M
