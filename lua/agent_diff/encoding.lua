--- The encodings that files are in, besides Neovim's own.
local M = {}

--- The text that a file's bytes are in an encoding; nil when they are none.
---@param bytes string
---@param encoding string 'fileencoding'
---@return string?
function M.decode(bytes, encoding)
  -- Names without a byte order mean big endian to Neovim and something else to iconv, which gets them also for names with.
  if encoding == 'utf-16' or encoding == 'ucs-2' then
    bytes, encoding = bytes:gsub('(.)(.)', '%2%1'), encoding .. 'le'
  elseif encoding == 'utf-32' or encoding == 'ucs-4' then
    bytes, encoding = bytes:gsub('(.)(.)(.)(.)', '%4%3%2%1'), encoding .. 'le'
  end
  return vim.iconv(bytes, encoding, 'utf-8')
end

--- Whether an encoding is Neovim's own.
---@param encoding string 'fileencoding'
function M.is_utf8(encoding) return encoding == '' or encoding == 'utf-8' end

--- Whether an encoding holds every character. ucs-2 does not.
---@param encoding string
---@return boolean
function M.holds_all(encoding)
  return M.is_utf8(encoding) or encoding:find('^utf%-') ~= nil or encoding:find('^ucs%-4') ~= nil
end

--- The first character of a text that the encoding cannot hold: `:write` would put another one in its place without an
--- error.
---@param text string
---@param encoding string
---@return string?
function M.lost_char(text, encoding)
  local function lost(s)
    local there = vim.iconv(s, 'utf-8', encoding)
    return not there or vim.iconv(there, encoding, 'utf-8') ~= s
  end
  if not lost(text) then return nil end
  for _, line in ipairs(vim.split(text, '\n', { plain = true })) do
    if lost(line) then
      for _, char in ipairs(vim.fn.split(line, '\\zs')) do
        if lost(char) then return char end
      end
    end
  end
  return '?'
end

return M
