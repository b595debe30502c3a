-- readOverdue: tasks of a shard that have work to do, and that gave no sign of life for a lease beyond their lease.
--
-- KEYS  1 outbox (zset), and, named by its members, <tasks><id> (hash)
-- ARGV  1 what the keys of tasks begin with   2 lease ms   3 how many of the longest due to pass over
--       4 how many to look at
-- Returns  entries of the outbox, then { task id, ms of its last sign of life, owner, state, 1 if a turn is
--         open else 0, attempts, sweeps, scheduled } of each
--
-- A sweep puts an entry back for another lease, and counts: so much longer nothing was seen.

local tasks, lease_ms, from, count = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local clock = redis.call('TIME')
local now_ms = clock[1] * 1000 + math.floor(clock[2] / 1000)

local reply = { redis.call('ZCARD', KEYS[1]) }
local due = redis.call('ZRANGE', KEYS[1], from, from + count - 1, 'WITHSCORES')
for i = 1, #due, 2 do
  local id = due[i]
  local owner, state, turn, attempts, sweeps, scheduled = unpack(redis.call('HMGET', tasks .. id,
    'owner', 'state', 'turn', 'attempts', 'sweeps', 'scheduled'))
  local seen_ms = tonumber(due[i + 1]) - lease_ms * (1 + tonumber(sweeps or 0))
  if owner and now_ms - seen_ms > 2 * lease_ms then
    reply[#reply + 1] = { id, seen_ms, owner, state, turn and 1 or 0, tonumber(attempts or 0), tonumber(sweeps or 0),
      tonumber(scheduled or 0) }
  end
end
return reply
