-- Reads the announced agents, and the workers that are alive and can run each.
--
-- KEYS  agents  as in announce.lua
--       alive   as in announce.lua
-- ARGV
-- Returns  { agent id, '<ms> <announcement>', agent id, … }, { '<agent id>/<worker id>' of each worker alive … }

local agents_key, alive_key = unpack(KEYS, 1, 2)
local clock = redis.call('TIME')
local now_ms = clock[1] * 1000 + math.floor(clock[2] / 1000)
return { redis.call('HGETALL', agents_key), redis.call('ZRANGEBYSCORE', alive_key, now_ms, '+inf') }
