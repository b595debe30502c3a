-- wake: wakes another worker if there is a job for it. Who was woken has no slot for it now.
--
-- KEYS  root  of the queue's keys, as in take-jobs.lua
-- Returns  nothing
--
-- With no job there is no wake-up: fetch loops that share a slot would wake each other with it again and again.

local root = unpack(KEYS)

--- @include "../redis/server.lua"
--- @include "place-job.lua"

allow_out_of_memory(root .. 'marker')
local due = redis.call('ZRANGE', root .. 'delayed', '0', '0', 'WITHSCORES')[2]
local is_due = due and math.floor(tonumber(due) / 4096) <= now_ms()
local waits = redis.call('EXISTS', root .. 'wait', root .. 'prioritized') > 0
if waits or is_due then wake_worker(root) end
