local M = {}
M.version = 2
-- about M 1
-- about M 2
-- about M 3
-- about M 4
-- about M 5
-- about M 6
-- about M 7

--[[ A long comment that
begins above the hunk and
goes on and on
for lines ]]
local function fetch(url, opts)
  local tries = 0
  local response = http.get(url, { timeout = opts.timeout or 60 })
  if response.status ~= 200 then
    error('cannot fetch ' .. url)
  end
  return response.body
end

function M.names(list)
  local names = {}
  for _, item in ipairs(list) do
    names[#names + 1] = item.name
  end
  return names
end

-- about greeting 1
-- about greeting 2
-- about greeting 3
-- about greeting 4
function M.greet(name)
  print('Schöne Grüße an ' .. name .. ', 你好地球')
end

-- the end 1
-- the end 2
-- the end 3
-- the end 4
-- the end 5
-- the end 6
-- the end 7
-- the end 8
-- the end 9

local theirs = 2

return M
