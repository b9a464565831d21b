--- Cutting hunks otherwise, when a person wants to decide on less than a hunk or in their own words. How hunks can be cut is
--- known to the server. It is asked, and waited for: keys that are typed ahead must find the new hunks. When the answer is
--- late, everything stays as it was; the server does not make a cut that was not taken.
local decision = require('agent_diff.decision')
local notice = require('agent_diff.notice')

local M = {}

-- How long an answer is waited for, in milliseconds.
local answer_ms = 1000

---@class agent_diff.Cut what undo() needs
---@field gone { hunk: agent_diff.Hunk, was: table }[] the hunks before, and how they stood
---@field hunks agent_diff.Hunk[] those that came in their place

--- Asks the server for a cut.
---@param review agent_diff.Review
---@param wish table see session.cut in the server
---@param take fun(given: table): boolean takes the answer; false: it is refused
---@return boolean taken
local function ask(review, wish, take)
  if review.asked then return false end -- a key within a key
  local asked = { token = (review.last_token or 0) + 1, take = take }
  review.last_token, review.asked = asked.token, asked
  review.server:notify('cut', review.ref, asked.token, wish)
  vim.wait(answer_ms, function() return asked.taken ~= nil or review.ended or review.gone end, 1)
  review.asked = nil
  if asked.taken == nil and not review.ended then
    notice.say('the agent does not answer: nothing was changed', vim.log.levels.WARN)
  end
  return asked.taken == true
end

--- Takes the server's answer.
---@param review agent_diff.Review
---@param given table see wireRecut in the server
---@return boolean taken
function M.answer(review, given)
  local asked = review.asked
  if not asked or asked.token ~= given.token or asked.taken ~= nil or review.ended then return false end
  if given.why ~= '' then notice.say(given.why, vim.log.levels.WARN) end
  asked.taken = false
  asked.taken = asked.take(given) == true
  return asked.taken
end

local function by_id(list)
  local map = {}
  for _, item in ipairs(list) do
    map[item.id] = item
  end
  return map
end

--- Which of the blocks are not among the others.
local function without(blocks, others)
  local there = by_id(others)
  return vim.tbl_filter(function(block) return not there[block.id] end, blocks)
end

--- A hunk that was cut from another one.
local function part_of(from, given)
  local hunk = {
    id = given.id,
    file = from.file,
    state = from.state,
    before = from.before,
    reason = from.reason,
    tried = from.tried,
    barred = from.barred,
    edited = from.edited,
    kept = from.kept,
    blocks = given.blocks,
    origin = from,
  }
  local known = by_id(from.blocks)
  for i, block in ipairs(hunk.blocks) do
    hunk.blocks[i] = known[block.id] or block
  end
  return hunk
end

