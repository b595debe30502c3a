-- renewTurn: a sign of life of a turn that has nothing to say just now.
--
--- @include "../redis/lua/record.lua"
--
-- ARGV  1-6 as in record.lua   7 fencing token of the turn
-- Returns  renewed | canceling (stop the executor, then append the canceled event) | fenced (stop the executor: another owns the task)

local record = load_record()
if not record or ARGV[7] ~= record.turn then return 'fenced' end
go_on_when_full(task_key)
is_due = true
commit(record)
return record.cancel ~= '' and 'canceling' or 'renewed'
