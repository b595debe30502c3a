-- Begins a scheduled task that is due: its message enters the queue.
--
-- KEYS  <record>
--       queue_root  root of the keys of its agent's queue, as in add-jobs.lua
-- ARGV  <record>
--       owner
--       has_next    1: the schedule has a next task, which must be made; '' it ends with this task
-- Returns  { verdict, ms when it was due, or 0 }
--       begun | begun-before (its next task is still missing) | early (or paused)
--       | gone (there is nothing to do)
-- Invariant: a task begins once. It stays listed until its next task is made (make-tasks.lua), which happens once.

--- @include "@switchyard/store/record/record.lua"
--- @include "@switchyard/store/record/commit.lua"
--- @include "@switchyard/store/record/rules.lua"
--- @include "@switchyard/store/record/scheduled-tasks.lua"

local queue_root = unpack(KEYS, 5)
local owner, has_next = unpack(ARGV, 7)

local scheduled_tasks_key, member = outbox_key .. ':later', task_id .. ' ' .. owner
local record = load_record(task_id, task_key)
local is_listed = redis.call('ZSCORE', scheduled_tasks_key, member)
if not is_listed then return { 'gone', 0 } end
if not record or record.owner ~= owner or record.later == '' then
  if record and has_next ~= '' then return { 'begun-before', 0 } end
  remove_scheduled_task(outbox_key, task_key, task_id, owner)
  return { 'gone', 0 }
end
if is_paused(outbox_key, schedule_of(task_key, task_id)) then
  redis.call('ZADD', scheduled_tasks_key, NEVER_MS, member)
  return { 'early', 0 }
end
local due = tonumber(record.later)
if due > now_ms() then
  redis.call('ZADD', scheduled_tasks_key, due, member)
  return { 'early', due }
end
record.later = ''
enqueue(record, queue_root)
local ttl_ms = record.begin_by:match('^within (%d+)$')
if ttl_ms then
  --- @include "@switchyard/store/record/begin-by.lua"
  begin_within(record, ttl_ms, '')
end
emit_status(record, 's', { is_again = true })
if has_next == '' then remove_scheduled_task(outbox_key, task_key, task_id, owner) end
commit(record)
return { 'begun', due }
