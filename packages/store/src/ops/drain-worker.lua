-- drainWorker: an operator says whether a worker is to be drained.
--
--- @include "../redis/lua/when-full.lua"
--
-- KEYS  1 workers   2 their reports, both as in report-worker.lua
-- ARGV  1 worker id   2 how it is to be drained, '' not (any more)   3 channel on which it is told
-- Returns  1 | 0 (no such worker)
-- Invariant: what is told may be missed; what is written comes back with the worker's next report.

local worker, how, channel = unpack(ARGV)
if not redis.call('ZSCORE', KEYS[1], worker) then return 0 end
go_on_when_full(KEYS[1])
if how == '' then redis.call('HDEL', KEYS[2], worker .. ' drain') else redis.call('HSET', KEYS[2], worker .. ' drain', how) end
redis.call('PUBLISH', channel, worker)
return 1
