--- The colours of code that is in no window: treesitter where there is a parser for the language, else the file type's
--- syntax. Asked line by line, because only what is visible is looked at.
local api = vim.api
local words = require('agent_diff.words')

local M = {}

-- Longer lines stay uncoloured: minified files are not read.
local longest_line = 1000
-- How many lines around one are looked at together.
local lines_at_once = 64

---@class agent_diff.Span
---@field [1] integer first byte, from 0
---@field [2] integer byte behind the last
---@field [3] string highlight group

---@class agent_diff.Code
---@field lines string[]
---@field spans table<integer, agent_diff.Span[]> by line, from 1
local Code = {}
Code.__index = Code

--- The file type of a source buffer. It may have none yet, when it was loaded for the review.
---@param bufnr integer
---@param name string
---@return string '' when it is not known
function M.filetype(bufnr, name)
  local filetype = api.nvim_buf_is_valid(bufnr) and vim.bo[bufnr].filetype or ''
  if filetype ~= '' then return filetype end
  local ok, found =
    pcall(vim.filetype.match, { filename = name, buf = api.nvim_buf_is_loaded(bufnr) and bufnr or nil })
  return ok and found or ''
end

--- The language of a file type, when there is a parser and a query for it.
local function language(filetype)
  local languages = require('vim.treesitter.language') -- vim.treesitter itself loads all of it, for nothing
  local lang = languages.get_lang(filetype)
  if not lang then return nil end
  local ok, added = pcall(languages.add, lang)
  if not ok or added == false or (added == nil and vim.fn.has('nvim-0.11') == 1) then return nil end
  local found, query = pcall(vim.treesitter.query.get, lang, 'highlights')
  return found and query and lang or nil
end

--- A text to be coloured.
---@param lines string[]
---@param filetype string
---@return agent_diff.Code? nil when nothing is known of the file type
function M.new(lines, filetype)
  if filetype == '' or not filetype:match('^[%w_.+-]+$') then return nil end
  local self = setmetatable({ lines = lines, spans = {} }, Code)
  local lang = language(filetype)
  if lang then
    local ok, parser = pcall(vim.treesitter.get_string_parser, table.concat(lines, '\n') .. '\n', lang)
    if not ok then return nil end
    self.parser = parser
  elseif vim.g.syntax_on then
    self.bufnr = api.nvim_create_buf(false, true)
    vim.bo[self.bufnr].undolevels = -1
    api.nvim_buf_set_lines(self.bufnr, 0, -1, false, lines)
    local ok = pcall(function() vim.bo[self.bufnr].syntax = filetype end)
    if not ok or not vim.b[self.bufnr].current_syntax then
      self:drop()
      return nil
    end
  else
    return nil
  end
  return self
end

--- Forgets the text. That its buffer goes is nobody's business.
function Code:drop()
  if self.bufnr and api.nvim_buf_is_valid(self.bufnr) then
    vim.cmd(('noautocmd silent! bwipeout! %d'):format(self.bufnr))
  end
end

--- The colours of a line; later ones lie over earlier ones.
---@param index integer from 1
---@return agent_diff.Span[]
function Code:of(index)
  if not self.spans[index] then
    if self.parser then
      local first = index - 1 - (index - 1) % lines_at_once
      local last = math.min(first + lines_at_once, #self.lines)
      for i = first + 1, last do
        self.spans[i] = {}
      end
      -- A parser or a query that fails costs the colours, and nothing else.
      pcall(self.read_tree, self, first, last)
    else
      self.spans[index] = {}
      pcall(self.read_syntax, self, index)
    end
  end
  return self.spans[index] or {}
end

local no_colours = { spell = true, nospell = true, conceal = true, none = true }

--- Reads the captures of rows, from 0.
function Code:read_tree(first, last)
  self.parser:parse({ first, last })
  local text = self.parser:source()
  self.parser:for_each_tree(function(tree, sub)
    local lang = sub:lang()
    local query = vim.treesitter.query.get(lang, 'highlights')
    if not query then return end
    for id, node, metadata in query:iter_captures(tree:root(), text, first, last) do
      local name = query.captures[id]
      if name:sub(1, 1) ~= '_' and not no_colours[name] then
        local range = vim.treesitter.get_range(node, text, metadata and metadata[id])
        self:add(range[1], range[2], range[4], range[5], '@' .. name .. '.' .. lang, first, last)
      end
    end
  end)
end

--- Adds a range, which may span lines, to the lines from first on that it covers.
function Code:add(row, col, end_row, end_col, group, first, last)
  for r = math.max(row, first), math.min(end_row, last - 1) do
    local line = self.lines[r + 1]
    local from, to = r == row and col or 0, r == end_row and end_col or #line
    to = math.min(to, #line)
    if from < to and #line <= longest_line then table.insert(self.spans[r + 1], { from, to, group }) end
  end
end

--- Asks the syntax at every word of a line.
function Code:read_syntax(index)
  local line, spans = self.lines[index], self.spans[index]
  if #line > longest_line then return end
  local starts = words.split(line)
  api.nvim_buf_call(self.bufnr, function()
    local last
    for k = 1, #starts - 1 do
      local from, to = starts[k] - 1, starts[k + 1] - 1
      local is_blank = line:find('^%s', from + 1) ~= nil
      local id = is_blank and 0 or vim.fn.synID(index, from + 1, 1)
      if id ~= 0 then
        if last and last.id == id and line:sub(last[2] + 1, from):find('^%s*$') then
          last[2] = to
        else
          last = { from, to, vim.fn.synIDattr(id, 'name'), id = id }
          spans[#spans + 1] = last
        end
      elseif not is_blank then
        last = nil
      end
    end
  end)
end

return M
