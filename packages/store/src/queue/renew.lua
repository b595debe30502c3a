-- A process that is alive renews its lease on a shard.
--
-- KEYS  running   as in running.lua
-- ARGV  lease_ms  how long the lease lasts
--       process
-- Returns  number of jobs that the process runs under the lease; -1: it has no lease
-- Invariant: a lease that ran out, and whose jobs wait again, does not come back.

local running = unpack(KEYS)
local lease_ms, process = unpack(ARGV)

--- @include "@switchyard/redis/server.lua"

if not redis.call('ZSCORE', running, process) then return -1 end
allow_out_of_memory(running)
redis.call('ZADD', running, ('%.0f'):format(now_ms() + lease_ms), process)
return redis.call('HLEN', running .. ':' .. process)
