-- A worker announces the agents that it can run. This is also its heartbeat.
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
--       announcement   '' if it is that of before
-- Returns  µs of the worker's first announcement; 0 if nothing was written, because an announcement comes into effect
--          that is not given
-- Invariant: an agent stays announced without workers, so that messages to it are accepted and wait. If workers
-- announce an agent differently, as in a rolling deployment, that of the worker that started last is in effect. Agents
-- and sources have the same fields.
--
-- Usually nothing changes: then it runs eight commands, whatever the number of agents.

--- @include "@switchyard/redis/server.lua"

local agents_key, alive_key, sources_key, reports_key, seen_key = unpack(KEYS, 1, 5)
local channel, worker, since, alive_ms = unpack(ARGV, 1, 4)
local clock = redis.call('TIME')
local now_ms = clock[1] * 1000 + math.floor(clock[2] / 1000)
since = tonumber(since) or clock[1] * 1000000 + clock[2]

-- As texts: Redis converts numbers at each use.
local now, until_ms = ('%.0f'):format(now_ms), ('%.0f'):format(now_ms + alive_ms)
local agents, announcements, members, alive, seen = {}, {}, {}, {}, {}
for i = 5, #ARGV, 2 do
  local agent, announcement = unpack(ARGV, i, i + 1)
  local n = #agents + 1
  agents[n], announcements[n], members[n] = agent, announcement, agent .. '/' .. worker
  alive[2 * n - 1], alive[2 * n] = until_ms, members[n]
  seen[2 * n - 1], seen[2 * n] = now, agent
end

-- Numbers of the agents whose announcement by this worker is in effect, from now on or still.
local in_effect = {}
-- Those that a worker announced that has started later: that one is in effect, unless its worker failed or left.
local later, later_members = {}, {}
local this = ('%.0f %s'):format(since, worker)
local sources = #agents > 0 and redis.call('HMGET', sources_key, unpack(agents)) or {}
-- Most agents have the same source: it is parsed once.
local source, later_worker
for n, agent in ipairs(agents) do
  if sources[n] ~= source then
    source = sources[n]
    local source_since, source_worker = (source or ''):match('^(%d+) (.*)$')
    later_worker = source_since and tonumber(source_since) > since and source_worker
  end
  if later_worker then
    later[#later + 1], later_members[#later + 1] = n, agent .. '/' .. later_worker
  elseif source ~= this or announcements[n] ~= '' then
    in_effect[#in_effect + 1] = n
  end
end
if #later > 0 then
  local alive_until = redis.call('ZMSCORE', alive_key, unpack(later_members))
  for i, n in ipairs(later) do
    if not alive_until[i] or tonumber(alive_until[i]) <= now_ms then in_effect[#in_effect + 1] = n end
  end
end
for _, n in ipairs(in_effect) do
  if announcements[n] == '' then return 0 end
end

allow_out_of_memory(alive_key)
local changed = redis.call('ZREMRANGEBYSCORE', alive_key, '-inf', now) > 0
for _, n in ipairs(in_effect) do
  local agent, announcement = agents[n], announcements[n]
  redis.call('HSET', sources_key, agent, this)
  local known = redis.call('HGET', agents_key, agent)
  if not known or known:sub(known:find(' ', 1, true) + 1) ~= announcement then
    redis.call('HSET', agents_key, agent, now .. ' ' .. announcement)
    changed = true
  end
end
if #agents > 0 then
  -- A worker that is being drained takes no work: it does not count as alive.
  local is_drained = redis.call('HGET', reports_key, worker .. ' drain')
  local gone_or_new = is_drained and redis.call('ZREM', alive_key, unpack(members))
    or redis.call('ZADD', alive_key, unpack(alive))
  changed = changed or gone_or_new > 0
  redis.call('ZADD', seen_key, unpack(seen))
end
if changed then redis.call('SPUBLISH', channel, worker) end
return since
