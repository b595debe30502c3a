-- What few of the tasks that make-tasks.lua makes have. Needs server.lua, tasks_root, outbox_key and push_key.
--
-- message: as in make-tasks.lua

--- @include "../../record/scheduled-tasks.lua"

-- Lists the task of a scheduled message. Runs before the indexes are written: if a key of the schedules is damaged,
-- the script fails here, and no index has a task without a record.
local function schedule_later(message)
  local task_id, previous_id = message.task_id, message.previous_id
  local schedule_id = previous_id and schedule_of(tasks_root .. previous_id, previous_id) or task_id
  local scheduled = {
    task_id = task_id, owner = message.owner, schedule_id = schedule_id, due_ms = message.scheduled_ms,
  }
  add_scheduled_task(outbox_key, scheduled, previous_id)
  if previous_id then redis.call('HSET', tasks_root .. task_id, 'schedule_id', schedule_id) end
end

-- What a task has that most tasks do not have.
local function write_more(message, task_key)
  if message.scheduled_ms then redis.call('HSET', task_key, 'metadata', message.schedule) end
  if message.skill then redis.call('HSET', task_key, 'skill', message.skill) end
  if message.level then redis.call('HSET', task_key, 'level', message.level) end
  if message.ttl_ms then
    local due = ('%.0f'):format(now_ms() + message.ttl_ms)
    local begin_by = message.scheduled_ms and 'within ' .. message.ttl_ms or due .. ' '
    redis.call('HSET', task_key, 'begin_by', begin_by)
    if not message.scheduled_ms then redis.call('ZADD', outbox_key .. ':begin-by', due, message.task_id) end
  end
  if message.has_steps then
    redis.call('PERSIST', task_key .. ':s')
    redis.call('HSET', task_key, 'has_other_keys', '1')
  end
  if message.config_ids then
    local task_id, webhooks_key, webhooks = message.task_id, task_key .. ':w', ''
    local next_config, hold_ms = message.encrypted:gmatch('[^\n]+'), tonumber(message.hold_ms)
    --- @include "../../record/delivery-queues.lua"
    for config_id in message.config_ids:gmatch('[^\n]+') do
      local number = add_webhook(config_id, next_config(), '0')
      webhooks = webhooks .. ' ' .. number
      mark_due(number, now_ms(), hold_ms)
    end
    redis.call('HSET', task_key, 'webhooks', webhooks, 'has_other_keys', '1')
  end
end
