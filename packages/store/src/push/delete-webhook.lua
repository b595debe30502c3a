-- deleteWebhook: a client wants no more to be told to a webhook.
--
-- KEYS  1 task (hash)   2 its webhooks (hash)   3 push (zset, channel)   and, made from it, dead push (zset)
-- ARGV  1 task id   2 owner   3 config id
-- Returns  deleted (also if there is no such webhook, or no longer) | missing (no such task)

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, owner, config_id = unpack(ARGV)

--- @include "../redis/lua/lanes.lua"

if redis.call('HGET', task_key, 'owner') ~= owner then return 'missing' end
local lane = redis.call('HGET', webhooks_key, 'id:' .. config_id)
if lane then remove_webhook(lane) end
return 'deleted'
