-- wakeLanes: the task's webhooks are to hear of what was said. One that is marked already is being served.
-- lanes: their numbers, as the record has them

local is_new = false
for lane in lanes:gmatch('%d+') do
  if redis.call('ZADD', push_key, 'NX', now_ms(), task_id .. '.' .. lane) == 1 then is_new = true end
end
if is_new then redis.call('PUBLISH', push_key, '') end
