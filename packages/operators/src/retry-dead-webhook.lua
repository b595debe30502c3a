-- Restarts the deliveries to a dead webhook from where they stopped, for an operator.
--
-- KEYS  <delivery-queues>
-- ARGV  task_id
--       number   of the delivery queue
-- Returns  retried | unknown (it is not dead, or gone)
-- Invariant: the deliveries continue at the cursor, with a new job.

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, number = unpack(ARGV)

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/store/record/delivery-queues.lua"

if not queue_field(number, 'dead') then
  redis.call('ZREM', dead_key, member(number))
  return 'unknown'
end
redis.call('HINCRBY', webhooks_key, number .. ':job', 1)
redis.call('HDEL', webhooks_key, number .. ':dead', number .. ':failed', number .. ':claims')
redis.call('ZREM', dead_key, member(number))
store_webhooks((redis.call('HGET', task_key, 'webhooks') or '') .. ' ' .. number)
mark_due(number, now_ms())
return 'retried'
