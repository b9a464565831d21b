--- The last finished reviews of this Neovim, so that each can be taken back as a whole: what was applied, and between which
--- lines it stands. A hunk is taken back only where its text is still found, in one place.
local decision = require('agent_diff.decision')
local disk = require('agent_diff.disk')
local notice = require('agent_diff.notice')
local standing = require('agent_diff.standing')
local texts = require('agent_diff.text')
local whole = require('agent_diff.whole')

local M = {}

-- How many reviews are kept, and how many bytes of text in them.
local max_reviews = 20
local max_bytes = 4 * 1024 * 1024
-- How long after the review its text is looked at, in milliseconds.
local print_ms = 50

---@class agent_diff.FinishedHunk
---@field index integer in its file, as the agent knows it
---@field header string
---@field places table[]? { row, old, new, eol, above, below } for each block; nil when it cannot be taken back
---@field deed { kind: string, was: table }? what was done to the file as a whole
---@field why string? why it cannot
---@field back boolean? it is taken back

---@class agent_diff.FinishedFile
---@field path string
---@field saved boolean
---@field created boolean the file did not exist before
---@field print string of the text, as it was at the end
---@field hunks agent_diff.FinishedHunk[]

---@class agent_diff.Finished
---@field id string
---@field name string
---@field tool string
---@field rule string? what let it through without a review
---@field time integer
---@field lines string[] the diff
---@field files agent_diff.FinishedFile[]
---@field applied integer how many hunks
---@field undone boolean
---@field bytes integer

---@type agent_diff.Finished[]
local kept = {}

local function size(lines)
  local bytes = 0
  for _, line in ipairs(lines) do
    bytes = bytes + #line + 1
  end
  return bytes
end

