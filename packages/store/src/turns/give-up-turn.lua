-- giveUpTurn: the agent failed, and the attempts at its message are spent: the task ends FAILED, its message is kept.
--
--- @include "../redis/lua/record.lua"
--- @include "../redis/lua/rules.lua"
--- @include "../redis/lua/give-up.lua"
--
-- KEYS  <record>
--       dead    see begin.lua
-- ARGV  <record>
--       fence   fencing token of the turn
--       reason  as JSON text
-- Returns  given-up (the job is done) | canceled (the task was canceled instead) | fenced
-- Invariant: the task ends in the step in which its message becomes a dead letter.

local dead_key = unpack(KEYS, 7)
local fence, reason = unpack(ARGV, 7)

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
  give_up(record, dead_key, redis.call('HGET', task_key, 'first') or redis.call('LINDEX', inbox_key, '0'), reason)
end
commit(record)
return verdict
