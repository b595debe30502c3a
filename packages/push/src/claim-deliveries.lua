-- Claims the delivery queues of a shard that need a job: those with new events, and those without
-- progress for too long. Each claim without progress doubles that time: its job may only be late, in a long queue.
--
-- KEYS  push              zset
--       dead_push         zset
--       tasks_root        prefix of the keys of tasks; made from it: the webhooks of each task
-- ARGV  reclaim_after_ms  after which a delivery queue without progress is claimed again
--       limit             number of delivery queues to claim at most
--       kept_ms           how long a dead letter is kept
-- Returns  now in ms, and for each { 'claimed', `<task>.<number>`, number of its job, claims since its last progress,
--          owner of the task }, or { 'damaged', `<task>.<number>`, the error }
-- Invariant: of all workers that claim a delivery queue, one gets it.

local push_key, dead_push_key, tasks_root = unpack(KEYS)
local reclaim_after_ms, limit, kept_ms = unpack(ARGV)

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/redis/claim.lua"

local MAX_DOUBLINGS = 4

local ids = claim(push_key, { due_ms = now_ms(), claim_ms = reclaim_after_ms, limit = limit })
local rows = rows_of(ids, function(id)
  local task_id, number = id:match('^(.*)%.(%d+)$')
  local webhooks_key = tasks_root .. task_id .. ':w'
  local job = redis.call('HGET', webhooks_key, number .. ':job')
  if not job then
    redis.call('ZREM', push_key, id) -- the task has expired
    return nil
  end
  local owner = redis.call('HGET', tasks_root .. task_id, 'owner') or ''
  local claims = redis.call('HINCRBY', webhooks_key, number .. ':claims', 1)
  local doublings = math.min(claims - 1, MAX_DOUBLINGS)
  if doublings > 0 then redis.call('ZADD', push_key, now_ms() + reclaim_after_ms * 2 ^ doublings, id) end
  return { 'claimed', id, tonumber(job), claims, owner }
end)
redis.call('ZREMRANGEBYSCORE', dead_push_key, '-inf', now_ms() - kept_ms)
return { now_ms(), unpack(rows) }
