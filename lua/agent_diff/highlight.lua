--- Colours of the buffers that show a review. Only the lines on the screen are looked at: a line's background at once, while
--- it is drawn; what takes longer, the colours of code and the changed words, right afterwards. Nothing runs when no review
--- is drawn.
local api = vim.api
local groups = require('agent_diff.groups')
local guarded = require('agent_diff.notice').guarded

local M = {}
local LINES = api.nvim_create_namespace('agent_diff.lines')
local WORDS = api.nvim_create_namespace('agent_diff.words')

-- How long colours are worked out in one go, and when it goes on, in milliseconds: keys come between.
local at_once_ms, pause_ms = 5, 5
local word_priority, code_priority = 60, 70

--- How a buffer that shows hunks is coloured.
---@class agent_diff.Face
---@field bufnr integer
---@field colours agent_diff.Colours
---@field group fun(row: integer): string? the line's own group
---@field at fun(row: integer): agent_diff.Hunk?, integer? the hunk, and which of its rows it is
---@field col integer where the text of a line begins: behind the diff's first character or not
---@field has_cr fun(row: integer): boolean whether a CR at the end of the line belongs to the line's end
---@field over (fun(row: integer): table?)? virtual text over a row
---@field done table<integer, true>? rows whose colours are there
---@field wanted integer[]?

---@type table<integer, agent_diff.Face>
local faces = {}

--- Colours the words of a row.
local function colour(face, row)
  local hunk, index = face.at(row)
  if not hunk then return end
  local line = api.nvim_buf_get_lines(face.bufnr, row, row + 1, false)[1]
  local function mark(from, to, group, priority)
    from, to = from + face.col, math.min(to + face.col, #line)
    if from >= to then return end
    api.nvim_buf_set_extmark(face.bufnr, WORDS, row, from, {
      end_col = to,
      hl_group = group,
      priority = priority,
      strict = false,
    })
  end
  local kind = face.colours:rows_of(hunk)[index].kind
  for _, range in ipairs(face.colours:words(hunk, index)) do
    mark(range[1], range[2], kind == '+' and 'AgentDiffAddText' or 'AgentDiffDeleteText', word_priority)
  end
  if kind == ' ' or groups.has_backgrounds() then
    for i, span in ipairs(face.colours:code(hunk, index)) do
      mark(span[1], span[2], span[3], code_priority + i)
    end
  end
end

--- Works out what is wanted, for as long as it may take in one go.
local function work(face)
  local until_then = vim.uv.hrtime() + at_once_ms * 1e6
  while #face.wanted > 0 do
    if faces[face.bufnr] ~= face or not api.nvim_buf_is_loaded(face.bufnr) then return end
    if vim.uv.hrtime() > until_then then
      vim.defer_fn(guarded(function() work(face) end), pause_ms)
      return
    end
    local row = table.remove(face.wanted)
    if not face.done[row] then
      face.done[row] = true
      pcall(colour, face, row) -- what fails costs colours, and nothing else
    end
  end
  face.working = false
end

local function want(face, row)
  face.wanted[#face.wanted + 1] = row
  if face.working then return end
  face.working = true
  vim.defer_fn(guarded(function() work(face) end), pause_ms) -- the frame is to be seen first
end

local function on_line(_, _, bufnr, row)
  local face = faces[bufnr]
  if not face then return end
  local group = face.group(row)
  if group then
    api.nvim_buf_set_extmark(bufnr, LINES, row, 0, {
      end_row = row + 1,
      hl_group = group,
      hl_eol = true,
      ephemeral = true,
      strict = false,
      priority = 50,
    })
  end
  -- In any other file a CR is text, and must be seen.
  if face.has_cr(row) then
    local line = api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
    if line:sub(-1) == '\r' then
      api.nvim_buf_set_extmark(
        bufnr,
        LINES,
        row,
        #line - 1,
        { end_col = #line, conceal = '', ephemeral = true }
      )
    end
  end
  local over = face.over and face.over(row)
  if over then
    api.nvim_buf_set_extmark(bufnr, LINES, row, 0, {
      virt_text = over,
      virt_text_pos = 'overlay',
      ephemeral = true,
    })
  end
  if not face.done[row] then want(face, row) end
end

local following = false

--- Defines the groups, and keeps them as the colour scheme wants them, until rest().
function M.follow()
  groups.define()
  if following then return end
  following = true
  local group = api.nvim_create_augroup('agent_diff.highlight', { clear = true })
  api.nvim_create_autocmd('ColorScheme', { group = group, callback = groups.define })
  api.nvim_create_autocmd('OptionSet', { group = group, pattern = 'background', callback = groups.define })
end

--- Follows the colour scheme no more, unless a buffer is coloured.
function M.rest()
  if not following or next(faces) then return end
  following = false
  api.nvim_del_augroup_by_name('agent_diff.highlight')
end

--- Starts colouring a buffer.
---@param face agent_diff.Face
function M.attach(face)
  if not following then M.follow() end
  if not next(faces) then
    api.nvim_set_decoration_provider(LINES, {
      on_win = function(_, _, bufnr) return faces[bufnr] ~= nil end,
      on_line = on_line,
    })
  end
  face.done, face.wanted, face.working = {}, {}, false
  faces[face.bufnr] = face
end

--- Forgets the colours of a buffer whose lines were set anew.
---@param bufnr integer
function M.reset(bufnr)
  local face = faces[bufnr]
  if not face then return end
  api.nvim_buf_clear_namespace(bufnr, WORDS, 0, -1)
  face.done = {}
end

--- Stops colouring a buffer.
---@param bufnr integer
function M.detach(bufnr)
  if not faces[bufnr] then return end
  faces[bufnr] = nil
  if not next(faces) then
    api.nvim_set_decoration_provider(LINES, {})
    M.rest()
  end
end

return M
