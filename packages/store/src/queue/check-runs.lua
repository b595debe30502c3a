-- A process asks whether runs of jobs still have their jobs and tasks, and what their turns must know. It
-- asks when its lease may have run out, and from time to time, in case that a fail-over lost the beginning of a run, or
-- that a published cancel did not arrive.
--
-- KEYS  running   as in running.lua
-- ARGV  lease_ms  how long the lease lasts, which begins again
--       process
-- EACH  root      of the keys of the job's queue, as in take-jobs.lua
--       id        of the job
--       token     of the run
--       task_key  of its open turn; '' if none is open
--       fence     fencing token of that turn; '' if none is open
--       seen      number of messages of its task that the turn knows of; '' if it asks only for its own
-- Returns  for each run: held | canceling (stop the executor, then append the canceled event) | fenced (stop the
--       executor) | steered (messages arrived that the turn does not know of)
-- Invariant: if two runs have had the same job, one of them at most gets `held`. A run that gave its job back, or ended
-- it, does not get it again.
--
-- A lease may run out while Redis is away, although the process is alive: a run takes its job back if the job still
-- waits since then, and nobody else has taken it meanwhile.

local running = unpack(KEYS)
local lease_ms, process = unpack(ARGV, 1, 2)

--- @include "@switchyard/redis/server.lua"
--- @include "who-runs.lua"

local function take_back(root, id, token)
  if redis.call('HGET', root .. id, 'token') ~= token then return false end
  if redis.call('ZREM', root .. 'prioritized', id) == 0 then return false end
  redis.call('HSET', holder_key(running, token), token, root .. id)
  count_running(running, root, '1')
  return true
end

local function check(root, id, token, task_key, fence, seen)
  local turn, cancel, messages
  if task_key ~= '' then
    turn, cancel, messages = unpack(redis.call('HMGET', task_key, 'turn', 'cancel', 'messages'))
    if turn ~= fence then return 'fenced' end
  end
  if not holds(running, root, id, token) and not take_back(root, id, token) then return 'fenced' end
  if cancel then return 'canceling' end
  return seen ~= '' and messages ~= seen and 'steered' or 'held'
end

allow_out_of_memory(running)
redis.call('ZADD', running, ('%.0f'):format(now_ms() + lease_ms), process)
local replies = {}
for at = 3, #ARGV, 6 do replies[#replies + 1] = check(unpack(ARGV, at, at + 5)) end
return replies
