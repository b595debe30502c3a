-- releaseTurn: gives the turn back unfinished; the message stays first in the inbox. Closing the turn refuses what the
-- abandoned executor may still publish, and makes a cancel immediate while the job waits.
--
--- @include "../redis/lua/record.lua"
--- @include "../redis/lua/rules.lua"
--
-- ARGV  1-6 as in record.lua   7 fencing token of the turn   8 '1': the attempt is spent (a failure to be retried), '': not (a shutdown)
-- Returns  released (give the job back to the queue) | canceled | fenced

local fence, is_spent = ARGV[7], ARGV[8] == '1'

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
  if not is_spent then record.attempts = record.attempts - 1 end
  is_due = true
  withdraw_question(record)
end
commit(record)
return verdict
