-- reportWorker: a worker says what it does, and hears whether it is to be drained.
--
--- @include "../redis/lua/when-full.lua"
--
-- KEYS  1 workers (zset: worker id → ms of its last report)
--       2 their reports (hash: worker id → report as JSON; '<worker id> drain' → how it is to be drained)
-- ARGV  1 worker id   2 report as JSON   3 ms after which a silent worker is forgotten
-- Returns  how it is to be drained, '' if it is not

local worker, report, forget_ms = unpack(ARGV)
local clock = redis.call('TIME')
local now_ms = clock[1] * 1000 + math.floor(clock[2] / 1000)

go_on_when_full(KEYS[1])
redis.call('ZADD', KEYS[1], now_ms, worker)
redis.call('HSET', KEYS[2], worker, report)
for _, silent in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now_ms - forget_ms, 'LIMIT', 0, 10)) do
  redis.call('ZREM', KEYS[1], silent)
  redis.call('HDEL', KEYS[2], silent, silent .. ' drain')
end
redis.call('PEXPIRE', KEYS[1], forget_ms)
redis.call('PEXPIRE', KEYS[2], forget_ms)
return redis.call('HGET', KEYS[2], worker .. ' drain') or ''
