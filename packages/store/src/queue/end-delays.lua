-- Ends the delays of jobs. A part of the scripts that take and find jobs. Needs server.lua.

--- @include "place-job.lua"
--- @include "delayed.lua"

-- Delayed jobs that one script moves: bounds its duration.
local MAX_DUE = 100

-- Delayed jobs that are due wait again. Returns ms until the next one is due (0: others are), -1 if none is delayed.
local function end_delays(root)
  local in_ms = next_delay_ms(root)
  if not in_ms then return -1 end
  if in_ms > 0 then return in_ms end
  local before = (now_ms() + 1) * SCORES_PER_MS - 1
  local due = redis.call('ZRANGEBYSCORE', root .. 'delayed', '-inf', before, 'LIMIT', '0', MAX_DUE)
  -- The first write needs no memory, as in take_jobs.
  if #due > 0 then redis.call('ZREM', root .. 'delayed', unpack(due)) end
  for _, id in ipairs(due) do
    redis.call('HSET', root .. id, 'delay', '0')
    place_job(root, id)
  end
  return #due == MAX_DUE and 0 or end_delays(root)
end
