--- The servers that are attached to this Neovim, one for each agent, and what they may call here. Calls return at once;
--- everything that takes time comes back as a notification 'agent_diff'(event, ref, ...).
local api, uv = vim.api, vim.uv

local M = {}

---@class agent_diff.Server
---@field chan integer RPC channel
---@field rules table<string, table<string, table<string, { action: string, to: string }>>>
---@field cancelled table<integer, true> what was cancelled and was not there
local Server = {}
Server.__index = Server

---@type table<integer, agent_diff.Server>
local servers = {}

--- Sends an event; never waits. A server that is gone is found out by the watch.
function Server:notify(event, ...)
  if self.gone then return end
  if not pcall(vim.rpcnotify, self.chan, 'agent_diff', event, ...) then self:check() end
end

--- Whether the channel is still there. There is no autocommand for a channel that closes.
---@return boolean
function Server:check()
  if self.gone then return false end
  local ok, info = pcall(api.nvim_get_chan_info, self.chan)
  if ok and info.id then return true end
  self.gone = true
  servers[self.chan] = nil
  for _, review in ipairs(require('agent_diff.queue').list()) do
    if review.server == self then review:agent_gone() end
  end
  return false
end

local watch

--- Looks after the channels as long as there are reviews.
local function start_watch()
  if watch then return end
  watch = uv.new_timer()
  watch:start(
    200,
    200,
    vim.schedule_wrap(function()
      for _, server in pairs(servers) do
        server:check()
      end
      for _, review in ipairs(require('agent_diff.queue').list()) do
        if review.view then review.view:tick() end
      end
      require('agent_diff.queue').advance()
    end)
  )
end

--- Called when the last review is over.
function M.rest()
  if watch then watch:close() end
  watch = nil
end

-- How long a server is waited for that is asked whether it is there, in milliseconds.
local ping_ms = 1000