---@param file agent_diff.File
---@param hunk agent_diff.Hunk
---@param lines string[]? of the buffer; nil when it is gone
---@return agent_diff.FinishedHunk
local function note_hunk(file, hunk, index, lines)
  local noted = { index = index, header = hunk.header }
  if whole.is(hunk) then
    noted.deed = hunk.whole.was and { kind = hunk.whole.kind, was = hunk.whole.was }
    if not noted.deed then noted.why = 'it is not known what was there before' end
    return noted
  end
  if not lines then
    noted.why = 'its buffer was closed when the review ended'
    return noted
  end
  local places = {}
  for i, block in ipairs(hunk.blocks) do
    local side, first, last = file.source.anchors:place(block)
    if side ~= 'new' or not first then
      noted.why = 'its lines were changed when the review ended'
      return noted
    end
    places[i] = {
      row = first,
      old = block.old,
      new = block.new,
      eol = block.eol,
      above = vim.list_slice(lines, math.max(first - standing.context, 0) + 1, first),
      below = vim.list_slice(lines, last + 1, math.min(last + standing.context, #lines)),
    }
  end
  noted.places = places
  return noted
end

--- What a text is known by.
local function print_of(lines, eol)
  return vim.fn.sha256(table.concat(lines, '\n') .. (eol and #lines > 0 and '\n' or ''))
end

---@param hunk agent_diff.FinishedHunk
local function bytes_of(hunk)
  local bytes = hunk.deed and #(hunk.deed.was.bytes or '') or 0
  for _, place in ipairs(hunk.places or {}) do
    bytes = bytes + size(place.old) + size(place.new) + size(place.above) + size(place.below)
  end
  return bytes
end

---@param review agent_diff.Review
---@param file agent_diff.File
---@param report table for the server
---@return agent_diff.FinishedFile
---@return integer bytes
local function note_file(review, file, report)
  local bufnr = file.source.bufnr
  local loaded = vim.api.nvim_buf_is_loaded(bufnr)
  local lines = loaded and texts.lines(bufnr) or nil
  local noted = {
    path = file.path,
    -- What is only reviewed here the agent writes at once.
    saved = review.text_only or report.saved,
    created = file.loaded.was_missing or (review.text_only and vim.uv.fs_lstat(file.path) == nil),
    print = '',
    hunks = {},
  }
  if lines then
    local eol = vim.bo[bufnr].eol
    -- The agent does not wait for this.
    vim.defer_fn(function() noted.print = print_of(lines, eol) end, print_ms)
  end
  local bytes = 0
  for index, hunk in ipairs(file.hunks) do
    if decision.in_source(hunk) then
      local one = note_hunk(file, hunk, index, lines)
      noted.hunks[#noted.hunks + 1] = one
      bytes = bytes + bytes_of(one)
    end
  end
  return noted, bytes
end

--- Forgets the oldest as far as there are too many. The last one stays, however large.
local function forget()
  local bytes = 0
  for i = #kept, 1, -1 do
    bytes = bytes + kept[i].bytes
    if i < #kept and (#kept - i >= max_reviews or bytes > max_bytes) then
      for _ = 1, i do
        table.remove(kept, 1)
      end
      return
    end
  end
end

--- Keeps a review that ends by a decision. Its sources are still watched.
---@param review agent_diff.Review
---@param report table for the server
function M.keep(review, report)
  local diff = review.auto and review.diff or {} -- the others were seen
  local record = {
    id = review.id,
    name = review.shown.name,
    tool = review.tool,
    rule = review.auto,
    time = os.time(),
    lines = diff,
    files = {},
    applied = 0,
    undone = false,
    bytes = size(diff),
  }
  for i, file in ipairs(review.files) do
    if report.files[i].gone == '' and vim.iter(file.hunks):any(decision.in_source) then
      local noted, bytes = note_file(review, file, report.files[i])
      record.applied, record.bytes = record.applied + #noted.hunks, record.bytes + bytes
      record.files[#record.files + 1] = noted
    end
  end
  if record.applied == 0 then return end
  kept[#kept + 1] = record
  forget()
end

--- The kept reviews, the last one first.
---@return agent_diff.Finished[]
function M.list()
  local list = {}
  for i = #kept, 1, -1 do
    list[#list + 1] = kept[i]
  end
  return list
end

--- The blocks of a file turned round, so that applying them takes them back; each hunk without a place is refused.
---@param file agent_diff.FinishedFile
---@param bufnr integer
---@param refuse fun(hunk: agent_diff.FinishedHunk, why: string)
---@return table[] hunks as a source takes them
local function turn_round(file, bufnr, refuse)
  local lines = texts.lines(bufnr)
  local same = print_of(lines, vim.bo[bufnr].eol) == file.print
  local rows = same and {} or standing.index(lines)
  local hunks, id = {}, 0
  for _, hunk in ipairs(vim.tbl_filter(function(hunk) return not hunk.back and not hunk.deed end, file.hunks)) do
    local turned, why, back = { blocks = {}, hunk = hunk }, hunk.why, 0
    for _, place in ipairs(hunk.places or {}) do
      local row = place.row
      if not same then row = standing.find(lines, rows, place.new, place) end
      if not row and standing.find(lines, rows, place.old, place) then
        back = back + 1
      elseif not row then
        why = 'its lines, or those beside them, have changed since'
      end
      id = id + 1
      local eol = place.eol and { old = place.eol.new, new = place.eol.old }
      table.insert(
        turned.blocks,
        { id = id, row = row, old = place.new, new = place.old, eol = eol, hunk = turned }
      )
    end
    if back == #turned.blocks and not why then
      hunk.back = true -- the person has undone it
    elseif why or back > 0 then
      refuse(hunk, why or 'a part of it is taken back already')
    else
      hunks[#hunks + 1] = turned
    end
  end
  return hunks
end

--- Changes the buffer back: one undo step.
---@return integer undone how many hunks
local function change_back(bufnr, hunks, refuse)
  local blocks = {}
  for _, turned in ipairs(hunks) do
    vim.list_extend(blocks, turned.blocks)
  end
  table.sort(blocks, function(a, b) return a.row < b.row end)
  local source = require('agent_diff.source').attach(bufnr, blocks)
  source.on_change, source.on_lost, source.on_gone = function() end, function() end, function() end
  local undone = 0
  source:end_step()
  for _, turned in ipairs(hunks) do
    local why = source:fit(turned) ~= 'old' and 'its lines have changed since' or source:change(turned, 'new')
    if why then
      refuse(turned.hunk, why)
    else
      turned.hunk.back = true
      undone = undone + 1
    end
  end
  source:end_step()
  source:detach()
  return undone
end

--- Whether a review that is open has the file.
local function under_review(path)
  for _, review in ipairs(require('agent_diff.queue').list()) do
    if vim.list_contains(review.paths, path) then return true end
  end
  return false
end

--- Saves what was taken back where the review had saved; a file that the review made, and that is empty now, goes.
---@return string? why it was not saved
local function save_back(file, loaded, undone)
  if not file.saved or undone == 0 then return nil end
  if loaded.unsaved then return 'not saved: the buffer had other unsaved changes' end
  local why = require('agent_diff.write').write(loaded.watch)
  if why then return 'not saved: ' .. why end
  if not file.created or #texts.lines(loaded.bufnr) > 0 or not disk.holds(loaded.bufnr, file.path) then
    return nil
  end
  local removed, err = vim.uv.fs_unlink(file.path)
  if not removed then return 'the empty file is left: ' .. err end
  require('agent_diff.folder').drop(file.path)
  loaded.watch:compare(true) -- Neovim knows it then, and says nothing about it later
  loaded.ours.created = loaded.ours.loaded
end

--- Takes back the hunks of lines in one file.
---@param file agent_diff.FinishedFile
---@param say fun(why: string)
---@return integer undone how many hunks
local function undo_lines(file, say)
  local files = require('agent_diff.file')
  local opened, loaded = pcall(files.open, file.path)
  if not opened then
    say(tostring(loaded))
    return 0
  end
  loaded.watch:compare()
  loaded.unsaved = vim.bo[loaded.bufnr].modified
  local function refuse(hunk, why) say(('hunk %d: %s'):format(hunk.index, why)) end
  local ok, undone = pcall(function()
    local hunks = turn_round(file, loaded.bufnr, refuse)
    return #hunks > 0 and change_back(loaded.bufnr, hunks, refuse) or 0
  end)
  if not ok then
    say(tostring(undone))
    undone = 0
  end
  local why = save_back(file, loaded, undone)
  if why then say(why) end
  notice.as_typed(function() pcall(files.release, loaded) end)
  return undone
end

--- Takes back what was done in one file, and to it as a whole.
---@param file agent_diff.FinishedFile
---@param problems string[]
---@return integer undone how many hunks
local function undo_file(file, problems)
  local name = vim.fn.fnamemodify(file.path, ':~:.')
  local function say(why) problems[#problems + 1] = ('%s: %s'):format(name, why) end
  if under_review(file.path) then
    say('a review of it is open')
    return 0
  end
  local lines, deeds = {}, {}
  for _, hunk in ipairs(file.hunks) do
    if not hunk.back then table.insert(hunk.deed and deeds or lines, hunk) end
  end
  local undone = #lines > 0 and undo_lines(file, say) or 0
  for i = #deeds, 1, -1 do
    local why = require('agent_diff.restore').undo(file.path, deeds[i].deed)
    if why then
      say(('hunk %d: %s'):format(deeds[i].index, why))
    else
      undone, deeds[i].back = undone + 1, true
      if deeds[i].deed.kind == 'rename' then file.path = deeds[i].deed.was.from end
    end
  end
  return undone
end

--- Takes a finished review back. What cannot be taken back is named, and stays.
---@param record agent_diff.Finished
---@return boolean there was something to take back
function M.undo(record)
  local problems, undone = {}, 0
  for _, file in ipairs(record.undone and {} or record.files) do
    undone = undone + undo_file(file, problems)
  end
  if undone == 0 and #problems == 0 then
    record.undone = true
    return false
  end
  record.undone = undone > 0
  local said = ('%s: %d of %d hunks taken back'):format(record.name, undone, record.applied)
  if #problems > 0 then said = said .. '; ' .. table.concat(problems, '; ') end
  notice.say(said, #problems > 0 and vim.log.levels.WARN or nil)
  return true
end

--- Takes back the last finished review that is not taken back yet, by this or by the person's own undo.
function M.undo_last()
  for _, record in ipairs(M.list()) do
    if M.undo(record) then return end
  end
  notice.say('no finished review to take back')
end

return M
