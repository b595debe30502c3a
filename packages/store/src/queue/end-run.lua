-- endRun: a run of a job ends, if it is still that with this token: the job leaves its queue, or waits again.
--
-- KEYS  root      of the queue's keys, as in take-jobs.lua
-- ARGV  id        of the job
--       token     of its lock
--       delay_ms  'done': it leaves; else until it may be taken again, '': at once, before its tenant's that nobody
--                 has begun
-- Returns  ended | fenced (it is another run's)
-- Invariant: a job that runs leaves or waits once, or is another run's and stays as it is.
--
-- It leaves what BullMQ's moveToFinished, moveJobFromActiveToWait and moveToDelayed leave (test/queue-scripts.test.ts),
-- by Redis' time.

local root = unpack(KEYS)
local id, token, delay_ms = unpack(ARGV)
local job_key = root .. id

--- @include "../redis/server.lua"
--- @include "place-job.lua"

if redis.call('GET', job_key .. ':lock') ~= token then return 'fenced' end
redis.call('DEL', job_key .. ':lock')
redis.call('LREM', root .. 'active', '-1', id)
if delay_ms == 'done' then
  redis.call('DEL', job_key)
  return 'ended'
end
if delay_ms == '' then
  place_job(root, id, true)
  wake_worker(root)
  return 'ended'
end

-- BullMQ numbers the jobs that are due in the same millisecond by the lowest twelve bits.
local first = (now_ms() + delay_ms) * 4096
local last = redis.call('ZREVRANGEBYSCORE', root .. 'delayed', first + 4095, first, 'WITHSCORES', 'LIMIT', '0', '1')[2]
redis.call('ZADD', root .. 'delayed', last and math.min(tonumber(last) + 1, first + 4095) or first, id)
redis.call('HSET', job_key, 'delay', delay_ms)
redis.call('ZADD', root .. 'marker', redis.call('ZRANGE', root .. 'delayed', '0', '0', 'WITHSCORES')[2] / 4096, '1')
return 'ended'
