-- readDeadTurns: messages of a shard that were given up, the latest first.
--
-- KEYS  dead        zset: task id -> ms; and, named by its members, <tasks><id>:d (hash)
--       tasks_root  what the keys of tasks begin with
-- ARGV  most        at most so many
--       task_id     that one alone; '' all
-- Returns  { task id, ms, owner, context as JSON text, attempts, inbox entry, reason as JSON text } …

local dead_key, tasks_root = unpack(KEYS)
local most, task_id = unpack(ARGV)
local ids = task_id ~= '' and { task_id } or redis.call('ZREVRANGE', dead_key, 0, most - 1)
local dead = {}
for _, id in ipairs(ids) do
  local ms = redis.call('ZSCORE', dead_key, id)
  local owner, context, attempts, entry, reason =
    unpack(redis.call('HMGET', tasks_root .. id .. ':d', 'owner', 'context', 'attempts', 'entry', 'reason'))
  -- Its letter may have expired before the next death takes it out of the list.
  if ms and owner then dead[#dead + 1] = { id, tonumber(ms), owner, context, tonumber(attempts), entry, reason or '""' } end
end
return dead
