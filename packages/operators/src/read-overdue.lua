-- Reads the tasks of a shard that have work to do, but no heartbeat for more than two leases.
--
-- KEYS  outbox          zset; and, named by its members, <tasks><id> (hash)
--       tasks_root      prefix of the keys of tasks
-- ARGV  sweep_after_ms  as in record.lua
--       from            how many of the longest due entries to skip
--       limit           how many entries to read
-- Returns  number of entries in the outbox, then for each task { task id, ms of its last heartbeat, owner, state, 1 if
--         a turn is open else 0, attempts, sweeps, job }
--
-- Each sweep moves an entry (sweep.lua: by twice as long as the one before, up to eight times sweep_after_ms) and is
-- counted: the last heartbeat is that much older.

local outbox_key, tasks_root = unpack(KEYS)
local sweep_after_ms, from, limit = unpack(ARGV)
sweep_after_ms = tonumber(sweep_after_ms)
local clock = redis.call('TIME')
local now_ms = clock[1] * 1000 + math.floor(clock[2] / 1000)

local function moved_ms(sweeps)
  local doubled = math.min(sweeps, 3)
  return sweep_after_ms * (2 ^ (doubled + 1) - 2 + 8 * (sweeps - doubled))
end

local reply = { redis.call('ZCARD', outbox_key) }
local due = redis.call('ZRANGE', outbox_key, from, from + limit - 1, 'WITHSCORES')
for i = 1, #due, 2 do
  local id = due[i]
  -- A damaged task is left out: the worker that cannot sweep it names it in its log.
  local fields = redis.pcall('HMGET', tasks_root .. id, 'owner', 'state', 'turn', 'attempts', 'sweeps', 'job')
  local owner, state, turn, attempts, sweeps, job = unpack(fields.err and {} or fields)
  local seen_ms = tonumber(due[i + 1]) - sweep_after_ms - moved_ms(tonumber(sweeps or 0))
  if owner and now_ms - seen_ms > 2 * sweep_after_ms then
    reply[#reply + 1] = { id, seen_ms, owner, state, turn and 1 or 0, tonumber(attempts or 0), tonumber(sweeps or 0),
      tonumber(job or 0) }
  end
end
return reply
