-- countOpenTasks: how many tasks of each tenant have not ended, counted anew.
--
-- KEYS  tasks_root
--       outbox      as in record.lua; made from its name: <outbox>:interrupted and <outbox>:open
-- ARGV
-- Returns  how many there are of all tenants
-- Invariant: a task that has not ended is in the outbox, or waits for its client and is in <outbox>:interrupted. One
-- step: tasks that come or end meanwhile are counted by it, or by their own. O(open tasks).

local tasks_root, outbox_key = unpack(KEYS)

local open, of_tenant, seen = 0, {}, {}
for _, key in ipairs({ outbox_key, outbox_key .. ':interrupted' }) do
  for _, task_id in ipairs(redis.call('ZRANGE', key, '0', '-1')) do
    local state, owner
    if not seen[task_id] then state, owner = unpack(redis.call('HMGET', tasks_root .. task_id, 'state', 'owner')) end
    seen[task_id] = true
    if state and state:upper() ~= state then
      local tenant = owner:match('^[^/]*')
      of_tenant[tenant] = (of_tenant[tenant] or 0) + 1
      open = open + 1
    end
  end
end

redis.call('DEL', outbox_key .. ':open')
for tenant, count in pairs(of_tenant) do redis.call('HSET', outbox_key .. ':open', tenant, count) end
return open
