-- Gives up the deliveries to a webhook. The events stay in the stream, and the cursor is kept.
--
-- KEYS  <delivery-queues>
-- ARGV  task_id
--       number   of the delivery queue
--       token    of the run
--       reason   as JSON
--       failure  as in postpone-delivery.lua
-- Returns  dead-lettered | fenced
-- Invariant: no job of a dead webhook begins, until an operator retries or deletes it.

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, number, token, reason, failure = unpack(ARGV)

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/store/record/delivery-queues.lua"

if queue_field(number, 'run') ~= token then return 'fenced' end
allow_out_of_memory(webhooks_key)
redis.call('HSET', webhooks_key, number .. ':dead', reason)
if failure ~= '' then redis.call('HSET', webhooks_key, number .. ':last', failure) end
store_webhooks(without(redis.call('HGET', task_key, 'webhooks') or '', number))
redis.call('ZREM', push_key, member(number))
redis.call('ZADD', dead_key, now_ms(), member(number))
return 'dead-lettered'
