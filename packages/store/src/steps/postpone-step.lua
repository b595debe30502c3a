-- Keeps how many attempts at a step have failed, before its turn is suspended until the next one.
--
-- KEYS  <record>      and its steps, as in begin-step.lua
-- ARGV  <record>
--       fence         fencing token of the turn
--       key           of the step
--       failed        attempts at the step that have failed in this attempt at the turn
-- Returns  done | fenced
-- Invariant: a turn that is suspended spends no attempt, so its next run finds the number; a retried turn does not.

--- @include "../record/record.lua"

local fence, key, failed = unpack(ARGV, 7)

local record = load_record(task_id, task_key)
if not record or fence ~= record.turn then return 'fenced' end
redis.call('HSET', task_key .. ':s', 'failed ' .. key, record.attempts .. ' ' .. failed)
return 'done'
