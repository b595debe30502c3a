-- Finds out where a job is.
--
-- KEYS  root   of the queue's keys, as in take-jobs.lua
-- ARGV  id
-- Returns  { jobs ahead of it (-1: it does not wait), ms until the lease of its process ends (-1: it does not run), ms
--          when its delay ends (0: it is not delayed), ms since when it waits (0: there is no such job) }
-- Invariant: nothing is written.

local root = unpack(KEYS)
local id = unpack(ARGV)

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/store/queue/delayed.lua"
--- @include "@switchyard/store/queue/who-runs.lua"

local before = redis.call('ZRANK', root .. 'prioritized', id)
local delayed = redis.call('ZSCORE', root .. 'delayed', id)
local since, timestamp = unpack(redis.call('HMGET', root .. id, 'since', 'timestamp'))
local lease_end = lease_end_of(root, id)
return {
  before or -1,
  lease_end and math.max(0, lease_end - now_ms()) or -1,
  delayed and math.floor(tonumber(delayed) / SCORES_PER_MS) or 0,
  tonumber(since or timestamp or 0),
}
