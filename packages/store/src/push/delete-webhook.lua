-- deleteWebhook: a client wants no more to be told to a webhook.
--
-- KEYS  task      hash
--       webhooks  hash, see lanes.lua
--       push      zset, channel; made from it: <push>:dead (zset)
-- ARGV  task_id
--       owner
--       config_id
-- Returns  deleted (also if there is no such webhook, or no longer) | missing (no such task)

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, owner, config_id = unpack(ARGV)

--- @include "../redis/lua/lanes.lua"

if redis.call('HGET', task_key, 'owner') ~= owner then return 'missing' end
local lane = redis.call('HGET', webhooks_key, 'id:' .. config_id)
if lane then remove_webhook(lane) end
return 'deleted'
