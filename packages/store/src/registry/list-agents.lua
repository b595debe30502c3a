-- listAgents: what is announced, and by whom now.
--
-- KEYS  1 agents (hash: agent id → '<ms of its last change> <announcement as JSON>')
--       2 alive (zset: '<agent id>/<worker id>' → ms until which the worker counts)
-- Returns  { agent id, '<ms> <announcement>', agent id, … }, { '<agent id>/<worker id>' of each worker alive … }

local clock = redis.call('TIME')
local now_ms = clock[1] * 1000 + math.floor(clock[2] / 1000)
return { redis.call('HGETALL', KEYS[1]), redis.call('ZRANGEBYSCORE', KEYS[2], now_ms, '+inf') }
