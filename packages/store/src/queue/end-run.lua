-- Ends a run of a job, if the run still has the job: the job leaves its queue, or waits again.
--
-- KEYS  root      of the queue's keys, as in take-jobs.lua
-- ARGV  id        of the job
--       token     of the run
--       outcome   done: the job leaves its queue | requeue: it may be taken at once, before those of its tenant that
--                 nobody has begun | ms until it may be taken again
-- Returns  ended | fenced (another run has the job); another outcome is an error, before anything is written
-- Invariant: a run ends once, and does not change a job that another run has.
--
-- It writes what BullMQ's moveToFinished, moveJobFromActiveToWait and moveToDelayed write (test/queue-scripts.test.ts),
-- by Redis' time; which jobs run is in the keys of running.lua instead of BullMQ's list of active jobs and its locks.

local root = unpack(KEYS)
local id, token, outcome = unpack(ARGV)
local job_key = root .. id

--- @include "@switchyard/redis/server.lua"
--- @include "place-job.lua"
--- @include "delayed.lua"
--- @include "end-hold.lua"

local delay_ms = tonumber(outcome)
if outcome ~= 'done' and outcome ~= 'requeue' and not (delay_ms and math.abs(delay_ms) < math.huge) then
  return redis.error_reply('ERR outcome is ' .. outcome .. ', not done, requeue or a number of ms')
end

if not end_hold(root, id, token) then return 'fenced' end
if outcome == 'done' then
  redis.call('DEL', job_key)
  return 'ended'
end
-- The run gave the job back: no check of runs may take it back (check-runs.lua).
redis.call('HDEL', job_key, 'token')
if outcome == 'requeue' then
  place_job(root, id, true)
  wake_worker(root)
  return 'ended'
end

local first, highest = (now_ms() + delay_ms) * SCORES_PER_MS, (now_ms() + delay_ms + 1) * SCORES_PER_MS - 1
local last = redis.call('ZREVRANGEBYSCORE', root .. 'delayed', highest, first, 'WITHSCORES', 'LIMIT', '0', '1')[2]
redis.call('ZADD', root .. 'delayed', last and math.min(tonumber(last) + 1, highest) or first, id)
redis.call('HSET', job_key, 'delay', outcome)
redis.call('ZADD', root .. 'marker', now_ms() + next_delay_ms(root), '1')
return 'ended'
