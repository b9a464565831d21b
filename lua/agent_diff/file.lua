--- A file under review, from loading it to giving its buffer back: what the server is told of it, and saving.
local api = vim.api
local config = require('agent_diff.config')
local decision = require('agent_diff.decision')
local disk = require('agent_diff.disk')

local M = {}

---@class agent_diff.Loaded
---@field path string absolute, symbolic links resolved
---@field bufnr integer
---@field ours { loaded: boolean, created: boolean } what we did to have it
---@field watch agent_diff.Watch
---@field was_missing boolean the file did not exist
---@field unsaved boolean it had unsaved changes before the review
---@field no_write string? why it must not be written
---@field changed boolean? the person changed it during the review
---@field encoding string? 'fileencoding' when it was read; empty for UTF-8

--- Loads a file, or finds the buffer that has it.
---@param path string absolute, symbolic links resolved
---@return agent_diff.Loaded
function M.open(path)
  local bufnr, ours = disk.load(path)
  local watch = disk.watch(bufnr, path)
  return {
    path = path,
    bufnr = bufnr,
    ours = ours,
    watch = watch,
    unsaved = false,
    was_missing = watch.missing,
  }
end

--- Reads the file as the person sees it.
---@param loaded agent_diff.Loaded
---@return table facts for the server; the text ends as the file does
function M.read(loaded)
  local bufnr, watch = loaded.bufnr, loaded.watch
  local bo = vim.bo[bufnr]
  local facts = { bufnr = bufnr, notices = {} }
  watch:compare()
  local utf8 = bo.fileencoding == '' or bo.fileencoding == 'utf-8'
  local clean = not (bo.modified or watch.changed or watch.deleted or watch.missing)
  if clean and not utf8 and not disk.holds(bufnr, loaded.path) then
    local again = not loaded.reloaded
    M.unlike(loaded)
    if again then return M.read(loaded) end
  end
  local function note(text) facts.notices[#facts.notices + 1] = text end
  local swap = disk.foreign_swap(bufnr)
  if swap then
    note(('swap file %s: another program edits the file; it will not be written.'):format(swap))
  end
  if watch.changed then
    note('The file has changed on disk since it was read here; it will not be written.')
  end
  if watch.deleted then
    note('The file was deleted on disk; what is reviewed is the text that is still here.')
  end
  if loaded.no_write then note(loaded.no_write .. '; it will not be written.') end
  if clean and utf8 then
    -- The server reads a file faster than a buffer can be sent; this is how it knows that they are the same.
    local lines = api.nvim_buf_line_count(bufnr)
    facts.disk = { lines = lines, bytes = api.nvim_buf_get_offset(bufnr, lines) }
  else
    facts.text = require('agent_diff.text').text(bufnr)
  end
  loaded.unsaved = bo.modified
  facts.eol = bo.eol
  facts.tick = api.nvim_buf_get_changedtick(bufnr)
  facts.crlf = bo.fileformat == 'dos'
  facts.bom = bo.bomb
  facts.missing = watch.missing
  facts.unsaved = bo.modified or watch.deleted
  facts.encoding = utf8 and '' or bo.fileencoding
  loaded.encoding = facts.encoding
  return facts
end

--- Called when an unmodified buffer is not what the disk holds, though Neovim believes it: the person did not want to have
--- it read again, say. Where that does not help, something reads the file otherwise, and would write it otherwise.
---@param loaded agent_diff.Loaded
function M.unlike(loaded)
  if loaded.reloaded then
    loaded.no_write = 'Neovim shows the file otherwise than it is on disk'
  else
    loaded.reloaded = true
    loaded.watch:reload()
  end
end

--- Whether the file may be written now.
---@param file agent_diff.File
---@return boolean may
---@return string? why not
local function may_save(file)
  local save = config.get().save
  if save == 'never' then return false, "the option save is 'never'" end
  if file.loaded.no_write then return false, file.loaded.no_write end
  if save == 'auto' and file.loaded.unsaved and not file.loaded.watch.changed then
    return false, 'the buffer had unsaved changes before the review'
  end
  return true
end

--- Writes the file where that is wanted, and tells in the report what the disk holds then.
local function save(file, report, applied)
  local bufnr, watch = file.source.bufnr, file.loaded.watch
  -- When nothing is applied there is nothing to save, but what was saved and then taken back.
  if applied == 0 and not watch.written then return end
  if not vim.bo[bufnr].modified and disk.holds(bufnr, file.path) then
    report.saved = true -- the person has written it already
    return
  end
  local may, why = may_save(file)
  if may then
    local tick = api.nvim_buf_get_changedtick(bufnr)
    why = require('agent_diff.write').write(watch)
    local encoding = vim.bo[bufnr].fileencoding
    if encoding == '' or encoding == 'utf-8' then
      report.verify = why == nil -- the server reads the disk again, faster than we can
    elseif not why and not disk.holds(bufnr, file.path) then
      why = 'the file on disk does not hold what was written'
    end
    report.saved = why == nil
    -- A BufWritePre formatter, say. Writing itself adds one tick.
    if api.nvim_buf_get_changedtick(bufnr) > tick + 1 then
      report.after_save = require('agent_diff.text').text(bufnr)
    end
  end
  report.unsaved = why or ''
end

--- Why a buffer is its file's no more, if it is so. A deletion before the review is known, and was said.
---@param file agent_diff.File
---@return string?
function M.gone(file)
  local watch = file.loaded.watch
  if not api.nvim_buf_is_loaded(watch.bufnr) then
    return 'The buffer of the file was closed during the review.'
  end
  local before = watch.deleted
  watch:compare(true)
  if watch.deleted and not before then return 'The file was deleted during the review.' end
end

--- What became of the hunks of a file, for the server.
---@param file agent_diff.File
---@return table[] reports
---@return integer applied how many are in the source, and so to be saved
function M.hunk_reports(file)
  local reports, applied = {}, 0
  for i, hunk in ipairs(file.hunks) do
    reports[i] = {
      id = hunk.id,
      state = hunk.state,
      edited = hunk.edited,
      kept = hunk.kept,
      tried = hunk.tried or false,
      barred = hunk.barred or '',
      reason = hunk.reason or '',
    }
    local is_text = #hunk.blocks > 0 or hunk.whole.kind == 'create'
    if is_text and decision.in_source(hunk) then applied = applied + 1 end
  end
  return reports, applied
end

--- What became of one file, for the server.
---@param file agent_diff.File
---@param decides boolean whether the review ended by a decision: then what was accepted is saved, and done
---@param gone string? see gone(): the server decides by what is on disk
function M.report(file, decides, gone)
  local source, bufnr = file.source, file.source.bufnr
  local hunks, applied = M.hunk_reports(file)
  local report = {
    hunks = hunks,
    notes = {},
    gone = gone or '',
    saved = false,
    unsaved = '',
    changed = source.foreign,
    written = file.loaded.watch.written,
    open = api.nvim_buf_is_loaded(bufnr),
    modified = false,
    crlf = false,
    bom = false,
    adds_newline = false,
  }
  file.loaded.changed = source.foreign -- by the person; what saving changes does not count
  if not api.nvim_buf_is_loaded(bufnr) then return report end
  if source.foreign then report.before_save = require('agent_diff.text').text(bufnr) end
  local bo = vim.bo[bufnr]
  report.modified = bo.modified
  if decides and not gone then
    local ok, err = pcall(save, file, report, applied)
    if not ok then
      report.saved, report.unsaved = false, tostring(err)
    end
  end
  report.crlf, report.bom = bo.fileformat == 'dos', bo.bomb
  local encoding = bo.fileencoding == 'utf-8' and '' or bo.fileencoding
  if encoding ~= file.loaded.encoding and report.saved then
    local now = encoding == '' and 'utf-8' or encoding
    report.notes[#report.notes + 1] = ("The user changed the file's encoding to %s."):format(now)
  end
  report.adds_newline = bo.modified and source.fixeol == true and not bo.eol
  if decides and not gone then require('agent_diff.whole').perform(file, report) end
  return report
end

--- Leaves the giving back to another review that has the buffer by now.
---@return boolean done
local function hand_over(loaded)
  for _, review in ipairs(require('agent_diff.queue').list()) do
    for _, other in pairs(review.loaded) do
      if other ~= loaded and other.bufnr == loaded.bufnr then
        other.ours = loaded.ours
        return true
      end
    end
  end
  return false
end

--- Gives a buffer back: unloaded again where only the review had it.
---@param loaded agent_diff.Loaded
function M.release(loaded)
  local bufnr, ours = loaded.bufnr, loaded.ours
  loaded.watch:stop()
  if not api.nvim_buf_is_loaded(bufnr) then return end
  -- What was applied and taken back is as it was before, and nothing that could be lost.
  if vim.bo[bufnr].modified and not loaded.unsaved and loaded.watch:in_step() then
    vim.bo[bufnr].modified = false
  end
  if not ours.loaded or hand_over(loaded) then return end
  if vim.bo[bufnr].modified then
    vim.bo[bufnr].buflisted = true
  elseif not loaded.changed and #vim.fn.win_findbuf(bufnr) == 0 then
    api.nvim_buf_delete(bufnr, { unload = not ours.created, force = false })
  end
end

return M
