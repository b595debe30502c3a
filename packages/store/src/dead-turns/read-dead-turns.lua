-- readDeadTurns: messages of a shard that were given up, the latest first.
--
-- KEYS  1 dead (zset: task id -> ms), and, named by its members, <tasks><id>:d (hash)
-- ARGV  1 what the keys of tasks begin with   2 at most so many   3 a task id: that one alone; '' all
-- Returns  { task id, ms, owner, context as JSON text, attempts, inbox entry, reason as JSON text } …

local ids = ARGV[3] ~= '' and { ARGV[3] } or redis.call('ZREVRANGE', KEYS[1], 0, ARGV[2] - 1)
local dead = {}
for _, id in ipairs(ids) do
  local ms = redis.call('ZSCORE', KEYS[1], id)
  local owner, context, attempts, entry, reason =
    unpack(redis.call('HMGET', ARGV[1] .. id .. ':d', 'owner', 'context', 'attempts', 'entry', 'reason'))
  -- Its letter may have expired before the next death takes it out of the list.
  if ms and owner then dead[#dead + 1] = { id, tonumber(ms), owner, context, tonumber(attempts), entry, reason or '""' } end
end
return dead
