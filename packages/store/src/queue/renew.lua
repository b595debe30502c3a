-- renew: a process that is alive renews the locks of the jobs that it runs. There is no other lease.
--
-- KEYS  cancels   a channel; names the shard
-- ARGV  lock_ms   how long the locks last
-- EACH  root      of the keys of the job's queue, as in take-jobs.lua
--       id        of the job
--       token     of its lock
--       task_key  of its open turn; '' if none is open
--       fence     fencing token of that turn; '' if none is open
--       seen      number of messages of its task that the turn knows of; '' if it asks only for its own
-- Returns  for each job: held | canceling (stop the executor, then append the canceled event) | fenced (stop the
--       executor) | steered (messages arrived that the turn does not know of)
-- Invariant: if two processes renew the same job, one of them gets `held`.
--
-- A lock may expire while Redis is away, although the process is alive: it gets its job back if no other process has
-- taken it meanwhile.

local cancels_key = unpack(KEYS)
local lock_ms = unpack(ARGV, 1, 1)

--- @include "../redis/server.lua"
allow_out_of_memory(cancels_key)

-- Whether the queue still lists the job as active, or as waiting: then it becomes active again.
local function take_back(root, id)
  if redis.call('LPOS', root .. 'active', id) then return true end
  local is_waiting = redis.call('LREM', root .. 'wait', '-1', id) == 1
    or redis.call('ZREM', root .. 'prioritized', id) == 1
  if is_waiting then redis.call('LPUSH', root .. 'active', id) end
  return is_waiting
end

local function renew(root, id, token, task_key, fence, seen)
  local turn, cancel, accepted
  if task_key ~= '' then
    turn, cancel, accepted = unpack(redis.call('HMGET', task_key, 'turn', 'cancel', 'accepted'))
    if turn ~= fence then return 'fenced' end
  end
  local lock_key = root .. id .. ':lock'
  local lock = redis.call('GET', lock_key) or ''
  -- Usually the lock is there. Then only its expiry is written: replicas and the append-only file do not get the token.
  if lock == token then redis.call('PEXPIRE', lock_key, lock_ms)
  elseif lock ~= '' or not take_back(root, id) then return 'fenced'
  else redis.call('SET', lock_key, token, 'PX', lock_ms) end
  if cancel then return 'canceling' end
  return seen ~= '' and accepted ~= seen and 'steered' or 'held'
end

local replies = {}
for at = 2, #ARGV, 6 do replies[#replies + 1] = renew(unpack(ARGV, at, at + 5)) end
return replies
