-- Ends a turn whose agent returned without an outcome, while the task waits for its client (auth-required).
--
-- KEYS  <record>
--       queue_root  root of the keys of its agent's own queue, as in add-jobs.lua
-- ARGV  <record>
--       fence       fencing token of the turn
--       published   as in suspend-turn.lua
--       ends_job    as in append.lua
--       delivered   ids of the messages that it was given besides its own, as in delivered.lua; '' if none
-- Returns  unsettled (the task does not wait: append FAILED) | fenced | as append: gap, more, successor …
-- Invariant: as append: the turn closes in the step in which its message leaves the inbox.

--- @include "../record/record.lua"
--- @include "../record/commit.lua"
--- @include "../record/rules.lua"
--- @include "outcome.lua"
--- @include "delivered.lua"

local queue_root = unpack(KEYS, 5)
local fence, published, ends_job, delivered = unpack(ARGV, 7)

local record = load_record(task_id, task_key)
local verdict = turn_refusal(record, fence, 'more')
if verdict then return verdict end
if is_behind(record, published) then return 'gap' end
if not is_waiting(record.state) then return 'unsettled' end

local count = delivered == '' and 0 or count_delivered(record, delivered)
if not count then return 'gap' end

allow_out_of_memory(task_key)
pop(record, count)
verdict = settle(record, queue_root, ends_job)
commit(record)
if record.changes.ended_job then
  --- @include "../queue/finish-jobs.lua"
  finish_jobs({ record.changes.ended_job })
end
return verdict
