--- What waits for a person: the undecided hunks of all reviews in the quickfix list, and the reviews to choose from.
local M = {}

local function reviews() return require('agent_diff.queue').list() end

local function one_line(text) return vim.fn.strtrans((text:gsub('[\r\n]+', ' ⏎ '))) end

--- The place of an undecided hunk, as it is now in its buffer.
local function item_of(review, hunk)
  local file = hunk.file
  local row = file.source:row(hunk) or 0
  local item = {
    lnum = row + 1,
    col = 1,
    type = hunk.state == 'conflict' and 'W' or 'I',
    text = ('[%s] %s %s'):format(hunk.state, hunk.header, one_line(review.shown.description)),
  }
  if
    review.text_only or not vim.bo[file.source.bufnr].buflisted and vim.bo[file.source.bufnr].buftype ~= ''
  then
    item.filename = file.path -- its text is in no buffer of the person's
  else
    item.bufnr = file.source.bufnr
  end
  return item
end

--- Puts the undecided hunks of all reviews into the quickfix list, and opens it.
---@return boolean found there is something
function M.quickfix()
  local items = {}
  for _, review in ipairs(reviews()) do
    for _, hunk in ipairs(review.hunks) do
      if hunk.state == 'pending' or hunk.state == 'conflict' then
        items[#items + 1] = item_of(review, hunk)
      end
    end
    if #review.files == 0 then
      local what = review.path and '[asks] ' .. review.shown.name
        or '[waits for its turn] ' .. review.shown.description
      for _, path in ipairs(review.path and { review.path } or review.paths) do
        items[#items + 1] = { filename = path, lnum = 1, type = 'I', text = one_line(what) }
      end
    end
  end
  vim.fn.setqflist({}, ' ', { title = 'agent-diff: undecided', items = items })
  if #items == 0 then return false end
  vim.cmd('botright copen')
  return true
end

--- The reviews in order of arrival.
---@return agent_diff.Review[]
function M.in_order()
  local list = reviews()
  table.sort(list, function(a, b) return tonumber(a.id) < tonumber(b.id) end)
  return list
end

--- Lets the person choose a review.
---@param chosen fun(review: agent_diff.Review)
function M.pick(chosen)
  local list = M.in_order()
  vim.ui.select(list, {
    prompt = 'agent-diff: go to',
    kind = 'agent_diff',
    format_item = function(review)
      local count = review:count()
      local state = not review.view and 'waits for its turn'
        or review.path and 'asks'
        or ('%d of %d undecided'):format(count.pending + count.conflict, count.total)
      return one_line(('%s  %s  %s'):format(review.shown.name, state, review.shown.description))
    end,
  }, function(review)
    if review then chosen(review) end
  end)
end

return M
