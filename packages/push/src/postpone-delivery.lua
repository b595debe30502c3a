-- The next delivery will be tried again later.
--
-- KEYS  <delivery-queues>
-- ARGV  task_id
--       number            of the delivery queue
--       token             of the run
--       attempts          at the delivery so far
--       delay_ms          until the next attempt
--       reclaim_after_ms  after which a delivery queue without progress gets a job again
--       failure           the last attempt, as JSON; '': it was not tried
-- Returns  postponed | fenced
-- Invariant: the delivery queue stays in `push`, so that a lost job is added again.

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, number, token, attempts, delay_ms, reclaim_after_ms, failure = unpack(ARGV)

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/store/record/delivery-queues.lua"

if queue_field(number, 'run') ~= token then return 'fenced' end
allow_out_of_memory(webhooks_key)
if attempts ~= '0' then
  local since = (queue_field(number, 'failed') or ''):match('^%d+ (%d+)$') or now_ms()
  redis.call('HSET', webhooks_key, number .. ':failed', attempts .. ' ' .. since)
end
if failure ~= '' then redis.call('HSET', webhooks_key, number .. ':last', failure) end
redis.call('HDEL', webhooks_key, number .. ':claims')
redis.call('ZADD', push_key, 'XX', now_ms() + delay_ms + reclaim_after_ms, member(number))
return 'postponed'
