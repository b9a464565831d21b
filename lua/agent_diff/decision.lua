--- Deciding: what may follow on what is the table of rules that the server sends; this module carries it out at the source,
--- at once, so that keys typed ahead act one after the other.
local config = require('agent_diff.config')
local whole = require('agent_diff.whole')

local M = {}

--- Whether what a hunk wants is in the source, marked as applied or not.
---@param hunk agent_diff.Hunk
---@return boolean
function M.in_source(hunk) return hunk.state == 'applied' or hunk.kept end

---@return 'old'|'new'|'neither'
local function fit_of(hunk)
  if whole.is(hunk) then return whole.fit(hunk) end
  return hunk.file.source:fit(hunk)
end

---@return string? why it was not done
local function change(hunk, side)
  if whole.is(hunk) then return whole.note(hunk, side) end
  if side == 'new' and not hunk.file.reported then require('agent_diff.diagnostics').remember(hunk.file) end
  return hunk.file.source:change(hunk, side)
end

local function settle(hunk, state, reason)
  if state == 'applied' and hunk.state ~= 'applied' then
    hunk.before = hunk.state == 'rejected' and 'rejected' or 'pending'
  end
  hunk.state, hunk.reason, hunk.tried, hunk.barred = state, reason, false, nil
  if state ~= 'applied' then hunk.edited = false end
end

--- Reads a hunk's state: it is what the text says.
---@param hunk agent_diff.Hunk
---@return boolean changed
function M.read_state(hunk)
  local fit = fit_of(hunk)
  local state, edited, kept = hunk.state, false, hunk.kept
  if fit == 'new' then
    if not kept then state = 'applied' end
  elseif fit == 'old' then
    hunk.kept = false
    if state == 'applied' then state = hunk.before end
  else
    edited = state == 'applied' or kept
  end
  if state == hunk.state and edited == hunk.edited and kept == hunk.kept then return false end
  if state ~= hunk.state then settle(hunk, state, '') end
  hunk.edited = edited
  return true
end

local conflict_text = 'the lines in the file are not the ones that the proposal replaces'

--- Why a hunk cannot be applied.
local function conflict_of(hunk)
  if whole.is(hunk) then return hunk.whole.why end
  if not hunk.blocks[1].mark and hunk.reason ~= '' then return hunk.reason end
  return conflict_text
end

--- How a hunk stands, for restore().
---@param hunk agent_diff.Hunk
function M.snapshot(hunk)
  return {
    hunk = hunk,
    state = hunk.state,
    before = hunk.before,
    reason = hunk.reason,
    tried = hunk.tried,
    edited = hunk.edited,
    kept = hunk.kept,
  }
end

--- Changes the mark of a hunk whose text is in the source, and nothing else (toggle_applied = 'mark').
local function toggle_mark(hunk, fit)
  hunk.kept = not hunk.kept
  settle(hunk, hunk.kept and 'pending' or 'applied', '')
  hunk.edited = fit == 'neither'
end

--- Does one verb to one hunk, by the rules.
---@return table? step what undo() needs; nil when nothing changed
---@return string? refused why nothing was done
function M.act(review, hunk, verb)
  if review.view then review.view.colours:keep(hunk.file) end
  local fit = fit_of(hunk)
  local step = M.snapshot(hunk)
  local in_source = M.in_source(hunk)
  if verb == 'toggle' and in_source and config.get().toggle_applied == 'mark' and not whole.is(hunk) then
    toggle_mark(hunk, fit)
    return step
  end
  local rule = review.rules[in_source and 'applied' or hunk.state][verb][fit]
  local action, to = rule.action, rule.to
  if action == 'refuse' then
    if to == 'conflict' then
      settle(hunk, 'conflict', conflict_of(hunk))
      hunk.tried, hunk.barred = true, whole.is(hunk) and hunk.reason or nil
      return step, hunk.reason
    end
    return nil, 'its lines were edited since it was applied'
  end
  if action ~= 'keep' then
    local why = change(hunk, action == 'apply' and 'new' or 'old')
    if why then
      if in_source then return nil, why end
      settle(hunk, 'conflict', why)
      hunk.tried, hunk.barred = true, why
      return step, why
    end
    step.action = action
  end
  hunk.kept = false
  settle(hunk, to, '')
  hunk.edited = to == 'applied' and fit == 'neither'
  return step
end

local function mark_decided(hunks)
  for _, hunk in ipairs(hunks) do
    hunk.file.source:decided()
  end
end

---@return table<agent_diff.Source, agent_diff.Hunk[]>
local function by_source(hunks)
  local all = {}
  for _, hunk in ipairs(hunks) do
    local source = hunk.file.source
    all[source] = all[source] or {}
    table.insert(all[source], hunk)
  end
  return all
