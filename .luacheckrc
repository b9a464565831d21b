-- Neovim runs LuaJIT, and gives one global.
std = 'luajit'
globals = { 'vim' }
max_line_length = 120
max_comment_line_length = 125
-- A method that does not need itself is still a method.
self = false
