-- dropDeadLetter: an operator deletes a webhook to which deliveries were given up.
--
-- KEYS  <delivery-queues>
-- ARGV  task_id
--       number   of the delivery queue
-- Returns  dropped | unknown (it is not dead, or gone)
-- Invariant: a webhook that is not dead stays.

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, number = unpack(ARGV)

--- @include "../redis/lua/delivery-queues.lua"

redis.call('ZREM', dead_key, member(number))
if not queue_field(number, 'dead') then return 'unknown' end
remove_webhook(number)
return 'dropped'
