-- Others run beside a run whose token says that it has its process to itself: if the process dies, begin.lua does not
-- take it for the one that killed it.
--
-- KEYS  task   hash
-- ARGV  token  of the run
-- Returns  nothing
-- Invariant: a task that is gone stays gone.

local task_key = unpack(KEYS)
local token = unpack(ARGV)
if redis.call('EXISTS', task_key) == 1 then redis.call('HSET', task_key, 'shared', token) end
