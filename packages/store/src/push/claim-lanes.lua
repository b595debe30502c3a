-- claimLanes: the lanes of a shard that need a job: newly marked, or silent for a lease.
-- A claim without effect doubles it: a job that is just late, in a long queue, is there all the while.
--
-- KEYS  1 push (zset)   2 dead push (zset)   and, made from ARGV[1], the webhooks of each task
-- ARGV  1 what the keys of tasks begin with   2 lease ms: how long a lane may be silent   3 at most so many
--       4 ms that a dead lane is kept
-- Returns  lane, number of its job, claims since it last made progress, lane, …
-- Invariant: of all who ask, one gets a newly marked lane.

local root, lease_ms, limit, kept_ms = unpack(ARGV)

--- @include "../redis/lua/clock.lua"

local MOST_DOUBLINGS = 4

local claimed = {}
for _, lane in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now_ms(), 'LIMIT', 0, limit)) do
  local task_id, n = lane:match('^(.*)%.(%d+)$')
  local webhooks_key = root .. task_id .. ':w'
  local job = redis.call('HGET', webhooks_key, n .. ':job')
  if not job then redis.call('ZREM', KEYS[1], lane) -- the task has expired
  else
    local claims = redis.call('HINCRBY', webhooks_key, n .. ':silent', 1)
    redis.call('ZADD', KEYS[1], now_ms() + lease_ms * 2 ^ math.min(claims - 1, MOST_DOUBLINGS), lane)
    local at = #claimed
    claimed[at + 1], claimed[at + 2], claimed[at + 3] = lane, tonumber(job), claims
  end
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now_ms() - kept_ms)
return claimed
