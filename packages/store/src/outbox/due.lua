-- due: the tasks of a shard that the sweeper should look after, the longest due first.
--
-- KEYS  1 outbox (zset)   2 what the keys of tasks begin with
-- ARGV  1 at most so many
-- Returns  of one task after the other its id and its owner ('' there is no such task)

--- @include "../redis/lua/clock.lua"

local reply = {}
for _, task_id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now_ms(), 'LIMIT', '0', ARGV[1])) do
  reply[#reply + 1], reply[#reply + 2] = task_id, redis.call('HGET', KEYS[2] .. task_id, 'owner') or ''
end
return reply
