-- The agent failed in the last attempt at its message: the task ends FAILED, the message is dead-lettered.
--
-- KEYS  <record>
--       dead        see begin.lua
--       queue_root  root of the keys of its agent's own queue, as in add-jobs.lua
-- ARGV  <record>
--       fence   fencing token of the turn
--       published  as in suspend-turn.lua
--       reason  as JSON text
--       failure  as in hand-back-turn.lua
--       notes   as in append.lua; '': none
-- Returns  given-up | canceled (the task was canceled instead) | fenced | gap (as in append.lua)
-- Invariant: the task ends in the step in which its message becomes a dead letter, and its job leaves the queue.

--- @include "../record/record.lua"
--- @include "../record/commit.lua"
--- @include "../record/rules.lua"
--- @include "outcome.lua"
--- @include "../record/failures.lua"
--- @include "../record/note.lua"

local dead_key, queue_root = unpack(KEYS, 5)
local fence, published, reason, failure, notes = unpack(ARGV, 7)

local record = load_record(task_id, task_key)
local verdict = turn_refusal(record, fence, 'given-up')
if verdict then return verdict end
if is_behind(record, published) then return 'gap' end

allow_out_of_memory(task_key)
keep_failure(record, failure)
keep_notes(record, fence, notes)
if record.cancel ~= '' then
  finish(record, 'X')
  verdict = 'canceled'
else
  give_up(record, dead_key, reason)
  verdict = 'given-up'
end
end_job(record, queue_root)
commit(record)
--- @include "../queue/finish-jobs.lua"
finish_jobs({ record.changes.ended_job })
return verdict
