-- releaseTurn: gives the turn back unfinished; the message stays first in the inbox. Closing the turn refuses what the
-- abandoned executor may still publish, and makes a cancel immediate while the job waits.
--
--- @include "../redis/lua/record.lua"
--- @include "../redis/lua/rules.lua"
--
-- KEYS  <record>
-- ARGV  <record>
--       fence     fencing token of the turn
--       is_spent  '1': the attempt is spent (a failure to be retried); '': not (a shutdown)
-- Returns  released (give the job back to the queue) | canceled | fenced
-- Invariant: a shutdown spends no attempt; an accepted cancel ends the task.

local fence, is_spent = unpack(ARGV, 7)

local record = load_record()
if not record then return 'fenced' end
if is_over(record, fence) then return 'released' end
if fence ~= record.turn then return 'fenced' end

go_on_when_full(task_key)
local verdict = 'released'
if record.cancel ~= '' then
  finish(record, 'X')
  verdict = 'canceled'
else
  record.turn, record.token = '', ''
  if is_spent ~= '1' then record.attempts = record.attempts - 1 end
  is_due = true
  withdraw_question(record)
end
commit(record)
return verdict