--- Which blocks come in the place of which, by the hunks that were cut, or that come back.
---@return { old: agent_diff.Block[], new: agent_diff.Block[] }[]
local function exchanges(gone, added)
  local by_hunk, all = {}, {}
  local function of(hunk)
    if not by_hunk[hunk] then
      by_hunk[hunk] = { old = {}, new = {} }
      all[#all + 1] = by_hunk[hunk]
    end
    return by_hunk[hunk]
  end
  local back = {}
  for _, hunk in ipairs(added) do
    back[hunk] = true
  end
  for _, hunk in ipairs(gone) do
    vim.list_extend(of(back[hunk.origin] and hunk.origin or hunk).old, hunk.blocks)
  end
  for _, hunk in ipairs(added) do
    vim.list_extend(of(by_hunk[hunk] and hunk or hunk.origin).new, hunk.blocks)
  end
  for _, exchange in ipairs(all) do
    exchange.old, exchange.new = without(exchange.old, exchange.new), without(exchange.new, exchange.old)
  end
  return all
end

--- The hunks of a file as they shall be, and which of them come and go.
local function compare(file, given, kept)
  local known = by_id(file.hunks)
  local plan = { file = file, given = given, hunks = {}, added = {}, gone = {} }
  local stays = {}
  for i, h in ipairs(given.hunks) do
    local hunk = known[h.id]
    if hunk then
      stays[hunk] = true
    else
      hunk = kept[h.id] or part_of(known[h.from], h)
      plan.added[#plan.added + 1] = hunk
    end
    plan.hunks[i] = hunk
  end
  for _, hunk in ipairs(file.hunks) do
    if not stays[hunk] then plan.gone[#plan.gone + 1] = hunk end
  end
  plan.exchanges = exchanges(plan.gone, plan.added)
  return plan
end

--- Whether the places of the blocks that go are known, so that others can be put there.
---@return string? why not
local function hindered(plan)
  local come = {}
  for _, exchange in ipairs(plan.exchanges) do
    vim.list_extend(come, exchange.new)
    for _, block in ipairs(exchange.old) do
      if plan.file.source:fit(block.hunk) == 'neither' then return 'its lines were edited since' end
    end
  end
  if #come > 0 and plan.file.loaded.watch then
    local char = require('agent_diff.disk').unencodable(plan.file.source.bufnr, { { blocks = come } })
    if char then return ('the encoding of the file cannot hold %s'):format(char) end
  end
end

--- Puts the new hunks in the place of the old ones.
local function carry_out(review, plans, drawing)
  review.hunks = {}
  for _, plan in ipairs(plans) do
    local file = plan.file
    for _, hunk in ipairs(plan.added) do
      for _, block in ipairs(hunk.blocks) do
        block.hunk = hunk
      end
    end
    for _, exchange in ipairs(plan.exchanges) do
      file.source.anchors:replace(exchange.old, exchange.new)
    end
    file.hunks, file.line = plan.hunks, plan.given.line
    for i, hunk in ipairs(plan.hunks) do
      local h = plan.given.hunks[i]
      hunk.header, hunk.line, hunk.lines, hunk.inner = h.header, h.line, h.lines, h.inner
      review.hunks[#review.hunks + 1] = hunk
      hunk.index = #review.hunks
    end
  end
  review.view:redraw(drawing)
end

--- What is said about hunks that go is said about what comes in their place.
local function move_comments(review, gone, added)
  if #added == 0 then return end
  local said = {}
  for _, hunk in ipairs(gone) do
    if hunk.comment then said[#said + 1] = hunk.comment end
  end
  if #said == 0 and not added[1].comment then return end
  added[1].comment = #said > 0 and table.concat(said, '\n') or nil
  review.server:notify('comment', review.ref, added[1].id, added[1].comment or '')
end

--- Takes what the server sends, when nothing hinders it.
---@param given table
---@param kept table<integer, agent_diff.Hunk> hunks that come back, by their ids
---@param before fun(gone: agent_diff.Hunk[]): string? called before anything is changed; why it is refused
---@return agent_diff.Cut? cut
---@return string? why not
local function take(review, given, kept, before)
  local plans, gone, added = {}, {}, {}
  for i, file in ipairs(review.files) do
    local plan = compare(file, given.files[i], kept)
    local why = hindered(plan)
    if why then return nil, why end
    plans[i] = plan
    vim.list_extend(gone, plan.gone)
    vim.list_extend(added, plan.added)
  end
  local why = before and before(gone)
  if why then return nil, why end
  local cut = { gone = {}, hunks = added }
  for i, hunk in ipairs(gone) do
    cut.gone[i] = decision.snapshot(hunk)
  end
  carry_out(review, plans, given)
  move_comments(review, gone, added)
  return cut
end

local function warn(why)
  notice.say(why, vim.log.levels.WARN)
  return false
end

--- Splits a hunk into its change blocks.
---@param review agent_diff.Review
---@param hunk agent_diff.Hunk
---@return agent_diff.Hunk[]? parts nil when it cannot be split
function M.split(review, hunk)
  local parts
  if not review:ready({ hunk }) then return nil end
  ask(review, { how = 'split', hunk = hunk.id }, function(given)
    if not given.open then return false end
    local cut, why = take(review, given.open, {})
    if not cut then return warn(why) end
    parts = cut.hunks
    for _, part in ipairs(parts) do
      decision.read_state(part)
    end
    review.undo_steps[#review.undo_steps + 1] = { cut = cut }
    review:changed(parts)
    return true
  end)
  return parts
end

--- Divides hunks in what is selected of them and the rest.
---@param review agent_diff.Review
---@param selected { [1]: agent_diff.Hunk, [2]: integer[] }[] hunks with the selected rows, counted from their first one
---@return agent_diff.Hunk[]? chosen nil when they cannot be divided
---@return agent_diff.Cut? cut
function M.divide(review, selected)
  local wish = { how = 'lines', hunks = {} }
  local all = by_id(review.hunks)
  for i, pair in ipairs(selected) do
    wish.hunks[i] = { pair[1].id, pair[2] }
  end
  local chosen, made
  if not review:ready(vim.tbl_map(function(pair) return pair[1] end, selected)) then return nil end
  ask(review, wish, function(given)
    if given.open then
      local why
      made, why = take(review, given.open, {})
      if not made then return warn(why) end
      all = by_id(review.hunks)
    end
    chosen = vim.tbl_map(function(id) return all[id] end, given.chosen)
    return true
  end)
  return chosen, made
end

--- The new text of a hunk.
---@return string[]? lines
function M.text(review, hunk)
  local lines
  ask(review, { how = 'text', hunk = hunk.id }, function(given)
    if given.why == '' then lines = given.text end
    return true
  end)
  return lines
end

--- Puts the person's text in the place of a hunk's, and accepts it.
---@param review agent_diff.Review
---@param hunk agent_diff.Hunk
---@param lines string[]
---@return agent_diff.Hunk? hunk the person's version
function M.edit(review, hunk, lines)
  if not review:ready({ hunk }) then return nil end
  local version
  ask(review, { how = 'edit', hunk = hunk.id, lines = lines }, function(given)
    if not given.open then return false end
    local source = hunk.file.source
    local cut, why = take(review, given.open, {}, function()
      local fit = source:fit(hunk)
      if fit == 'neither' then return 'its lines were edited, so it cannot be edited here' end
      return fit == 'new' and source:change(hunk, 'old') or nil
    end)
    if not cut then return warn(why) end
    version = cut.hunks[1]
    decision.read_state(version)
    local step = decision.act(review, version, 'accept')
    local steps = { step }
    steps.cut = cut
    review:end_step({ version })
    review.undo_steps[#review.undo_steps + 1] = steps
    review:changed({ version })
    return true
  end)
  return version
end

--- Takes a cut back, with what was decided in the same step.
---@param review agent_diff.Review
---@param steps table the step, its `cut` set
---@return agent_diff.Hunk? hunk the first one that came back
---@return string? why not
function M.back(review, steps)
  local cut = steps.cut
  if not review:ready(cut.hunks) then return nil end
  local kept, first, why = {}, nil, nil
  for _, was in ipairs(cut.gone) do
    kept[was.hunk.id] = was.hunk
  end
  local taken = ask(review, { how = 'back' }, function(given)
    if not given.open then return false end
    local undone, hindrance = take(review, given.open, kept, function() why = decision.take_back(steps) end)
    if not undone then
      why = hindrance
      return false
    end
    review.undo_steps[#review.undo_steps] = nil
    local hunks = vim.tbl_map(function(was)
      decision.restore(was)
      return was.hunk
    end, cut.gone)
    for _, step in ipairs(steps) do
      if not vim.tbl_contains(cut.hunks, step.hunk) then hunks[#hunks + 1] = step.hunk end
    end
    first = hunks[1]
    review:end_step(hunks)
    review:changed(hunks)
    return true
  end)
  if not taken and not why then why = 'it could not be taken back' end
  return first or cut.hunks[1], why
end

return M
