-- beginLater: begins a scheduled task that is due: its message enters the queue.
--
-- KEYS  <record>
--       queue_root   root of the keys of its agent's queue, as in add-jobs.lua
-- ARGV  <record>
--       owner
--       job_options  as in add-jobs.lua
--       goes_on      1: the schedule goes on, a next task must be made; '' it ends with this task
-- Returns  { verdict, ms when it was due, or 0 }
--       begun | follow (it began before, and its next task is still missing) | early | gone (there is nothing to do)
-- Invariant: a task begins once. It stays listed until its next task is made (make-tasks.lua), which happens once.

--- @include "../record/record.lua"
--- @include "../record/commit.lua"
--- @include "../record/rules.lua"
--- @include "../record/later.lua"

local queue_root = unpack(KEYS, 7)
local owner, job_options, goes_on = unpack(ARGV, 7)

local later_key, member = outbox_key .. ':later', task_id .. ' ' .. owner
local record = load_record()
local is_listed = redis.call('ZSCORE', later_key, member)
if not is_listed then return { 'gone', 0 } end
if not record or record.owner ~= owner or record.later == '' then
  if record and goes_on ~= '' then return { 'follow', 0 } end
  leave_later(outbox_key, task_id, owner)
  return { 'gone', 0 }
end
local due = tonumber(record.later)
if due > now_ms() then
  redis.call('ZADD', later_key, due, member)
  return { 'early', due }
end
record.later = ''
schedule(record, queue_root, job_options)
emit_status(record, 's')
if goes_on == '' then leave_later(outbox_key, task_id, owner) end
commit(record)
return { 'begun', due }
