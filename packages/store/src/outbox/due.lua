-- due: the tasks of a shard that the sweeper should look after, the longest due first.
--
-- KEYS  outbox      as in record.lua
--       tasks_root  what the keys of tasks begin with
-- ARGV  most        at most so many
--       latest_ms?  no entry is due later than in so many ms; left out: not looked at
-- Returns  { id, owner ('' there is no such task) } of each
-- Invariant: an entry is due at the latest when the task's longest delay is over, whatever happens to Redis' clock.

--- @include "../redis/server.lua"

local outbox_key, tasks_root = unpack(KEYS)
local most, latest_ms = unpack(ARGV)

-- The clock of Redis was set back since these were written: they are due the next time.
if latest_ms then
  local late = redis.call('ZRANGEBYSCORE', outbox_key, now_ms() + latest_ms, '+inf', 'LIMIT', '0', most)
  for _, task_id in ipairs(late) do redis.call('ZADD', outbox_key, now_ms(), task_id) end
end
local reply = {}
for _, task_id in ipairs(redis.call('ZRANGEBYSCORE', outbox_key, '-inf', now_ms(), 'LIMIT', '0', most)) do
  -- A key that holds something else fails its own sweep, and no other task's.
  local owner = redis.pcall('HGET', tasks_root .. task_id, 'owner')
  reply[#reply + 1] = { task_id, type(owner) == 'string' and owner or '' }
end
return reply
