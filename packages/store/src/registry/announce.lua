-- announce: a worker announces the agents that it can run. This is also its heartbeat.
--
-- KEYS  agents         (hash: agent id → '<ms of its last change> <announcement as JSON>')
--       alive          (zset: '<agent id>/<worker id>' → ms until which the worker counts as alive)
--       sources        (hash: agent id → '<since> <worker id>' of the worker whose announcement is in effect)
--       reports        (hash) as in report-worker.lua
--       seen           (zset: agent id → ms when a worker last announced it)
-- ARGV  channel        on which a change is published
--       worker         its id
--       since          µs of its first announcement; '' if this is the first
--       alive_ms       how long the worker counts as alive
-- EACH  agent          id
--       announcement
-- Returns  µs of the worker's first announcement
-- Invariant: an agent stays announced without workers, so that messages to it are accepted and wait. If workers
-- announce an agent differently, as in a rolling deployment, that of the worker that started last is in effect.

--- @include "../redis/server.lua"

local agents_key, alive_key, sources_key, reports_key, seen_key = unpack(KEYS, 1, 5)
local channel, worker, since, alive_ms = unpack(ARGV, 1, 4)
local clock = redis.call('TIME')
local now_ms = clock[1] * 1000 + math.floor(clock[2] / 1000)
since = tonumber(since) or clock[1] * 1000000 + clock[2]

allow_out_of_memory(alive_key)
local changed = redis.call('ZREMRANGEBYSCORE', alive_key, '-inf', now_ms) > 0

-- When the worker whose announcement is in effect started; 0 if it failed or left.
local function source_since_of(agent)
  local source = redis.call('HGET', sources_key, agent)
  if not source then return 0 end
  local source_since, source_worker = source:match('^(%d+) (.*)$')
  return redis.call('ZSCORE', alive_key, agent .. '/' .. source_worker) and tonumber(source_since) or 0
end

-- A worker that is being drained takes no work: it does not count as alive.
local counts, seen = not redis.call('HGET', reports_key, worker .. ' drain'), {}
for i = 5, #ARGV, 2 do
  local agent, announcement = unpack(ARGV, i, i + 1)
  seen[#seen + 1], seen[#seen + 2] = now_ms, agent
  local known = redis.call('HGET', agents_key, agent)
  if not known or source_since_of(agent) <= since then
    redis.call('HSET', sources_key, agent, ('%.0f %s'):format(since, worker))
    if not known or known:sub(known:find(' ', 1, true) + 1) ~= announcement then
      redis.call('HSET', agents_key, agent, ('%.0f %s'):format(now_ms, announcement))
      changed = true
    end
  end
  if not counts then
    changed = redis.call('ZREM', alive_key, agent .. '/' .. worker) == 1 or changed
  elseif redis.call('ZADD', alive_key, now_ms + alive_ms, agent .. '/' .. worker) == 1 then
    changed = true
  end
end

if #seen > 0 then redis.call('ZADD', seen_key, unpack(seen)) end
if changed then redis.call('SPUBLISH', channel, worker) end
return since
