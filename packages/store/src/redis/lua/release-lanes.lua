-- releaseLanes: the agent's first event is there, for which the task's webhooks were held back (make-tasks.lua). Those that
-- nobody claimed yet are due now: taken out of `push`, so that wake-lanes.lua, which follows, marks them anew.
-- lanes: their numbers, as the record has them

for lane in lanes:gmatch('%d+') do
  local claims, run = unpack(redis.call('HMGET', task_key .. ':w', lane .. ':silent', lane .. ':run'))
  if not claims and not run then redis.call('ZREM', push_key, task_id .. '.' .. lane) end
end
