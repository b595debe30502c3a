-- Moves the cursor of a webhook, after the events up to it were delivered.
--
-- KEYS  <delivery-queues>
-- ARGV  task_id
--       number            of the delivery queue
--       token             of the run
--       from              cursor before
--       to                cursor after
--       reclaim_after_ms  after which a delivery queue without progress gets a job again
-- Returns  more | idle (all events are delivered: complete the job) | fenced (another run delivers, or the webhook is
--          gone)
-- Invariant: a cursor moves back only if a fail-over lost events. The queue leaves `push` in the step that records the
-- delivery of the last event.

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, number, token, from, to, reclaim_after_ms = unpack(ARGV)

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/store/record/delivery-queues.lua"

local cursor, run = unpack(redis.call('HMGET', webhooks_key, number .. ':cursor', number .. ':run'))
local seq, incarnation = unpack(redis.call('HMGET', task_key, 'seq', 'incarnation'))
-- If the cursor is at `to` already, this command was sent twice.
if not cursor or run ~= token or (cursor ~= from and cursor ~= to) then return 'fenced' end

allow_out_of_memory(webhooks_key)
redis.call('HSET', webhooks_key, number .. ':cursor', to)
redis.call('HDEL', webhooks_key, number .. ':failed', number .. ':claims')
if seq and not is_at(to, seq, incarnation) then
  redis.call('ZADD', push_key, 'XX', now_ms() + reclaim_after_ms, member(number))
  return 'more'
end
if redis.call('ZSCORE', push_key, member(number)) then mark_delivered(number) end
return 'idle'
