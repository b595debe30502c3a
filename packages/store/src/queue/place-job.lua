-- Puts a job back among those that wait, and wakes a worker. A part of the scripts that give jobs back.
-- Needs server.lua.
--
-- Jobs wait in <root>prioritized (zset), scored by BullMQ's priority and then by their order.

--- @include "priorities.lua"

-- @param to_front before the jobs of its priority, or of its tenant, that nobody has begun yet
-- Fields of the job: `since`, when it began to wait this time (before it is first begun: BullMQ's `timestamp`), and
-- `begun`: its tenant was served with it before.
local function place_job(root, id, to_front)
  local priority, tenant, tag = unpack(redis.call('HMGET', root .. id, 'priority', 'tenant', 'tag'))
  priority = priority_of(priority)
  if priority == ORDINARY and not to_front then
    local tag_of_last = line_up(root, { id, tenant or '-' }, tag and level_of(tag) or 'normal')[1]
    redis.call('HSET', root .. id, 'tag', tag_of_last, 'since', ('%.0f'):format(now_ms()))
    redis.call('HDEL', root .. id, 'begun')
    return
  end
  local score = priority * BAND
  if not to_front then score = score + redis.call('INCR', root .. 'pc') end
  redis.call('ZADD', root .. 'prioritized', priority == ORDINARY and tag or score, id)
  redis.call('HSET', root .. id, 'since', ('%.0f'):format(now_ms()), 'begun', '1')
end

-- BullMQ's own tools put jobs into the list <root>wait. Moves them to <root>prioritized, as jobs of one tenant. Returns
-- whether there were any.
local function place_list(root)
  local ids, jobs = redis.call('RPOP', root .. 'wait', '500'), {}
  if not ids then return false end
  for i, id in ipairs(ids) do jobs[2 * i - 1], jobs[2 * i] = id, '-' end
  local tags = line_up(root, jobs, 'normal')
  for at = 1, #jobs, 2 do redis.call('HSET', root .. jobs[at], 'priority', ORDINARY, 'tag', tags[at]) end
  return true
end

local function wake_worker(root)
  if redis.call('HEXISTS', root .. 'meta', 'paused') == 0 then redis.call('ZADD', root .. 'marker', '0', '0') end
end
