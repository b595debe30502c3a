-- Deletes a webhook for a client.
--
-- KEYS  <delivery-queues>
-- ARGV  task_id
--       owner
--       config_id
-- Returns  deleted (also if there is no such webhook, or no longer) | missing (no such task, or its
--          client was not given it)

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, owner, config_id = unpack(ARGV)

--- @include "@switchyard/store/record/delivery-queues.lua"

local its_owner, state = unpack(redis.call('HMGET', task_key, 'owner', 'state'))
if its_owner ~= owner or state == 'h' or state == 'M' then return 'missing' end
local number = redis.call('HGET', webhooks_key, 'id:' .. config_id)
if number then remove_webhook(number) end
return 'deleted'
