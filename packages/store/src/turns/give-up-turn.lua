-- giveUpTurn: the agent failed, and the attempts at its message are spent: the task ends FAILED, the message becomes a dead letter.
--
--- @include "../redis/lua/record.lua"
--- @include "../redis/lua/rules.lua"
--- @include "../redis/lua/give-up.lua"
--
-- KEYS  1-6 as in record.lua   7 dead
-- ARGV  1-6 as in record.lua   7 fencing token of the turn   8 reason, as JSON text
-- Returns  given-up (the job is done) | canceled (the task was canceled instead) | fenced

local fence, reason = ARGV[7], ARGV[8]

local record = load_record()
if not record then return 'fenced' end
if is_over(record, fence) then return 'given-up' end
if fence ~= record.turn then return 'fenced' end

go_on_when_full(task_key)
local verdict = 'given-up'
if record.cancel ~= '' then
  finish(record, 'X')
  verdict = 'canceled'
else
  give_up(record, KEYS[7], redis.call('HGET', task_key, 'first') or redis.call('LINDEX', inbox_key, '0'), reason)
end
commit(record)
return verdict
