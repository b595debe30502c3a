-- Stores the report of a worker, and returns whether it must drain.
--
-- KEYS  workers    zset: worker id → ms of its last report
--       reports    hash: worker id → report as JSON; '<worker id> drain' → the request to drain;
--                  '<worker id> blocked' → what blocks it, and since which report
-- ARGV  worker     its id
--       report     as JSON
--       forget_ms  after which a worker without a report is deleted
-- Returns  the request to drain as JSON, '' if there is none
-- Invariant: a worker that reports is listed; deleting a worker deletes all its fields.

--- @include "@switchyard/redis/server.lua"

local workers_key, reports_key = unpack(KEYS)
local worker, report, forget_ms = unpack(ARGV)
local clock = redis.call('TIME')
local now_ms = clock[1] * 1000 + math.floor(clock[2] / 1000)

allow_out_of_memory(workers_key)
redis.call('ZADD', workers_key, now_ms, worker)
redis.call('HSET', reports_key, worker, report)
for _, silent in ipairs(redis.call('ZRANGEBYSCORE', workers_key, '-inf', now_ms - forget_ms, 'LIMIT', 0, 10)) do
  redis.call('ZREM', workers_key, silent)
  redis.call('HDEL', reports_key, silent, silent .. ' drain', silent .. ' blocked')
end
redis.call('PEXPIRE', workers_key, forget_ms)
redis.call('PEXPIRE', reports_key, forget_ms)
return redis.call('HGET', reports_key, worker .. ' drain') or ''
