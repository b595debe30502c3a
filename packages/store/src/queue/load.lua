-- load: how much an agent's queue has to do.
--
-- KEYS  root     of the queue's keys, as in take-jobs.lua
-- Returns  { jobs that wait, that run, that ever came, ms for which the next one has waited (0: none does), now in ms }
-- Invariant: nothing is written.

local root = unpack(KEYS)

--- @include "../redis/server.lua"

local waiting = redis.call('ZCARD', root .. 'prioritized')
local next_id = redis.call('ZRANGE', root .. 'prioritized', '0', '0')[1]
local since = next_id and redis.call('HGET', root .. next_id, 'timestamp')
local age_ms = since and math.max(0, now_ms() - since) or 0
local active, came = redis.call('LLEN', root .. 'active'), tonumber(redis.call('GET', root .. 'id') or 0)
return { waiting, active, came, age_ms, now_ms() }
