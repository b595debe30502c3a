-- Marks the webhooks of a task that has new events as due, and wakes one process that claims them. One
-- that is marked already is being served. Needs server.lua and push_key.

-- webhooks: the numbers of their delivery queues, as the record has them
local function wake_deliveries(task_id, webhooks)
  local is_new = false
  for number in webhooks:gmatch('%d+') do
    if redis.call('ZADD', push_key, 'NX', now_ms(), task_id .. '.' .. number) == 1 then is_new = true end
  end
  if is_new then redis.call('ZADD', push_key .. ':marker', '0', '0') end
end
