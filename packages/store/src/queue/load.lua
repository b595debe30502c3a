-- The load of an agent's queue.
--
-- KEYS  root     of the queue's keys, as in take-jobs.lua
-- Returns  { waiting jobs, running jobs, jobs ever added, jobs removed while they waited, ms that the next ordinary job
--          has waited (0: none waits), now in ms }
-- Invariant: nothing is written.

local root = unpack(KEYS)

--- @include "@switchyard/redis/server.lua"
--- @include "running.lua"

-- Scores from the first one on are those of ordinary jobs, from the second one on those of normal and low ones, which
-- wait for longer than high ones. A suspect waits for a free process, so its wait says nothing here.
local ORDINARY_FROM, NORMAL_FROM = '15032385536', '17179869184'

local waiting = redis.call('ZCARD', root .. 'prioritized') + redis.call('LLEN', root .. 'wait')
local function next_from(score)
  return redis.call('ZRANGEBYSCORE', root .. 'prioritized', score, '+inf', 'LIMIT', '0', '1')[1]
end
local next_id = next_from(NORMAL_FROM) or next_from(ORDINARY_FROM) or redis.call('LINDEX', root .. 'wait', '-1')
local age_ms = 0
if next_id then
  local since, timestamp = unpack(redis.call('HMGET', root .. next_id, 'since', 'timestamp'))
  age_ms = math.max(0, now_ms() - (since or timestamp or now_ms()))
end
local added, removed = unpack(redis.call('MGET', root .. 'id', root .. 'removed'))
local active = redis.call('HGET', running_key(root) .. ':queues', root)
return { waiting, tonumber(active or 0), tonumber(added or 0), tonumber(removed or 0), age_ms, now_ms() }
