-- Deletes a dead webhook with its deliveries, for an operator.
--
-- KEYS  <delivery-queues>
-- ARGV  task_id
--       number   of the delivery queue
-- Returns  deleted | unknown (it is not dead, or gone)
-- Invariant: a webhook that is not dead stays.

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, number = unpack(ARGV)

--- @include "@switchyard/store/record/delivery-queues.lua"

redis.call('ZREM', dead_key, member(number))
if not queue_field(number, 'dead') then return 'unknown' end
remove_webhook(number)
return 'deleted'