--- Whether the attached servers answer, and how soon.
---@return { channel: integer, ms: number? }[] ms is nil for one that does not answer
function M.round_trips()
  local trips = {}
  for chan, server in pairs(servers) do
    local began = uv.hrtime()
    server.pong = nil
    server:notify('ping', 0)
    vim.wait(ping_ms, function() return server.pong ~= nil or server.gone end, 1)
    trips[#trips + 1] = { channel = chan, ms = server.pong and (uv.hrtime() - began) / 1e6 or nil }
  end
  return trips
end

local methods = {}

--- Answers 'ping'.
function methods.pong(server) server.pong = true end

--- Introduces a server. Its table of rules says what a verb does in which state.
function methods.attach(server, given)
  server.name = given.name
  server.rules = {}
  for _, rule in ipairs(given.rules) do
    local from = server.rules[rule.from] or {}
    server.rules[rule.from] = from
    from[rule.verb] = from[rule.verb] or {}
    from[rule.verb][rule.fit] = { action = rule.action, to = rule.to }
  end
  return { pid = uv.os_getpid() }
end

local last_id = 0

--- A new id, unless the request was cancelled before it came: a server may give up what it has not sent yet. A session that
--- was saved during a review brings back buffers of the review's name.
local function new_id(server, ref)
  if server.cancelled[ref] then error('cancelled already: ' .. tostring(ref), 0) end
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    local id = api.nvim_buf_get_name(bufnr):match('^agent%-diff[%w-]*://(%d+)/')
    if id and #id < 10 then last_id = math.max(last_id, tonumber(id)) end
  end
  last_id = last_id + 1
  return tostring(last_id)
end

--- Puts a review at the end of the queue. Its id is this Neovim's, because several servers share the queue. When it is its
--- turn at once, its files are loaded as well: that saves a way there and back.
---@return { turn: boolean, files: table[] }
function methods.enqueue(server, request)
  local id = new_id(server, request.ref)
  request.server, request.rules = server, server.rules
  local review = require('agent_diff.review').new(id, request)
  start_watch()
  require('agent_diff.queue').add(review)
  local files = {}
  if review.turn then
    for i, path in ipairs(review.paths) do
      files[i] = review:load(path)
    end
  end
  return { turn = review.turn == true, files = files }
end

--- Asks the person whether a file may be read; the answer comes as a notification.
function methods.ask(server, given)
  local id = new_id(server, given.ref)
  start_watch()
  local queue = require('agent_diff.queue')
  queue.add(require('agent_diff.question').new(id, given, server))
  queue.advance()
end

local function find(server, ref)
  local review = require('agent_diff.queue').find(server, ref)
  if not review then error('no such review: ' .. tostring(ref), 0) end
  return review
end

--- Loads a file of a review whose turn has come, and reads it as the person sees it.
function methods.load(server, ref, path) return find(server, ref):load(path) end

--- Why a file's text cannot be reviewed as the server knows it; nil when it can.
---@return table? answer to open()
local function misfit(file)
  local bufnr = file.loaded.bufnr
  if not api.nvim_buf_is_loaded(bufnr) or api.nvim_buf_get_changedtick(bufnr) ~= file.tick then
    return { stale = true }
  end
  if not require('agent_diff.source').fits(bufnr, file.hunks) then return { stale = true, unfit = true } end
  local char = require('agent_diff.disk').unencodable(bufnr, file.hunks)
  if char then return { unencodable = char, encoding = vim.bo[bufnr].fileencoding, path = file.path } end
end

--- Draws the review. Answers that it is stale when a text is not any more the one that was read.
function methods.open(server, ref, given)
  local review = find(server, ref)
  for _, file in ipairs(given.files) do
    if review.text_only then review.loaded[file.path] = require('agent_diff.draft').open(review.id, file) end
    file.loaded = review.loaded[file.path]
    local answer = not review.text_only and misfit(file)
    if answer then return answer end
  end
  review:prepare(given.files)
  review.diff = given.lines
  local function draw()
    review.view = require('agent_diff.view').new(review, given)
    require('agent_diff.queue').advance()
  end
  if given.auto then
    require('agent_diff.auto').apply(review, given.auto, function(why)
      table.insert(given.notices, ('You are asked because of %s. (%s)'):format(why, given.auto))
      draw()
    end)
  else
    draw()
  end
  return { stale = false }
end

--- Ends a review that the agent does not wait for any more.
---@param told boolean whether the person is told that the agent has taken it back
---@return table|nil report nil when it had ended by itself
function methods.cancel(server, ref, told)
  local review = require('agent_diff.queue').find(server, ref)
  if not review then
    server.cancelled[ref] = true
    return vim.NIL
  end
  local report = review:finish('cancelled')
  if told and review.view then
    local applied = {}
    for _, hunk in ipairs(review.hunks) do
      if hunk.state == 'applied' then applied[#applied + 1] = hunk.index end
    end
    local stays = (#applied == 0 or review.text_only) and ''
      or ('; applied hunks stay: ' .. table.concat(applied, ', '))
    local text = ('the agent has cancelled its proposal for %s%s'):format(review.shown.name, stays)
    require('agent_diff.notice').say(text, vim.log.levels.WARN)
  end
  return report
end

--- A file's text with its tick. Once the review is open, a final newline that only a write will add is in it, as it was in
--- the file that was read.
function methods.text(server, ref, path)
  local review = find(server, ref)
  local bufnr, texts = review.loaded[path].bufnr, require('agent_diff.text')
  return {
    text = (review.view and texts.written or texts.text)(bufnr),
    tick = api.nvim_buf_get_changedtick(bufnr),
  }
end

--- Answers 'lost': a list of { block id, row, 'old' or 'new' } for the blocks that were found in the text of that tick.
function methods.anchor(server, ref, index, tick, places, known)
  find(server, ref):anchor(index, tick, places, known)
end

--- Answers 'cut': hunks that are cut otherwise, or why not. Answers false when that is not taken; then nothing is cut.
---@return boolean taken
function methods.recut(server, ref, given) return require('agent_diff.cut').answer(find(server, ref), given) end

--- Called when a buffer is not what the server found on the disk, though nobody changed it. It is read again; if that has
--- been done already, it will not be written.
function methods.unlike(server, ref, path)
  local review = find(server, ref)
  require('agent_diff.file').unlike(review.loaded[path])
  return review:load(path)
end

--- A file as the person sees it, without loading it: nil when it is in no loaded buffer.
function methods.read(_, path)
  local bufnr = require('agent_diff.disk').find(path)
  if not bufnr or not api.nvim_buf_is_loaded(bufnr) then return vim.NIL end
  local bo = vim.bo[bufnr]
  return {
    text = require('agent_diff.text').text(bufnr),
    crlf = bo.fileformat == 'dos',
    bom = bo.bomb,
    unsaved = bo.modified,
  }
end

local function reload(path)
  local disk = require('agent_diff.disk')
  local bufnr = disk.find(path)
  if not bufnr or not api.nvim_buf_is_loaded(bufnr) then return end
  for _, review in ipairs(require('agent_diff.queue').list()) do
    local own = (review.loaded[path] or {}).watch
    if own then return own:compare() end -- a buffer has one watch
  end
  local seen = disk.watch(bufnr, path)
  seen:compare()
  if seen.changed then
    local text = ('%s: an agent wrote it, your unsaved changes stay'):format(vim.fs.basename(path))
    require('agent_diff.notice').say(text, vim.log.levels.WARN)
  end
  seen:stop()
end

--- Another program has written a file: its buffer is read again, or, when it has unsaved changes, the person is told. What
--- waits for the file has its turn.
function methods.reload(_, path)
  reload(path)
  require('agent_diff.queue').written(path)
end

--- The one entrance from Go.
---@param protocol integer the server's protocol number
---@param chan integer the server's channel
---@param method string
function M.call(protocol, chan, method, ...)
  local ours = require('agent_diff').protocol
  if protocol ~= ours then
    error(('agent_diff: this Neovim speaks protocol %d, the server %d'):format(ours, protocol), 0)
  end
  local server = servers[chan]
  if not server then
    server = setmetatable({ chan = chan, rules = {}, cancelled = {} }, Server)
    servers[chan] = server
  end
  return methods[method](server, ...)
end

--- Tells every server whose review is open that Neovim is being left on purpose. What happens to buffers and windows from
--- here on is no decision: the server looks at the files.
function M.leaving()
  for _, review in ipairs(require('agent_diff.queue').list()) do
    review.ended = true
    review.server:notify('leaving', review.ref)
  end
end

return M
