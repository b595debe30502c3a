-- Pauses, resumes or ends a schedule.
--
-- KEYS  <record>     of its task: see scheduled-tasks.lua
-- ARGV  <record>
--       owner
--       schedule_id
--       change       pause | resume | end
--       due_ms       resume: ms when its task begins; '' left as it is
--       schedule_text  resume: metadata of the task with that time, as JSON; '' left as it is
-- Returns  done | moved (it has another task by now) | gone (no schedule of this owner goes on with this id)
-- Invariant: while a schedule is paused, none of its tasks begins. A schedule that has ended has no task that waits.

--- @include "@switchyard/store/record/record.lua"
--- @include "@switchyard/store/record/commit.lua"
--- @include "@switchyard/store/record/rules.lua"
--- @include "@switchyard/store/record/scheduled-tasks.lua"

local owner, schedule_id, change, due_ms, schedule_text = unpack(ARGV, 7)
local scheduled_tasks_key, schedules_key = outbox_key .. ':later', outbox_key .. ':schedules'
local member = task_id .. ' ' .. owner

local entry = redis.call('HGET', schedules_key .. ':tasks', schedule_id)
if not entry or not redis.call('ZSCORE', schedules_key, owner .. ' ' .. schedule_id) then
  -- Sent twice: the first one ended it.
  return change == 'end' and 'done' or 'gone'
end
if entry:match('^%S+') ~= task_id then return 'moved' end
if change ~= 'resume' then allow_out_of_memory(task_key) end
local record = load_record(task_id, task_key)
local waits = record and record.later ~= ''

if not redis.call('ZSCORE', scheduled_tasks_key, member) or not record then
  -- The task has expired or a fail-over has lost it: nothing goes on.
  redis.call('ZREM', schedules_key, owner .. ' ' .. schedule_id)
  redis.call('HDEL', schedules_key .. ':tasks', schedule_id)
  redis.call('ZREM', scheduled_tasks_key, member)
  return change == 'end' and 'done' or 'gone'
end
if change == 'end' then
  if waits then
    finish(record, 'X')
    commit(record)
  else
    remove_scheduled_task(outbox_key, task_key, task_id, owner)
  end
elseif change == 'pause' then
  redis.call('HSET', schedules_key .. ':tasks', schedule_id, task_id .. ' paused')
  if waits then redis.call('ZADD', scheduled_tasks_key, NEVER_MS, member) end
elseif is_paused(outbox_key, schedule_id) then
  redis.call('HSET', schedules_key .. ':tasks', schedule_id, task_id)
  if waits and due_ms ~= '' and due_ms ~= record.later then
    record.later = due_ms
    local fields = record.changes.fields
    fields.schedule, fields.metadata = schedule_text, schedule_text
    emit_status(record, 's', { metadata = schedule_text, is_again = true })
    commit(record)
  end
  if waits then redis.call('ZADD', scheduled_tasks_key, record.later, member) end
end
return 'done'
