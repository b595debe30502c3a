-- take: the next jobs of a queue, for what has no turns.
--
-- KEYS  1 root of the queue's keys, as in take-jobs.lua
-- ARGV  1 ms the locks last   2-5 taker, number, count and kinds, as in take-jobs.lua
-- Returns  { rest, job … }, as take-jobs.lua has them

--- @include "../redis/lua/clock.lua"
--- @include "place-job.lua"
--- @include "take-jobs.lua"

local jobs, rest = take_jobs(KEYS[1], unpack(ARGV, 1, 5))
return { rest, unpack(jobs) }
