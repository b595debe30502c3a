-- finish: a job is done and leaves its queue, if it is still that of the run with this token.
--
-- KEYS  root   of the queue's keys, as in take-jobs.lua
-- ARGV  id     of the job
--       token  of its lock
-- Returns  nothing

--- @include "finish-jobs.lua"

local root = unpack(KEYS)
local id, token = unpack(ARGV)
finish_jobs({ { root = root, id = id, token = token } })
