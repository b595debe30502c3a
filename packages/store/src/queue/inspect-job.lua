-- inspectJob: finds out where a job is.
--
-- KEYS  root   of the queue's keys, as in take-jobs.lua
-- ARGV  id
-- Returns  { jobs ahead of it (-1: it does not wait), ms until its lock expires (0: it has none), ms when its delay
--          ends (0: it is not delayed), ms since when it waits (0: there is no such job) }
-- Invariant: nothing is written.

local root = unpack(KEYS)
local id = unpack(ARGV)

local before = redis.call('ZRANK', root .. 'prioritized', id)
local delayed = redis.call('ZSCORE', root .. 'delayed', id)
local since, timestamp = unpack(redis.call('HMGET', root .. id, 'since', 'timestamp'))
return {
  before or -1,
  math.max(0, redis.call('PTTL', root .. id .. ':lock')),
  -- BullMQ's score of a delayed job, as in end-run.lua.
  delayed and math.floor(tonumber(delayed) / 4096) or 0,
  tonumber(since or timestamp or 0),
}
