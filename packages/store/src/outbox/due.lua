-- due: the tasks of a shard that the sweeper should look after, the longest due first.
--
-- KEYS  1 outbox (zset)
-- ARGV  1 at most so many
-- Returns  task ids

local clock = redis.call('TIME')
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', clock[1] * 1000 + math.floor(clock[2] / 1000), 'LIMIT', 0, ARGV[1])
