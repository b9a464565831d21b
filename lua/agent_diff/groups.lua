--- The highlight groups, made of the colour scheme's own: they follow it, light or dark, and a person's own definition of a
--- group wins.
local api = vim.api

local M = {}

local links = {
  AgentDiffTitle = 'Title',
  AgentDiffHead = 'Comment',
  AgentDiffKey = 'Special',
  AgentDiffHunk = 'Function',
  AgentDiffFile = 'Directory',
  AgentDiffAddSign = 'Added',
  AgentDiffDeleteSign = 'Removed',
  AgentDiffLineNr = 'LineNr',
  AgentDiffFiller = 'NonText',
  AgentDiffPending = 'Comment',
  AgentDiffApplied = 'DiagnosticOk',
  AgentDiffRejected = 'DiagnosticError',
  AgentDiffConflict = 'DiagnosticWarn',
  AgentDiffHidden = 'SpecialKey',
  AgentDiffComment = 'DiagnosticInfo',
}

-- What a person must be able to read: many a scheme leaves the groups of diagnostics as they are for a dark background.
local words = {
  'AgentDiffApplied',
  'AgentDiffRejected',
  'AgentDiffConflict',
  'AgentDiffComment',
  'AgentDiffHidden',
}

-- How much of a colour is mixed into a background: for lines, where the scheme has no background for them, and for words.
local of_line, of_word = 0.3, 0.3
-- The same for what has to be nearer to another colour, step by step.
local of_step = 0.7
-- The least contrast of a text with its background, as WCAG counts it, and the most of a line's background with the others':
-- the colours of code are made for those.
local least_contrast, most_contrast = 3, 2.2

local function channels(colour)
  return { math.floor(colour / 65536) % 256, math.floor(colour / 256) % 256, colour % 256 }
end

local function mixed(colour, into, part)
  local a, b, sum = channels(colour), channels(into), 0
  for i = 1, 3 do
    sum = sum * 256 + math.floor(a[i] * part + b[i] * (1 - part) + 0.5)
  end
  return sum
end

local function luminance(colour)
  local sum = 0
  for i, share in ipairs({ 0.2126, 0.7152, 0.0722 }) do
    local c = channels(colour)[i] / 255
    sum = sum + share * (c <= 0.03928 and c / 12.92 or ((c + 0.055) / 1.055) ^ 2.4)
  end
  return sum
end

local function contrast(a, b)
  local la, lb = luminance(a), luminance(b)
  return (math.max(la, lb) + 0.05) / (math.min(la, lb) + 0.05)
end

local function get(name) return api.nvim_get_hl(0, { name = name, link = false }) end

local function paper_and_ink()
  local dark = vim.o.background == 'dark'
  local normal = get('Normal')
  return normal.bg or (dark and 0 or 0xffffff), normal.fg or (dark and 0xffffff or 0)
end

--- A group like another one, nearer to the text's own colour where it could not be read otherwise.
local function legible(target)
  local of = get(target)
  local paper, ink = paper_and_ink()
  local colour, on = of.fg, of.bg or paper
  if not colour or of.reverse or contrast(colour, on) >= least_contrast then return { link = target } end
  for _ = 1, 10 do
    colour = mixed(colour, ink, of_step)
    if contrast(colour, on) >= least_contrast then break end
  end
  local of_16 = of.ctermfg
  if of_16 and of_16 > 8 and of_16 < 15 then of_16 = of_16 - 8 end -- the dark one of the same colour
  return { fg = colour, bg = of.bg, bold = of.bold, ctermfg = of_16, ctermbg = of.ctermbg }
end

--- The backgrounds of changed lines and of their changed words. Only backgrounds: the text keeps the colours of code.
local function backgrounds()
  local dark = vim.o.background == 'dark'
  local paper, ink = paper_and_ink()
  local made = { AgentDiffDecided = {} }
  for name, of in pairs({
    Add = { 'DiffAdd', 'Added', dark and 0x30a050 or 0x40c060 },
    Delete = { 'DiffDelete', 'Removed', dark and 0xd04858 or 0xf05060 },
  }) do
    local diff, text = get(of[1]), get(of[2])
    local line, colour = not diff.reverse and diff.bg, text.fg or of[3]
    if not line then
      line, colour = mixed(of[3], paper, of_line), of[3]
    end
    for _ = 1, 10 do
      if contrast(line, ink) >= least_contrast and contrast(line, paper) <= most_contrast then break end
      line = mixed(line, paper, of_step)
    end
    made['AgentDiff' .. name] =
      { bg = line, ctermfg = diff.ctermfg, ctermbg = diff.ctermbg, cterm = diff.cterm }
    made['AgentDiff' .. name .. 'Text'] = { bg = mixed(colour, line, of_word), cterm = { underline = true } }
  end
  return made
end

-- How we defined the groups last, and what they were then: one that is not so any more is the person's.
---@type table<string, { look: table, made: table }>
local ours = {}

--- Defines the groups for the colour scheme as it is now.
function M.define()
  local wanted = backgrounds()
  for group, target in pairs(links) do
    wanted[group] = { link = target }
  end
  for _, group in ipairs(words) do
    wanted[group] = legible(links[group])
  end
  for group, look in pairs(wanted) do
    local now, last = api.nvim_get_hl(0, { name = group }), ours[group]
    local is_ours = last ~= nil and vim.deep_equal(now, last.made)
    -- Each definition makes Neovim draw everything anew.
    if not (is_ours and vim.deep_equal(look, last.look)) and (is_ours or vim.tbl_isempty(now)) then
      api.nvim_set_hl(0, group, look)
      ours[group] = { look = look, made = api.nvim_get_hl(0, { name = group }) }
    end
  end
end

--- Whether changed lines have a background of 24 bits; code on one of the terminal's 16 colours cannot be read.
---@return boolean
function M.has_backgrounds()
  if vim.o.termguicolors then return true end
  for _, ui in ipairs(api.nvim_list_uis()) do
    if ui.rgb then return true end
  end
  return false
end

return M
