-- endTurn: ends a turn that has nothing more to say; its last event left the task waiting (auth-required).
--
--- @include "../redis/lua/record.lua"
--- @include "../redis/lua/rules.lua"
--
-- KEYS  <record>
--       queue_root         root of the keys of its job's queue, as in add-jobs.lua
-- ARGV  <record>
--       fence              fencing token of the turn
--       successor_options  as in append.lua
-- Returns  unsettled (the agent gave no outcome: append failed) | fenced | as append: more, successor …
-- Invariant: as append: the outcome and the message it answers leave together.

local queue_root = unpack(KEYS, 7)
local fence, successor_options = unpack(ARGV, 7)

local record = load_record()
if not record then return 'fenced' end
if is_over(record, fence) then return 'more' end
if fence ~= record.turn then return 'fenced' end
if not is_waiting(record.state) then return 'unsettled' end

go_on_when_full(task_key)
pop(record)
local verdict = settle(record, queue_root, successor_options)
commit(record)
if #ended_jobs > 0 then
  --- @include "../queue/finish-jobs.lua"
  finish_jobs(ended_jobs)
end
return verdict
