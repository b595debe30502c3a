-- Removes a job from its queue, unless it is running.
--
-- KEYS  root  of the queue's keys, as in remove-job.lua
-- ARGV  id    of the job
-- Returns  removed | runs

local root = unpack(KEYS)
local id = unpack(ARGV)

--- @include "@switchyard/redis/server.lua"
--- @include "remove-job.lua"

return remove_job(root, id)
