-- The number of each tenant's tasks that have not ended: <outbox>:open (hash), which make-tasks.lua counts
-- up. See quotas.lua. The 0 of a tenant whose tasks have all ended goes with the next check (tidy-queues.lua).

local function count_ended(outbox_key, tenant, count)
  local left = redis.call('HINCRBY', outbox_key .. ':open', tenant, count == 1 and '-1' or -count)
  if left < 0 then redis.call('HDEL', outbox_key .. ':open', tenant) end
end
