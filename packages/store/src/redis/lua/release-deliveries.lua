-- releaseDeliveries: the agent's first event is there, for which the task's webhooks were held back (make-tasks.lua).
-- Those that nobody claimed yet are due now: they leave `push`, so that wake-deliveries.lua, which follows, marks them anew.
-- webhooks: their numbers, as the record has them

for number in webhooks:gmatch('%d+') do
  local claims, run = unpack(redis.call('HMGET', task_key .. ':w', number .. ':claims', number .. ':run'))
  if not claims and not run then redis.call('ZREM', push_key, task_id .. '.' .. number) end
end
