-- Wakes another worker if a job waits, because the worker that was woken has no free slot.
--
-- KEYS  root  of the queue's keys, as in take-jobs.lua
-- Returns  nothing
--
-- If no job waits it wakes none: fetch loops that share a slot would wake each other again and again.

local root = unpack(KEYS)

--- @include "@switchyard/redis/server.lua"
--- @include "place-job.lua"
--- @include "delayed.lua"

allow_out_of_memory(root .. 'marker')
local waits = redis.call('EXISTS', root .. 'wait', root .. 'prioritized') > 0
if waits or (next_delay_ms(root) or 1) <= 0 then wake_worker(root) end
