-- readWebhooks: the webhooks of a task as they are stored.
--
-- KEYS  1 task (hash)   2 its webhooks (hash)
-- ARGV  1 owner
-- Returns  nil (no such task) | the fields of the hash: name, value, name, value, …

if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return false end
return redis.call('HGETALL', KEYS[2])
