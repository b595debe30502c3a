-- due: the tasks of a shard that the sweeper should look after, the longest due first.
--
-- KEYS  1 outbox (zset)   2 what the keys of tasks begin with
-- ARGV  1 at most so many   2 ms: no entry is due later than that (left out: not looked at)
-- Returns  of one task after the other its id and its owner ('' there is no such task)

--- @include "../redis/lua/clock.lua"

-- The clock of Redis was set back since these were written: they are due the next time.
if ARGV[2] then
  local late = redis.call('ZRANGEBYSCORE', KEYS[1], now_ms() + ARGV[2], '+inf', 'LIMIT', '0', ARGV[1])
  for _, task_id in ipairs(late) do redis.call('ZADD', KEYS[1], now_ms(), task_id) end
end
local reply = {}
for _, task_id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now_ms(), 'LIMIT', '0', ARGV[1])) do
  reply[#reply + 1], reply[#reply + 2] = task_id, redis.call('HGET', KEYS[2] .. task_id, 'owner') or ''
end
return reply