end

--- See Review:end_step().
function M.end_step(review, hunks)
  for source in pairs(by_source(hunks)) do
    if not review.ended then source:end_step() end
  end
end

--- See Review:ready().
---@return boolean usable
function M.ready(review, hunks)
  if not review:observe() then review:finish('source_gone') end
  for source, its in pairs(by_source(hunks)) do
    if not review.ended then source:find(its) end
  end
  M.end_step(review, hunks)
  return not review.ended
end

--- One decision: one undo step of each source buffer, one step of undo().
---@param review agent_diff.Review
---@param hunks agent_diff.Hunk[]
---@param verb 'accept'|'reject'|'toggle'
---@return boolean done every hunk did as it was told
---@return agent_diff.Hunk? refused the first that did not
---@return string? why
function M.decide(review, hunks, verb)
  if not review:ready(hunks) then return false end
  local steps, changed, refused, why = {}, {}, nil, nil
  for _, hunk in ipairs(hunks) do
    local step, reason = M.act(review, hunk, verb)
    if step then
      if step.state ~= hunk.state or step.action then steps[#steps + 1] = step end
      changed[#changed + 1] = hunk
    end
    if reason and not refused then
      refused, why = hunk, reason
    end
  end
  review:end_step(hunks)
  if #steps > 0 then
    review.undo_steps[#review.undo_steps + 1] = steps
    mark_decided(hunks)
  end
  review:changed(changed)
  return refused == nil, refused, why
end

local function stand_as(was)
  for _, field in ipairs({ 'state', 'before', 'reason', 'tried', 'edited', 'kept' }) do
    was.hunk[field] = was[field]
  end
end

--- Takes one hunk's part of a decision back.
---@return string? why it could not be done in the source; nothing was changed then
local function take_back(step)
  local hunk = step.hunk
  if step.action then
    local done, undone = 'new', 'old'
    if step.action == 'revert' then
      done, undone = undone, done
    end
    local fit = fit_of(hunk)
    if fit == 'neither' then return 'its lines were edited since' end
    local why = fit == done and change(hunk, undone)
    if why then return why end
  end
  stand_as(step)
  -- The text may have been changed by others since.
  M.read_state(hunk)
end

--- Lets a hunk stand again as it did, in the source too.
---@param was table see snapshot()
function M.restore(was)
  local hunk = was.hunk
  stand_as(was)
  if M.in_source(was) and fit_of(hunk) == 'old' then change(hunk, 'new') end
  M.read_state(hunk)
end

--- Takes all of a decision back.
---@param steps table[]
---@return string? why the first that could not be taken back could not
function M.take_back(steps)
  local first_why
  for i = #steps, 1, -1 do
    local why = take_back(steps[i])
    first_why = first_why or why
  end
  return first_why
end

--- Remembers what the disk holds of a file's hunks, when it was written; the server too.
---@param review agent_diff.Review
---@param file agent_diff.File
function M.note_written(review, file)
  if review.ended then return end
  file.source:observe()
  local ids = {}
  for _, hunk in ipairs(file.hunks) do
    hunk.written = M.in_source(hunk)
    if hunk.written then ids[#ids + 1] = hunk.id end
  end
  review.server:notify('written', review.ref, file.index, ids)
end

--- Whether a hunk of a file whose buffer is gone is on the disk, as far as that can be known here.
local function on_disk(hunk)
  local missing = not vim.uv.fs_lstat(hunk.file.path)
  if whole.is(hunk) and hunk.whole.kind == 'delete' then return missing and hunk.state == 'applied' end
  return not missing and hunk.written == true
end

--- Whether anything is accepted at the end of a review. What was not saved of a file whose buffer is gone does not count.
---@param review agent_diff.Review
---@param report table see Review:finish()
---@return boolean
function M.is_accepted(review, report)
  for i, file in ipairs(report.files) do
    local stands = file.gone ~= '' and on_disk or M.in_source
    if vim.iter(review.files[i].hunks):any(stands) then return true end
  end
  return false
end

--- Takes the last decision back.
---@param review agent_diff.Review
---@return agent_diff.Hunk? hunk the first one of the decision, nil when there was none
---@return string? why it could not be taken back in the source
function M.undo(review)
  local steps = review.undo_steps[#review.undo_steps]
  if not steps then return nil, 'no decision to undo' end
  if steps.cut then return require('agent_diff.cut').back(review, steps) end
  local hunks = vim.tbl_map(function(step) return step.hunk end, steps)
  if not review:ready(hunks) then return nil end
  review.undo_steps[#review.undo_steps] = nil
  local why = M.take_back(steps)
  review:end_step(hunks)
  mark_decided(hunks)
  review:changed(hunks)
  return hunks[1], why
end

return M
