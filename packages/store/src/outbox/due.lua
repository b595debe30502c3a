-- due: reads the tasks of a shard that the sweeper must check, the longest due first.
--
-- KEYS  outbox      as in record.lua
--       tasks_root  prefix of the keys of tasks
-- ARGV  limit       number of tasks at most
--       latest_ms?  entries due later than in this many ms become due now; left out: they are not checked
-- Returns  for each { id, owner ('' if there is no such task) }
-- Invariant: an entry is due after the longest delay of a task at the latest, even if Redis' clock was set back.

--- @include "../redis/server.lua"

local outbox_key, tasks_root = unpack(KEYS)
local limit, latest_ms = unpack(ARGV)

-- Redis' clock was set back since these entries were written.
if latest_ms then
  local late = redis.call('ZRANGEBYSCORE', outbox_key, now_ms() + latest_ms, '+inf', 'LIMIT', '0', limit)
  for _, task_id in ipairs(late) do redis.call('ZADD', outbox_key, now_ms(), task_id) end
end
local reply = {}
for _, task_id in ipairs(redis.call('ZRANGEBYSCORE', outbox_key, '-inf', now_ms(), 'LIMIT', '0', limit)) do
  -- A key of another type fails the sweep of its own task only.
  local owner = redis.pcall('HGET', tasks_root .. task_id, 'owner')
  reply[#reply + 1] = { task_id, type(owner) == 'string' and owner or '' }
end
return reply
