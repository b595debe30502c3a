-- renewTurn: a sign of life of a turn that has nothing to say just now.
--
--- @include "../redis/lua/record.lua"
--
-- KEYS  <record>
-- ARGV  <record>
--       fence  fencing token of the turn
-- Returns  renewed | canceling (stop the executor, then append the canceled event) | fenced (stop the executor: another owns the task)
-- Invariant: only the open turn renews its lease.

local fence = unpack(ARGV, 7)

local record = load_record()
if not record or fence ~= record.turn then return 'fenced' end
go_on_when_full(task_key)
is_due = true
commit(record)
return record.cancel ~= '' and 'canceling' or 'renewed'
