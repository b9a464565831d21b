-- Writes the lists of keys and options in doc/agent-diff.txt from their one schema, lua/agent_diff/config.lua.
-- Run by `make help-file` as `nvim -l scripts/help.lua`; with the argument `print` it prints the whole file instead.
local root = vim.fs.dirname(
  vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p')))
)
vim.opt.runtimepath:prepend(root)
local config = require('agent_diff.config')

local width, indent = 78, 24

--- A text in lines that begin at column `indent`, the first one behind a heading.
local function entry(heading, text)
  local lines, line = {}, ''
  for _, word in ipairs(vim.split(text, '%s+')) do
    if line ~= '' and indent + #line + 1 + #word > width then
      lines[#lines + 1] = line
      line = word
    else
      line = line == '' and word or line .. ' ' .. word
    end
  end
  lines[#lines + 1] = line
  for i, each in ipairs(lines) do
    lines[i] = '\t\t\t' .. each
  end
  if #heading < indent - 1 then
    lines[1] = heading .. ('\t'):rep(math.ceil((indent - #heading) / 8)) .. vim.trim(lines[1])
  else
    table.insert(lines, 1, heading)
  end
  return lines
end

--- A tag at the right edge.
local function tag(name)
  local text = '*' .. name .. '*'
  local tabs = math.floor((width - #text) / 8)
  return ('\t'):rep(tabs) .. (' '):rep(width - 8 * tabs - #text) .. text
end

local function shown(value)
  if type(value) == 'string' then return '"' .. value .. '"' end
  return vim.inspect(value)
end

local function keys()
  local lines = {}
  for _, action in ipairs(config.actions) do
    local lhs = type(action.lhs) == 'table' and table.concat(action.lhs, '  ') or action.lhs or '-'
    vim.list_extend(lines, entry(lhs, action.help))
    lines[#lines + 1] = ('\t\t\t`%s`, %s'):format(action.name, config.plug(action.name))
  end
  return lines
end

local function options()
  local lines, names = {}, vim.tbl_keys(config.options)
  table.sort(names)
  for _, name in ipairs(names) do
    local option = config.options[name]
    lines[#lines + 1] = tag('agent-diff-' .. name)
    vim.list_extend(
      lines,
      entry(name, ('(default %s; %s) %s'):format(shown(option.default), option.expects, option.help))
    )
  end
  return lines
end

--- Puts lines in the place of those between a tag's line and the end of its section.
local function replace(all, name, lines)
  local out, inside, found = {}, false, false
  for _, line in ipairs(all) do
    if inside and vim.startswith(line, '====') then
      inside = false
      out[#out + 1] = ''
    end
    if not inside then out[#out + 1] = line end
    if line:find('*' .. name .. '*', 1, true) then
      inside, found = true, true
      out[#out + 1] = ''
      vim.list_extend(out, lines)
    end
  end
  assert(found, 'there is no tag ' .. name)
  return out
end

local path = root .. '/doc/agent-diff.txt'
local all = vim.fn.readfile(path)
all = replace(all, 'agent-diff-key-list', keys())
all = replace(all, 'agent-diff-option-list', options())
if _G.arg[1] == 'print' then
  io.stdout:write(table.concat(all, '\n'), '\n')
else
  vim.fn.writefile(all, path)
end
