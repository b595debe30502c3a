-- Tasks whose scheduled time has not come yet, and their schedules. Needs server.lua. Keys are made
-- from the outbox's:
--
-- <outbox>:later         zset: '<task> <owner>' -> ms when a worker checks it next, NEVER_MS while its schedule is
--                        paused. If its schedule goes on, a task stays listed until the next one is made, see
--                        begin-scheduled.lua
-- <outbox>:later:owners  hash: owner -> number of its tasks in the set
-- <outbox>:schedules     zset, all scores 0: '<owner> <schedule>'. The id of a schedule is that of its first task
-- <outbox>:schedules:tasks  hash: schedule -> its task in <outbox>:later, and after a blank `paused` if it is
-- Invariant: the numbers agree with the set, and each member is the task of one schedule.

-- Only the first task of a schedule has no field: its id is the schedule's.
local function schedule_of(task_key, task_id) return redis.call('HGET', task_key, 'schedule_id') or task_id end

local function is_paused(outbox_key, schedule_id)
  local task = redis.call('HGET', outbox_key .. ':schedules:tasks', schedule_id)
  return task and task:match(' paused$') ~= nil
end

-- Lists the task of a schedule. replaces: the task that it follows; nil: it is the first one.
local function add_scheduled_task(outbox_key, task, replaces)
  local scheduled_tasks_key, schedules_key = outbox_key .. ':later', outbox_key .. ':schedules'
  local task_id, owner, schedule_id, due_ms = task.task_id, task.owner, task.schedule_id, task.due_ms
  local mark = ''
  if replaces then
    if is_paused(outbox_key, schedule_id) then due_ms, mark = NEVER_MS, ' paused' end
    redis.call('ZREM', scheduled_tasks_key, replaces .. ' ' .. owner)
  else
    redis.call('ZADD', schedules_key, '0', owner .. ' ' .. schedule_id)
  end
  -- A message whose batch failed is sent again: it is listed already.
  local is_new = redis.call('ZADD', scheduled_tasks_key, due_ms, task_id .. ' ' .. owner) == 1
  if is_new and not replaces then redis.call('HINCRBY', scheduled_tasks_key .. ':owners', owner, '1') end
  redis.call('HSET', schedules_key .. ':tasks', schedule_id, task_id .. mark)
end

-- Ends a schedule: removes its task from the list.
local function remove_scheduled_task(outbox_key, task_key, task_id, owner)
  local scheduled_tasks_key, schedules_key = outbox_key .. ':later', outbox_key .. ':schedules'
  if redis.call('ZREM', scheduled_tasks_key, task_id .. ' ' .. owner) == 0 then return end
  local owners_key = scheduled_tasks_key .. ':owners'
  if redis.call('HINCRBY', owners_key, owner, '-1') <= 0 then redis.call('HDEL', owners_key, owner) end
  local schedule_id = schedule_of(task_key, task_id)
  redis.call('ZREM', schedules_key, owner .. ' ' .. schedule_id)
  redis.call('HDEL', schedules_key .. ':tasks', schedule_id)
end
