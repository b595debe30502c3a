-- placeJob: where a job waits, and the wake-up of a worker for it. A part of the scripts that give jobs back.
--
-- BullMQ's priorities: those with one wait in <root>prioritized (zset), scored by it and then by their order. 1: a turn
-- waits for this one. 2 and 3: a suspect (see isolation.ts), which is to run alone, 2 if a turn waits for it. All
-- others wait in <root>wait (list).

local BAND = 4294967296
local AWAITED, AWAITED_SUSPECT, SUSPECT = 1, 2, 3

-- @param to_front before those of its kind that nobody has begun yet
local function place_job(root, id, priority, to_front)
  if priority > 0 then
    local order = to_front and 0 or redis.call('INCR', root .. 'pc')
    redis.call('ZADD', root .. 'prioritized', priority * BAND + order, id)
  else
    redis.call(to_front and 'RPUSH' or 'LPUSH', root .. 'wait', id)
  end
end

local function wake_worker(root)
  if redis.call('HEXISTS', root .. 'meta', 'paused') == 0 then redis.call('ZADD', root .. 'marker', '0', '0') end
end
