-- Keeps for operators why an attempt, a step or a call failed, outside of the scripts that end an
-- attempt: while the attempt goes on, after its outcome, or from a process that ended the one that ran it.
--
-- KEYS  task         hash; made from its name: its failures <task>:f (list)
-- ARGV  epoch        of the attempt
--       failure      as in failures.lua
--       is_attempt   '1': the whole attempt failed; '': a part of it did
-- Returns  recorded | unknown (the record does not have the attempt, or not any more)
-- Invariant: a failure is kept as long as its task.

local task_key = unpack(KEYS)
local epoch, failure, is_attempt = unpack(ARGV)

--- @include "../record/failures.lua"

local began, state = unpack(redis.call('HMGET', task_key, 'l' .. epoch, 'state'))
if not began then return 'unknown' end
redis.call('HSET', task_key, 'has_other_keys', 1)
if is_attempt == '1' then redis.call('HSET', task_key, 'reason', reason_of(epoch, failure)) end
list_failure(task_key, epoch, failure)
local left_ms = redis.call('PTTL', task_key)
if state:upper() == state and left_ms > 0 then redis.call('PEXPIRE', task_key .. ':f', left_ms) end
return 'recorded'
