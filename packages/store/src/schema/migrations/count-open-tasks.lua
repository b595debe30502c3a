-- countOpenTasks: how many tasks of each tenant have not ended, counted anew from the indexes of its principals.
--
-- KEYS  index_root
--       outbox   as in record.lua; made from its name: <outbox>:interrupted and <outbox>:open
-- ARGV  is_last  1: what was found counts, whatever the sum is
--       owners*  all that have an index
-- Returns  how many there are of all tenants; -1: an owner has come that was not named
-- Invariant: a task that has not ended is in the outbox, or waits for its client and is in <outbox>:interrupted. One
-- step: tasks that come or end meanwhile are counted by it, or by their own. O(owners).

local index_root, outbox_key = unpack(KEYS)
local is_last = unpack(ARGV, 1, 1)

local open, of_tenant = 0, {}
for i = 2, #ARGV do
  local owner = unpack(ARGV, i, i)
  -- The states of tasks that have not ended are small letters.
  local count = redis.call('ZLEXCOUNT', index_root .. ':' .. owner, '[a', '+')
  local tenant = owner:match('^[^/]*')
  of_tenant[tenant] = (of_tenant[tenant] or 0) + count
  open = open + count
end
local there = redis.call('ZCARD', outbox_key) + redis.call('ZCARD', outbox_key .. ':interrupted')
if open ~= there and is_last ~= '1' then return -1 end

redis.call('DEL', outbox_key .. ':open')
for tenant, count in pairs(of_tenant) do
  if count > 0 then redis.call('HSET', outbox_key .. ':open', tenant, count) end
end
return open
