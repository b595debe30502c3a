-- scheduledTasks: tasks whose scheduled time has not come yet. Two keys are made from the outbox's:
--
-- <outbox>:later         zset: '<task> <owner>' -> ms when a worker checks it next. If its schedule goes on, a task
--                        stays listed until the next one is made, see ../schedules/begin-scheduled.lua
-- <outbox>:later:owners  hash: owner -> number of its entries
-- Invariant: the numbers agree with the entries.

-- Removes a task from the list.
local function remove_scheduled_task(outbox_key, task_id, owner)
  local scheduled_tasks_key = outbox_key .. ':later'
  if redis.call('ZREM', scheduled_tasks_key, task_id .. ' ' .. owner) == 0 then return end
  local owners_key = scheduled_tasks_key .. ':owners'
  if redis.call('HINCRBY', owners_key, owner, '-1') <= 0 then redis.call('HDEL', owners_key, owner) end
end
