-- Records for operators what an agent did besides its events. The list <task>:l has the last thousand notes of a
-- task, as '<ms> <epoch> <what>'. A note that is sent twice is listed twice; readers take the first.
-- Needs server.lua.

local MAX_NOTES = 1000

-- If Redis has no memory left for a note, the script goes on without it.
local function note(task_key, fence, what)
  local key = task_key .. ':l'
  local count = redis.pcall('RPUSH', key, ('%.0f'):format(now_ms()) .. ' ' .. fence:match('^%d*') .. ' ' .. what)
  if tonumber(count) and count > MAX_NOTES then redis.call('LTRIM', key, -MAX_NOTES, -1) end
end

-- lines: '' or several notes of one turn, one a line
local function note_lines(task_key, fence, lines)
  for what in lines:gmatch('[^\n]+') do note(task_key, fence, what) end
end

-- As note_lines, of a turn that ends otherwise than with an event.
local function keep_notes(record, fence, lines)
  if lines ~= '' then record.has_other_keys = 1 end
  note_lines(record.key, fence, lines)
end
