-- countOpenTasks: counts again how many tasks of each tenant have not ended, from the indexes of its principals.
--
-- KEYS  index_root
--       outbox   as in record.lua; made from its name: <outbox>:interrupted and <outbox>:open
-- ARGV  is_last  1: the counts are written even if an owner is missing
--       owners*  all owners that have an index
-- Returns  the number of open tasks of all tenants; -1: an owner is missing, nothing was written
-- Invariant: a task that has not ended is in the outbox, or waits for its client and is in <outbox>:interrupted. The
-- script is one step: it counts the tasks before it, and later scripts count their own. O(owners).

local index_root, outbox_key = unpack(KEYS)
local is_last = unpack(ARGV, 1, 1)

local open, of_tenant = 0, {}
for i = 2, #ARGV do
  local owner = unpack(ARGV, i, i)
  -- The states of tasks that have not ended are lower-case letters.
  local count = redis.call('ZLEXCOUNT', index_root .. ':' .. owner, '[a', '+')
  local tenant = owner:match('^[^/]*')
  of_tenant[tenant] = (of_tenant[tenant] or 0) + count
  open = open + count
end
local in_outbox = redis.call('ZCARD', outbox_key) + redis.call('ZCARD', outbox_key .. ':interrupted')
if open ~= in_outbox and is_last ~= '1' then return -1 end

redis.call('DEL', outbox_key .. ':open')
for tenant, count in pairs(of_tenant) do
  if count > 0 then redis.call('HSET', outbox_key .. ':open', tenant, count) end
end
return open
