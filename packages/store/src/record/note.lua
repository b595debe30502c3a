-- note: what an agent did beside its events, for operators: in the list <task>:l, the last thousand of each task, as
-- '<ms> <epoch> <what>'. What is sent twice is noted twice; a reader takes the first.

local MOST_NOTES = 1000

-- It is no reason to fail that there is no memory for it.
local function note(task_key, fence, what)
  local time, key = redis.call('TIME'), task_key .. ':l'
  local ms = ('%.0f'):format(time[1] * 1000 + math.floor(time[2] / 1000))
  local count = redis.pcall('RPUSH', key, ms .. ' ' .. fence:match('^%d*') .. ' ' .. what)
  if tonumber(count) and count > MOST_NOTES then redis.call('LTRIM', key, -MOST_NOTES, -1) end
end
