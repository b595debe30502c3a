-- Jobs that wait for a time. Needs server.lua.
--
-- BullMQ scores them in <root>delayed (zset): ms when the job is due × SCORES_PER_MS, plus its number among the jobs
-- that are due in the same millisecond.

local SCORES_PER_MS = 4096

-- ms until the first of them is due, 0 or less if it is; nil: there is none
local function next_delay_ms(root)
  local first = redis.call('ZRANGE', root .. 'delayed', '0', '0', 'WITHSCORES')[2]
  return first and math.floor(tonumber(first) / SCORES_PER_MS) - now_ms()
end
