-- Takes the next jobs of a queue whose jobs have no turns.
--
-- KEYS  root      of the queue's keys, as in take-jobs.lua
-- ARGV  lease_ms  all arguments as in take-jobs.lua
--       taker
--       number
--       count
--       kinds
-- Returns  { rest, job … }, as take-jobs.lua has them

--- @include "@switchyard/redis/server.lua"
--- @include "running.lua"
--- @include "take-jobs.lua"

local root = unpack(KEYS)
local jobs, rest = take_jobs(root, unpack(ARGV, 1, 5))
return { rest, unpack(jobs) }
