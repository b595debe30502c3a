-- renew: this process is alive, and so are the jobs that it runs: their locks last on. The one lease there is.
--
-- KEYS  cancels   a channel; names the shard
-- ARGV  lock_ms   that the locks last
-- EACH  root      of the keys of the job's queue, as in take-jobs.lua
--       id        of the job
--       token     of its lock
--       task_key  of its open turn; '' none
--       fence     fencing token of that turn; '' none
--       seen      number of messages of its task that the turn knows of; '' it asks for none beside its own
-- Returns  of each job: held | canceling (stop the executor, then append the canceled event) | fenced (stop it)
--       | steered (messages came that the turn does not know of)
-- Invariant: of a job that two processes take for theirs, one gets `held`.
--
-- A lock that ran out while Redis was away says nothing about the job's process, which is here: a job that nobody else
-- has taken meanwhile is its own again.

local cancels_key = unpack(KEYS)
local lock_ms = unpack(ARGV, 1, 1)

--- @include "../redis/server.lua"
allow_out_of_memory(cancels_key)

-- The job still runs as far as the queue knows, or waits again and is taken back.
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
  -- As a rule the lock is there, and only its time is written: replicas and the append-only file get no token again.
  if lock == token then redis.call('PEXPIRE', lock_key, lock_ms)
  elseif lock ~= '' or not take_back(root, id) then return 'fenced'
  else redis.call('SET', lock_key, token, 'PX', lock_ms) end
  if cancel then return 'canceling' end
  return seen ~= '' and accepted ~= seen and 'steered' or 'held'
end

local replies = {}
for at = 2, #ARGV, 6 do replies[#replies + 1] = renew(unpack(ARGV, at, at + 5)) end
return replies
