-- claimLanes: the lanes of a shard that need a job: newly marked, or silent for a lease.
-- A claim without effect doubles it: a job that is just late, in a long queue, is there all the while.
--
-- KEYS  push        zset
--       dead_push   zset
--       tasks_root  what the keys of tasks begin with; made from it: the webhooks of each task
-- ARGV  lease_ms    that a lane may be silent
--       most        at most so many
--       kept_ms     that a dead lane is kept
-- Returns  of each { `<task>.<lane>`, number of its job, claims since it last made progress }
-- Invariant: of all who ask, one gets a newly marked lane.

local push_key, dead_push_key, tasks_root = unpack(KEYS)
local lease_ms, most, kept_ms = unpack(ARGV)

--- @include "../redis/lua/clock.lua"

local MOST_DOUBLINGS = 4

local claimed = {}
for _, lane in ipairs(redis.call('ZRANGEBYSCORE', push_key, '-inf', now_ms(), 'LIMIT', 0, most)) do
  local task_id, n = lane:match('^(.*)%.(%d+)$')
  local webhooks_key = tasks_root .. task_id .. ':w'
  local job = redis.call('HGET', webhooks_key, n .. ':job')
  if not job then redis.call('ZREM', push_key, lane) -- the task has expired
  else
    local claims = redis.call('HINCRBY', webhooks_key, n .. ':silent', 1)
    redis.call('ZADD', push_key, now_ms() + lease_ms * 2 ^ math.min(claims - 1, MOST_DOUBLINGS), lane)
    claimed[#claimed + 1] = { lane, tonumber(job), claims }
  end
end
redis.call('ZREMRANGEBYSCORE', dead_push_key, '-inf', now_ms() - kept_ms)
return claimed
