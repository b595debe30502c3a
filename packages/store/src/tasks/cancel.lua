-- cancel: a client wants the task to end.
--
--- @include "../redis/lua/record.lua"
--- @include "../redis/lua/rules.lua"
--
-- ARGV  1-6 as in record.lua   7 owner   8 channel of cancels that wait for the owner of the running turn
-- Returns  canceled (also when asked again) | requested (the owner is told) | terminal (too late) | missing
-- Invariant: however the turn ends, an accepted cancel ends the task.

local record = load_record()
if not record or record.owner ~= ARGV[7] then return 'missing' end
if record.state == 'X' then return 'canceled' end
if is_terminal(record.state) then return 'terminal' end
go_on_when_full(task_key)
if record.turn == '' then
  finish(record, 'X')
  commit(record)
  return 'canceled'
end
-- The owner says the last word, so that its cleanup and its last artifact are in. If it is gone, sweep or beginTurn will.
if record.cancel == '' then
  record.cancel = '1'
  commit(record)
end
redis.call('PUBLISH', ARGV[8], task_id)
return 'requested'
