--- A file of a review that only composes a text: the agent writes the file itself. What is decided happens in a buffer of
--- ours that holds the file's text, so the file and the person's own buffer of it stay as they are.
local api = vim.api

local M = {}

--- Whether the person has changes of the file that are not on the disk, which the agent knows nothing of.
---@param path string absolute, symbolic links resolved
---@return boolean
local function is_unsaved(path)
  local bufnr = require('agent_diff.disk').find(path)
  return bufnr ~= nil and api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].modified
end

--- What the server, which reads the disk itself, cannot know of a file.
---@param path string absolute, symbolic links resolved
---@return table facts
function M.facts(path)
  local notices = {}
  if is_unsaved(path) then
    notices[1] = 'You have unsaved changes in this file, and the agent writes it on disk: '
      .. 'what you accept is refused to it as long as they are there.'
  end
  return { notices = notices }
end

--- Puts the text under review into a buffer of ours.
---@param id string the review's
---@param given { path: string, name: string, text: { lines: string[], eol: boolean } }
---@return agent_diff.Loaded
function M.open(id, given)
  local bufnr = api.nvim_create_buf(false, true)
  local name = ('agent-diff-text://%s/%s'):format(id, given.name)
  if not pcall(api.nvim_buf_set_name, bufnr, name) then
    api.nvim_buf_set_name(bufnr, vim.fn.strtrans(name))
  end
  local bo = vim.bo[bufnr]
  bo.modeline, bo.swapfile = false, false
  local levels = bo.undolevels
  bo.undolevels = -1 -- `u` must not take the text itself away
  if #given.text.lines > 0 then api.nvim_buf_set_lines(bufnr, 0, -1, false, given.text.lines) end
  bo.eol = given.text.eol
  bo.undolevels = levels
  bo.modified = false
  local filetype = vim.filetype.match({ filename = given.path, buf = bufnr })
  if filetype then require('agent_diff.notice').as_typed(function() vim.bo[bufnr].filetype = filetype end) end
  return { path = given.path, bufnr = bufnr }
end

--- Why the text under review is there no more, if it is so.
---@param file agent_diff.File
---@return string?
function M.gone(file)
  if not api.nvim_buf_is_loaded(file.source.bufnr) then return 'The text under review was closed.' end
end

--- What became of one file, for the server.
---@param file agent_diff.File
---@param _ boolean
---@param gone string? see gone()
function M.report(file, _, gone)
  local source = file.source
  local hunks = require('agent_diff.file').hunk_reports(file)
  local report = { hunks = hunks, notes = {}, gone = gone or '', unsaved_here = is_unsaved(file.path) }
  report.changed = source.foreign
  if source.foreign and api.nvim_buf_is_loaded(source.bufnr) then
    report.text = require('agent_diff.text').text(source.bufnr)
  end
  return report
end

--- Takes the buffer away.
---@param loaded agent_diff.Loaded
function M.release(loaded)
  if api.nvim_buf_is_valid(loaded.bufnr) then api.nvim_buf_delete(loaded.bufnr, { force = true }) end
end

return M
