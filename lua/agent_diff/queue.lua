--- The reviews of this Neovim in order of arrival, whichever server they come from. A review gets its turn when no earlier
--- one has the same file; of those that are ready, one is shown.
local M = {}

---@type agent_diff.Review[]
local reviews = {}

-- How long a review whose turn has come may take to be drawn before a later one is shown in its place, in milliseconds.
local draw_ms = 1000

--- The review that has its windows open.
---@type agent_diff.Review?
M.shown = nil

--- Where a review's files are, and where it wants to put some.
---@return string[]
local function places(review) return vim.list_extend(vim.list_slice(review.paths), review.claims) end

--- Whether two reviews have a file in common, or one wants to put a file where the other has one.
local function shares_path(a, b)
  local of_a = places(a)
  return vim.iter(places(b)):any(function(path) return vim.tbl_contains(of_a, path) end)
end

-- How long a file that an agent behind a gate may write is left to it, in milliseconds: the next review of the file is to
-- see what it has written.
local write_ms = 500

---@type table<string, integer> by path, until when
local writes = {}

--- Whether one of the review's files is about to be written.
local function is_written_soon(review)
  return vim.iter(places(review)):any(function(path) return (writes[path] or 0) > vim.uv.now() end)
end

local function grant_turns()
  for i, review in ipairs(reviews) do
    if not review.turn then
      local blocked = is_written_soon(review)
      for j = 1, i - 1 do
        blocked = blocked or shares_path(review, reviews[j])
      end
      if not blocked then
        review.turn, review.turn_at = true, vim.uv.now()
        review.server:notify('turn', review.ref)
      end
    end
  end
end

local function tell_places()
  for i, review in ipairs(reviews) do
    if review.told ~= i or review.told_of ~= #reviews then
      review.told, review.told_of = i, #reviews
      review.server:notify('place', review.ref, i, #reviews)
      if review.view then review.view:draw_place() end
    end
  end
end

--- All reviews: the shown one first, then the others in order of arrival.
---@return agent_diff.Review[]
function M.list()
  local list = {}
  if M.shown then list[1] = M.shown end
  for _, review in ipairs(reviews) do
    if review ~= M.shown then list[#list + 1] = review end
  end
  return list
end

---@return integer place 1-based, in order of arrival
---@return integer of how many there are
function M.place(review)
  for i, other in ipairs(reviews) do
    if other == review then return i, #reviews end
  end
  return 0, #reviews
end

---@param server agent_diff.Server
---@param ref integer the server's own number of the review
---@return agent_diff.Review?
function M.find(server, ref)
  for _, review in ipairs(reviews) do
    if review.server == server and review.ref == ref then return review end
  end
end

--- A review by the number of its buffer.
---@return agent_diff.Review?
function M.of_buffer(bufnr)
  for _, review in ipairs(reviews) do
    if review.view and review.view:owns(bufnr) then return review end
  end
end

--- The agent has got what it may write: the next review of these files waits for that, but not for long.
---@param review agent_diff.Review
function M.expect_write(review)
  for _, path in ipairs(places(review)) do
    writes[path] = vim.uv.now() + write_ms
  end
  vim.defer_fn(function()
    for path, till in pairs(writes) do
      if till <= vim.uv.now() then writes[path] = nil end
    end
    grant_turns()
  end, write_ms + 1)
end

--- The agent has written a file.
---@param path string
function M.written(path)
  writes[path] = nil
  grant_turns()
end

---@param review agent_diff.Review
function M.add(review)
  -- A review whose agent is gone decides nothing any more: it makes room.
  for _, other in ipairs({ unpack(reviews) }) do
    if other.gone then other:finish('gone') end
  end
  reviews[#reviews + 1] = review
  grant_turns()
  tell_places()
end

--- Shows the first review that is ready, unless one is shown. A later one does not overtake one that is being drawn.
function M.advance()
  if M.shown then
    for _, review in ipairs(reviews) do
      if review.view and review ~= M.shown then require('agent_diff.manners').tell_waiting(review) end
    end
    return
  end
  for _, review in ipairs(reviews) do
    if review.view and not review.put_off then return require('agent_diff.manners').offer(review) end
    if review.turn and vim.uv.now() - review.turn_at < draw_ms then return end
  end
end

---@param review agent_diff.Review
function M.remove(review)
  for i, other in ipairs(reviews) do
    if other == review then
      table.remove(reviews, i)
      break
    end
  end
  if M.shown == review then M.shown = nil end
  require('agent_diff.manners').withdraw(review)
  if #reviews == 0 then require('agent_diff.server').rest() end
  grant_turns()
  tell_places()
  M.advance()
end

--- Puts a review in front, and the shown one back.
---@param review agent_diff.Review
function M.show(review)
  if M.shown and M.shown ~= review then
    M.shown.view:hide()
    M.shown = nil
  end
  require('agent_diff.manners').withdraw(review)
  M.shown = review
  review.put_off = false
  local ok, err = pcall(review.view.show, review.view)
  if not ok then
    M.put_off(review)
    error(err, 0)
  end
  review.server:notify('shown', review.ref)
end

--- Takes a review from the screen and lets it wait until the person asks for it.
---@param review agent_diff.Review
function M.put_off(review)
  review.put_off = true
  if M.shown == review then M.shown = nil end
  review.view:hide()
  require('agent_diff.notice').say(('the review of %s waits: :AgentDiff'):format(review.shown.name))
  M.advance()
end

return M
