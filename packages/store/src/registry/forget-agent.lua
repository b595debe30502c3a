-- Removes the announcement of an agent that no worker runs any more.
--
-- KEYS  agents   as in announce.lua
--       alive    as in announce.lua
--       sources  as in announce.lua
--       seen     as in announce.lua
-- ARGV  channel  on which a change is published
--       agent    id
-- Returns  forgotten | unknown | running (a worker that is alive runs it)
-- Invariant: an agent that a worker runs stays announced.

local agents_key, alive_key, sources_key, seen_key = unpack(KEYS, 1, 4)
local channel, agent = unpack(ARGV, 1, 2)
local clock = redis.call('TIME')
local now_ms = clock[1] * 1000 + math.floor(clock[2] / 1000)

if redis.call('HEXISTS', agents_key, agent) == 0 then
  redis.call('ZREM', seen_key, agent)
  return 'unknown'
end
local prefix = agent .. '/'
for _, member in ipairs(redis.call('ZRANGEBYSCORE', alive_key, now_ms, '+inf')) do
  if member:sub(1, #prefix) == prefix then return 'running' end
end
redis.call('HDEL', agents_key, agent)
redis.call('HDEL', sources_key, agent)
redis.call('ZREM', seen_key, agent)
redis.call('SPUBLISH', channel, agent)
return 'forgotten'
