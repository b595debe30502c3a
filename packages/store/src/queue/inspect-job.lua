-- inspectJob: finds out where a job is.
--
-- KEYS  root   of the queue's keys, as in take-jobs.lua
-- ARGV  id
-- Returns  { jobs ahead of it (-1: it does not wait), ms until the lease of its process ends (-1: it does not run), ms
--          when its delay ends (0: it is not delayed), ms since when it waits (0: there is no such job) }
-- Invariant: nothing is written.

local root = unpack(KEYS)
local id = unpack(ARGV)

--- @include "../redis/server.lua"
--- @include "running.lua"

local before = redis.call('ZRANK', root .. 'prioritized', id)
local delayed = redis.call('ZSCORE', root .. 'delayed', id)
local since, timestamp = unpack(redis.call('HMGET', root .. id, 'since', 'timestamp'))
local run = run_of(root, id)
local lease_end = run and redis.call('ZSCORE', running_key(root), run:match('^[^:]*')) or 0
return {
  before or -1,
  run and math.max(0, lease_end - now_ms()) or -1,
  -- BullMQ's score of a delayed job, as in end-run.lua.
  delayed and math.floor(tonumber(delayed) / 4096) or 0,
  tonumber(since or timestamp or 0),
}
