-- caller: the turn of an agent that calls another one. Included by accept, after record.lua.
--
-- KEYS  9 task (hash) of the caller, and, made from it, what it has called for and still goes on <task>:c (hash:
--       task → `w` (its caller waits for it) or `d` (it may outlive a completion), blank, owner; conversation → `v`)
-- ARGV  16 epoch of its turn   17 `w` | `d`   18 calls that may go on at once
-- Invariant: a task that a turn has called for is found when the turn's own task ends, or was never made.

local caller_key = KEYS[9]
local caller_epoch, manner, max_calls = unpack(caller_key and ARGV or {}, 16, 18)

local function refuse_caller()
  local turn, cancel = unpack(redis.call('HMGET', caller_key, 'turn', 'cancel'))
  if turn ~= caller_epoch then return 'fenced' end
  return cancel and 'caller-canceling' or nil
end

local function has_room_for_call() return redis.call('HLEN', caller_key .. ':c') < tonumber(max_calls) end

local function record_call(owner)
  redis.call('HSET', caller_key, 'aside', 1)
  redis.call('HSET', caller_key .. ':c', task_id, manner .. ' ' .. owner)
end
