--- The colours within the lines of a review's hunks: code, and the words that are changed. Worked out for one line when it
--- is asked for, and kept.
local api = vim.api
local code = require('agent_diff.code')
local rows = require('agent_diff.rows')
local words = require('agent_diff.words')

local M = {}

-- Files up to this size are coloured as a whole, so that a comment that begins far above is one. Of larger ones only as
-- many lines of a hunk as are given here are seen together.
local whole_lines, whole_bytes = 4000, 300000
local part_lines = 400

---@class agent_diff.Colours
---@field lines string[] the diff's
---@field rows table<agent_diff.Hunk, agent_diff.Row[]>
---@field texts table<any, table<any, agent_diff.Code|false>>
---@field base table<agent_diff.File, string[]|false> the texts that are reviewed, where they are not too large
local Colours = {}
Colours.__index = Colours

---@param lines string[] the diff's
---@return agent_diff.Colours
function M.new(lines)
  local self = setmetatable({ base = {}, types = {}, texts = {} }, Colours)
  self:renew(lines)
  return self
end

--- Keeps a file's text as it is reviewed: soon, at the latest before the first decision changes it.
---@param file agent_diff.File
function Colours:keep(file)
  if self.base[file] ~= nil then return end
  local bufnr = file.source.bufnr
  local count = api.nvim_buf_is_loaded(bufnr) and api.nvim_buf_line_count(bufnr) or math.huge
  local fits = count <= whole_lines and api.nvim_buf_get_offset(bufnr, count) <= whole_bytes
  self.base[file] = fits and api.nvim_buf_get_lines(bufnr, 0, -1, false)
end

--- Keeps the texts of all files.
---@param review agent_diff.Review
function Colours:keep_all(review)
  for _, file in ipairs(review.ended and {} or review.files) do
    self:keep(file)
  end
end

--- Forgets all texts.
function Colours:drop()
  for _, of in pairs(self.texts) do
    for _, text in pairs(of) do
      if text then text:drop() end
    end
  end
  self.texts = {}
end

--- Starts anew with other hunks.
---@param lines string[] the diff's
function Colours:renew(lines)
  self:drop()
  self.lines, self.rows = lines, {}
end

--- The rows of a hunk.
---@param hunk agent_diff.Hunk
---@return agent_diff.Row[]
function Colours:rows_of(hunk)
  if not self.rows[hunk] then self.rows[hunk] = rows.read(hunk, self.lines) end
  return self.rows[hunk]
end

--- A text by what it is a text of, made when it is first needed.
---@param make fun(): string[]?
---@return agent_diff.Code|false
function Colours:text(owner, name, file, make)
  local of = self.texts[owner] or {}
  self.texts[owner] = of
  if of[name] == nil then
    local filetype = self.types[file]
    if not filetype then
      filetype = code.filetype(file.source.bufnr, file.path)
      self.types[file] = filetype
    end
    of[name] = filetype ~= '' and code.new(make(), filetype) or false
    if not of[name] then self.types[file] = '' end -- nothing is known of it: so it is for all other texts
  end
  return of[name]
end

--- The text that all hunks of a file make of it together.
local function composed(file, base)
  local lines, next_row = {}, 0
  for _, hunk in ipairs(file.hunks) do
    for _, block in ipairs(hunk.blocks) do
      if block.row >= next_row then
        vim.list_extend(lines, base, next_row + 1, block.row)
        vim.list_extend(lines, block.new)
        next_row = block.row + #block.old
      end
    end
  end
  return vim.list_extend(lines, base, next_row + 1)
end

local function bare(hunk, row) return hunk.file.crlf and (row.text:gsub('\r$', '')) or row.text end

--- The whole text of one side, when the row is where the hunk says.
function Colours:whole(hunk, row, side)
  self:keep(hunk.file)
  local base = self.base[hunk.file]
  if not base then return nil end
  local text = self:text(
    hunk.file,
    side,
    hunk.file,
    function() return side == 'old' and base or composed(hunk.file, base) end
  )
  local index = row[side]
  if text and index and text.lines[index] == bare(hunk, row) then return text, index end
end

--- The part of a hunk's side that a row is in.
function Colours:part(hunk, index, side)
  local its = self:rows_of(hunk)
  local part = math.floor((index - 1) / part_lines)
  local first, last = part * part_lines + 1, math.min((part + 1) * part_lines, #its)
  local wanted = { [' '] = true, [side == 'old' and '-' or '+'] = true }
  local function each(f)
    for i = first, last do
      if wanted[its[i].kind] then f(i) end
    end
  end
  local text = self:text(hunk, side .. part, hunk.file, function()
    local lines = {}
    each(function(i) lines[#lines + 1] = bare(hunk, its[i]) end)
    return lines
  end)
  local at = 0
  each(function(i) at = i <= index and at + 1 or at end)
  return text, at
end

--- The code colours of a row.
---@param hunk agent_diff.Hunk
---@param index integer of the row in the hunk
---@return agent_diff.Span[]
function Colours:code(hunk, index)
  local row = self:rows_of(hunk)[index]
  if not row or row.kind == '@' or row.kind == '\\' or row.text == '' then return {} end
  local side = row.kind == '-' and 'old' or 'new'
  local text, at = self:whole(hunk, row, side)
  if not text then
    text, at = self:part(hunk, index, side)
  end
  return text and text:of(at) or {}
end

--- The changed words of a row.
---@param hunk agent_diff.Hunk
---@param index integer of the row in the hunk
---@return { [1]: integer, [2]: integer }[] ranges of bytes; none where all is changed
function Colours:words(hunk, index)
  local its = self:rows_of(hunk)
  local row = its[index]
  if not row or (row.kind ~= '-' and row.kind ~= '+') then return {} end
  if row.words then return row.words end
  row.words = {}
  local old, new = rows.run(its, index)
  if not old then return row.words end
  local function texts(of)
    return vim.tbl_map(function(i) return bare(hunk, its[i]) end, of)
  end
  local old_ranges, new_ranges = words.changed(texts(old), texts(new))
  for i, at in ipairs(old) do
    its[at].words = old_ranges[i] or {}
  end
  for i, at in ipairs(new) do
    its[at].words = new_ranges[i] or {}
  end
  return row.words
end

return M
