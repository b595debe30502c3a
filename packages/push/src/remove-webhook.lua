-- Deletes a webhook whose receiver answered 410 Gone.
--
-- KEYS  <delivery-queues>
-- ARGV  task_id
--       number   of the delivery queue
--       token    of the run
-- Returns  removed | fenced

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, number, token = unpack(ARGV)

--- @include "@switchyard/store/record/delivery-queues.lua"

if queue_field(number, 'run') ~= token then return 'fenced' end
remove_webhook(number)
return 'removed'
