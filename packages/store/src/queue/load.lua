-- The load of an agent's queue.
--
-- KEYS  root     of the queue's keys, as in take-jobs.lua
-- Returns  { waiting jobs, running jobs, jobs ever added, jobs removed while they waited, ms that the next ordinary job
--          has waited (0: none waits), now in ms }
-- Invariant: nothing is written.

local root = unpack(KEYS)

--- @include "@switchyard/redis/server.lua"
--- @include "fair-order.lua"
--- @include "running.lua"

local waiting = redis.call('ZCARD', root .. 'prioritized') + redis.call('LLEN', root .. 'wait')
local function next_from(level)
  local from = ('%d'):format(BASE[level])
  return redis.call('ZRANGEBYSCORE', root .. 'prioritized', from, '+inf', 'LIMIT', '0', '1')[1]
end
-- Normal and low jobs wait for longer than high ones. A suspect waits for a free process: its wait says nothing here.
local next_id = next_from('normal') or next_from('high') or redis.call('LINDEX', root .. 'wait', '-1')
local age_ms = 0
if next_id then
  local since, timestamp = unpack(redis.call('HMGET', root .. next_id, 'since', 'timestamp'))
  age_ms = math.max(0, now_ms() - (since or timestamp or now_ms()))
end
local added, removed = unpack(redis.call('MGET', root .. 'id', root .. 'removed'))
local active = redis.call('HGET', running_key(root) .. ':queues', root)
return { waiting, tonumber(active or 0), tonumber(added or 0), tonumber(removed or 0), age_ms, now_ms() }
