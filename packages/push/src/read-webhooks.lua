-- Reads the webhooks of a task as they are stored.
--
-- KEYS  task      hash
--       webhooks  hash, see delivery-queues.lua
-- ARGV  owner
-- Returns  nil (no such task, or its client was not given it) | the fields of the hash: name, value, name, value, …

local task_key, webhooks_key = unpack(KEYS)
local owner = unpack(ARGV)
local its_owner, state = unpack(redis.call('HMGET', task_key, 'owner', 'state'))
if its_owner ~= owner or state == 'h' or state == 'M' then return false end
return redis.call('HGETALL', webhooks_key)
