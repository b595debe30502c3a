-- Gives the turn back unfinished; the message stays first in the inbox. Closing the turn fences off the
-- abandoned executor, and lets a cancel take effect at once while the job waits.
--
-- KEYS  <record>
-- ARGV  <record>
--       fence     fencing token of the turn
--       is_spent  '1': the attempt is spent (a failure to be retried); '': it is not (a shutdown)
--       failure   why it failed, as in failures.lua; '': it did not
--       notes     as in append.lua; '': none
-- Returns  given-back (give the job back to the queue) | canceled | fenced
-- Invariant: a shutdown spends no attempt; an accepted cancel ends the task.

--- @include "../record/record.lua"
--- @include "../record/commit.lua"
--- @include "../record/rules.lua"
--- @include "outcome.lua"
--- @include "../record/failures.lua"
--- @include "../record/note.lua"

local fence, is_spent, failure, notes = unpack(ARGV, 7)

local record = load_record(task_id, task_key)
local verdict = turn_refusal(record, fence, 'given-back')
if verdict then return verdict end

allow_out_of_memory(task_key)
if record.cancel ~= '' then
  finish(record, 'X')
  verdict = 'canceled'
else
  record.turn, record.token = '', ''
  record.changes.turn_end = is_spent == '1' and 'q' or 'r'
  if is_spent ~= '1' then record.attempts = record.attempts - 1 end
  record.changes.in_outbox = true
  withdraw_question(record)
  verdict = 'given-back'
end
keep_failure(record, failure)
keep_notes(record, fence, notes)
commit(record)
return verdict
