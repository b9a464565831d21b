--- One review: its files and hunks, what is told of them, the end. Deciding is in decision.lua.
local api = vim.api
local decision = require('agent_diff.decision')
local notice = require('agent_diff.notice')
local whole = require('agent_diff.whole')

local M = {}

---@class agent_diff.Hunk
---@field id integer unique in its file
---@field file agent_diff.File
---@field index integer 1-based, in display order
---@field header string
---@field line integer 0-based row of the header in the review buffer
---@field lines integer rows of the hunk there, header included
---@field state 'pending'|'applied'|'rejected'|'conflict'
---@field before 'pending'|'rejected' what it was before it was applied
---@field reason string why it is in conflict
---@field edited boolean applied, and changed by the person since
---@field barred string? what kept it from being applied although its text fits
---@field kept boolean not marked as applied, but its text is in the source
---@field written boolean? its text was in the source when that was last written
---@field blocks agent_diff.Block[] none when only the file as a whole changes
---@field whole agent_diff.Whole?
---@field comment string? the person's
---@field inner boolean? a part that is shown within another one's hunk, without an `@@` line
---@field origin agent_diff.Hunk? what it was cut from

---@class agent_diff.File
---@field index integer 1-based
---@field path string absolute
---@field name string
---@field kind 'create'|'modify'|'delete'|'rename'
---@field to string where a renamed file goes, absolute
---@field to_name string the same as the agent gave it
---@field print string? of the text that is to be deleted, see whole.lua
---@field line integer 0-based row in the diff
---@field crlf boolean its lines end in CRLF
---@field source agent_diff.Source
---@field loaded agent_diff.Loaded
---@field hunks agent_diff.Hunk[]
---@field reported table<string, integer>? what was reported before anything was applied, see diagnostics.lua

---@class agent_diff.Review
---@field id string
---@field text_only boolean nothing is changed but the text under review; see draft.lua
---@field shown { agent: string, description: string, name: string } the agent's texts as a person shall see them
---@field loaded table<string, agent_diff.Loaded> by path
---@field files agent_diff.File[] once it is prepared
---@field hunks agent_diff.Hunk[] of all files, in display order
---@field undo_steps table[]
---@field comment string? the person's, on the whole proposal
---@field prepared agent_diff.View? its view, until it is drawn
---@field view agent_diff.View? when it has been drawn
---@field diff string[]? its lines
---@field auto string? the rule by which it was applied without a review
---@field may_remember boolean the person may let the like of it through from now on
---@field may_remember_here boolean they may do so for a session
---@field remember { scope: string, path: string, always: boolean }? what they want to let through
---@field ended boolean
local Review = {}
Review.__index = Review

--- A review that waits for its turn. It has no hunks yet.
---@param id string
---@param request table what the server enqueued
---@return agent_diff.Review
function M.new(id, request)
  return setmetatable({
    id = id,
    ref = request.ref,
    server = request.server,
    tool = request.tool,
    agent = request.agent,
    description = request.description,
    paths = request.paths,
    claims = request.claims or {},
    name = request.name,
    shown = request.shown,
    rules = request.rules,
    text_only = request.text_only,
    may_remember = request.remember,
    may_remember_here = request.session,
    since = vim.uv.now(),
    loaded = {},
    files = {},
    hunks = {},
    undo_steps = {},
    ended = false,
  }, Review)
end

