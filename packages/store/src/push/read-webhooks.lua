-- readWebhooks: the webhooks of a task as they are stored.
--
-- KEYS  task      hash
--       webhooks  hash, see delivery-queues.lua
-- ARGV  owner
-- Returns  nil (no such task) | the fields of the hash: name, value, name, value, …

local task_key, webhooks_key = unpack(KEYS)
local owner = unpack(ARGV)
if redis.call('HGET', task_key, 'owner') ~= owner then return false end
return redis.call('HGETALL', webhooks_key)
