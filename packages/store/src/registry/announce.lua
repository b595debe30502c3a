-- announce: a worker says which agents it can run, and that it is alive.
--
--- @include "../redis/lua/when-full.lua"
--
-- KEYS  1 agents (hash: agent id → '<ms of its last change> <announcement as JSON>')
--       2 alive (zset: '<agent id>/<worker id>' → ms until which the worker counts)
-- ARGV  1 channel on which a change is told   2 worker id   3 ms for which this counts
--       4… agent id, announcement, agent id, announcement, …
-- Returns  1 if an agent, or the number of its workers, changed; else 0
-- Invariant: an agent stays announced while its workers are away, so that messages to it are accepted and wait.

local channel, worker, alive_ms = unpack(ARGV, 1, 3)
local clock = redis.call('TIME')
local now_ms = clock[1] * 1000 + math.floor(clock[2] / 1000)

go_on_when_full(KEYS[2])
local changed = redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now_ms) > 0
for i = 4, #ARGV, 2 do
  local agent, announcement = ARGV[i], ARGV[i + 1]
  local known = redis.call('HGET', KEYS[1], agent)
  if not known or known:sub(known:find(' ', 1, true) + 1) ~= announcement then
    redis.call('HSET', KEYS[1], agent, now_ms .. ' ' .. announcement)
    changed = true
  end
  if redis.call('ZADD', KEYS[2], now_ms + alive_ms, agent .. '/' .. worker) == 1 then changed = true end
end

if changed then redis.call('PUBLISH', channel, worker) end
return changed and 1 or 0