--- Counts the hunks by state, of one file or of all.
---@param hunks agent_diff.Hunk[]
function M.count(hunks)
  local n = { total = #hunks, applied = 0, rejected = 0, pending = 0, conflict = 0 }
  for _, hunk in ipairs(hunks) do
    n[hunk.state] = n[hunk.state] + 1
  end
  return n
end

function Review:count() return M.count(self.hunks) end

--- Loads one of the files, compares it with the disk, and reads it.
---@param path string absolute, symbolic links resolved
---@return table facts for the server; the text ends as the file does
function Review:load(path)
  vim.schedule(function() require('agent_diff.view').begin(self) end)
  if self.text_only then return require('agent_diff.draft').facts(path) end
  local files = require('agent_diff.file')
  self.loaded[path] = self.loaded[path] or files.open(path)
  return files.read(self.loaded[path])
end

--- Takes the files with their hunks and anchors them in their source buffers.
---@param files table[] as the server sends them, each with what load() found as `loaded`
function Review:prepare(files)
  for i, given in ipairs(files) do
    local file = {
      index = i,
      path = given.path,
      name = given.name,
      kind = given.kind,
      to = given.to,
      to_name = given.to_name,
      line = given.line,
      crlf = given.crlf,
      loaded = given.loaded,
      hunks = {},
    }
    local blocks = {}
    for _, h in ipairs(given.hunks) do
      local hunk = {
        id = h.id,
        file = file,
        index = #self.hunks + 1,
        header = h.header,
        line = h.line,
        lines = h.lines,
        state = h.state,
        before = 'pending',
        reason = h.reason,
        edited = false,
        kept = false,
        blocks = h.blocks,
        whole = h.whole,
      }
      for _, block in ipairs(h.blocks) do
        block.hunk = hunk
        blocks[#blocks + 1] = block
      end
      file.hunks[#file.hunks + 1] = hunk
      self.hunks[#self.hunks + 1] = hunk
    end
    file.source = require('agent_diff.source').attach(given.loaded.bufnr, blocks)
    file.source.on_change = function(found) self:source_changed(file, found) end
    file.source.on_lost = function(lost) self:seek(file, lost) end
    for _, hunk in ipairs(file.hunks) do
      whole.prepare(hunk)
    end
    file.source.on_gone = function() self:finish('source_gone') end
    local watch = file.loaded.watch
    if watch then
      watch.on_gone = function(why) self:finish('source_gone', why, file) end
      watch.on_written = function() decision.note_written(self, file) end
    end
    self.files[i] = file
  end
end

--- The source was changed by somebody else.
---@param file agent_diff.File
---@param hunks table<agent_diff.Hunk, true> that stand in what was changed
function Review:source_changed(file, hunks)
  if self.ended then return end
  local changed = {}
  for _, hunk in ipairs(file.hunks) do
    if hunks[hunk] and decision.read_state(hunk) then changed[#changed + 1] = hunk end
  end
  self:changed(changed)
end

--- Asks the server to look for blocks by their text; anchor() is the answer.
function Review:seek(file, blocks)
  local ids = {}
  for i, block in ipairs(blocks) do
    ids[i] = block.id
  end
  self.server:notify('lost', self.ref, file.index, ids)
end

--- Takes the places where the server found blocks again.
---@param index integer of the file
---@param tick integer of the text that it looked in
---@param places table[] see Source:anchor()
---@param known boolean
function Review:anchor(index, tick, places, known)
  local file = self.files[index]
  self:source_changed(file, file.source:anchor(tick, places, known))
end

--- Marks, counts, events: everything that follows from changed states.
---@param hunks agent_diff.Hunk[]
function Review:changed(hunks)
  if #hunks == 0 then return end
  local states = {}
  for i, hunk in ipairs(hunks) do
    states[i] = { hunk.file.index, hunk.id, hunk.state }
  end
  self.server:notify('hunks', self.ref, states)
  if self.view then self.view:update(hunks) end
  local counts = self:count()
  for _, hunk in ipairs(hunks) do
    local told = { id = hunk.id, index = hunk.index, header = hunk.header, state = hunk.state }
    self:emit('AgentDiffHunk', counts, { path = hunk.file.path, hunk = told })
  end
end

--- Fires a User autocommand.
---@param counts table? as count() has them, where they are at hand
function Review:emit(event, counts, extra)
  if vim.fn.exists('#User') == 0 then return end -- a thousand hunks are a thousand events
  local data =
    vim.tbl_extend('force', { id = self.id, path = self.paths[1] }, counts or self:count(), extra or {})
  notice.as_typed(
    function() pcall(api.nvim_exec_autocmds, 'User', { pattern = event, modeline = false, data = data }) end
  )
end

--- Looks at what others changed in the sources now, not when the event loop comes round.
---@return boolean usable false when a source was unloaded, which ends the review
function Review:observe()
  for _, file in ipairs(self.files) do
    if not api.nvim_buf_is_loaded(file.source.bufnr) then return false end
    file.source:observe()
  end
  return true
end

--- The same before everything is decided at once, or the review ends: what was torn has its place by then.
function Review:settle()
  for _, file in ipairs(self.files) do
    if not self.ended and not self.gone and api.nvim_buf_is_loaded(file.source.bufnr) then
      file.source:settle()
    end
  end
end

--- Makes the hunks' sources ready for a decision: every place is known as well as can be, and no undo step is open.
---@return boolean usable
function Review:ready(hunks) return decision.ready(self, hunks) end

--- What others change after a decision is not joined to it, nor it to what they changed before.
function Review:end_step(hunks) decision.end_step(self, hunks) end

--- Does a verb to hunks: one decision. See decision.lua.
---@param hunks agent_diff.Hunk[]
---@param verb 'accept'|'reject'|'toggle'
---@return boolean done every hunk did as it was told
---@return agent_diff.Hunk? refused the first that did not
---@return string? why
function Review:decide(hunks, verb) return decision.decide(self, hunks, verb) end

--- Takes the last decision back.
---@return agent_diff.Hunk? hunk the first one of the decision, nil when there was none
---@return string? why it could not be taken back in the source
function Review:undo() return decision.undo(self) end

--- The next undecided hunk after one, from the top again behind the last.
---@param hunk agent_diff.Hunk
---@return agent_diff.Hunk?
function Review:next_undecided(hunk)
  for step = 1, #self.hunks do
    local other = self.hunks[(hunk.index + step - 1) % #self.hunks + 1]
    if other.state == 'pending' then return other end
  end
end

--- What is left of a review that ends without an answer.
function Review:stays() return self.text_only and 'nothing is written' or 'what is applied stays' end

--- The agent does not wait any more: nothing more is decided, what is applied stays, and `q` closes.
function Review:agent_gone()
  if self.gone or self.ended then return end
  self.gone = true
  if self.view and self.view.layout then
    self.view:update({})
    notice.say('agent is gone: no more decisions, ' .. self:stays(), vim.log.levels.WARN)
  else
    self:finish('gone')
  end
end

--- Ends the review, once: closes what it opened, saves where that is wanted, and tells the server.
---@param how 'decided'|'cancelled'|'gone'|'source_gone'
---@param why string? for the last of them
---@param file agent_diff.File? whose buffer is gone
---@return table? report nil when it had ended before
function Review:finish(how, why, file)
  if how == 'decided' then self:settle() end
  if self.ended then return nil end
  self:observe()
  self.ended = true
  if self.gone then how = 'gone' end
  local decides = how == 'decided' or how == 'source_gone'
  if not decides then whole.drop(self.hunks) end
  if self.prepared then self.prepared:discard() end
  local files = require(self.text_only and 'agent_diff.draft' or 'agent_diff.file')
  local closed, reported, diagnosing, clear = not self.view, false, 0, nil
  local function give_back()
    if not closed or not reported or diagnosing > 0 then return end
    for _, loaded in pairs(self.loaded) do
      notice.as_typed(function() pcall(files.release, loaded) end)
    end
  end
  -- Nothing that fails from here on may keep the answer from the agent.
  if self.view then
    pcall(self.view.announce, self.view)
    local ok, result = pcall(self.view.close, self.view, how ~= 'decided', function()
      closed = true
      give_back()
    end)
    clear = ok and result
    if not ok then notice.say(tostring(result), vim.log.levels.ERROR) end
  end
  local report, lost = { files = {} }, nil
  for i, each in ipairs(self.files) do
    local gone = each == file and why or decides and files.gone(each) or nil
    lost = lost or gone
    report.files[i] = files.report(each, decides, gone)
  end
  report.auto, report.remember = self.auto ~= nil, self.remember
  local diagnostics = require('agent_diff.diagnostics')
  if how == 'decided' and not self.text_only then diagnosing = diagnostics.patience(self.files) end
  report.diagnosing = diagnosing
  -- The agent goes on while Neovim clears away; whatever it asks for next is heard afterwards.
  if how ~= 'cancelled' then self.server:notify('done', self.ref, report) end
  if clear then pcall(clear) end
  if decides then pcall(require('agent_diff.finished').keep, self, report) end
  for _, each in ipairs(self.files) do
    each.source:detach()
  end
  reported = true
  give_back()
  if self.text_only and decides and self:count().applied > 0 then
    require('agent_diff.queue').expect_write(self)
  end
  require('agent_diff.queue').remove(self)
  if diagnosing > 0 then
    diagnostics.collect(self.files, diagnosing, function(found)
      self.server:notify('diagnostics', self.ref, found)
      diagnosing = 0
      give_back()
    end)
  end
  if lost then
    notice.say(('%s: %s The review is over.'):format(self.shown.name, lost), vim.log.levels.WARN)
  end
  local counts = self:count()
  self:emit(
    'AgentDiffDone',
    counts,
    { decision = decision.is_accepted(self, report) and 'accepted' or 'rejected', auto = self.auto }
  )
  return report
end

--- The dictionary that b:agent_diff and reviews() show.
---@return table
function Review:describe()
  local function of(hunks, into) return vim.tbl_extend('force', into, M.count(hunks)) end
  local hunks = {}
  for i, hunk in ipairs(self.hunks) do
    hunks[i] = { id = hunk.id, index = hunk.index, header = hunk.header, state = hunk.state }
  end
  local current = self.files[1]
  if self.view and self.view.current then current = self.view.current.file end
  local all = of(self.hunks, {
    id = self.id,
    path = current and current.path or self.paths[1],
    tool = self.tool,
    description = self.description,
    source_bufnr = current and current.source.bufnr or -1,
    hunks = hunks,
  })
  if #self.files > 1 then
    all.files = {}
    for i, file in ipairs(self.files) do
      all.files[i] = of(file.hunks, { path = file.path, source_bufnr = file.source.bufnr, kind = file.kind })
    end
  end
  return all
end

return M
