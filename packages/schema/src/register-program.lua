-- Registers a program and the schema version that it knows, and decides whether it may work with this
-- deployment. The first program of a new release marks the deployment. See docs/upgrades.md. Programs repeat it as a
-- heartbeat.
--
-- KEYS  schema     hash: `version`: the newest version that a program has worked with here; `release` of that program;
--                  `oldest`: the version that a program must know to work here; `migrated`: the version up to which
--                  migrations are done
--       programs   zset: `<version> <program>` → ms of its last heartbeat
--       shards     string: the layout of the shards; set once a program has worked here
-- ARGV  program    its id; '' to read only
--       version    the newest version that it knows
--       oldest     the version that other programs must know to read what this one writes
--       needs      the version up to which migrations must be done
--       layout     as in `shards`
--       release
--       alive_ms   a program without a heartbeat for this long is gone
-- Returns  welcome version oldest migrated release, and all running programs, as in `programs`
--          | too-old version oldest release | unmigrated migrated | other-shards layout
--          | others-too-old, and the programs that are, as in `programs`
-- Invariant: a program that must not work here writes nothing. `version` and `oldest` only grow; so does `migrated`,
-- unless older programs come back, whose writes must be migrated again.

local schema_key, programs_key, shards_key = unpack(KEYS)
local program, version, oldest, needs, layout, release, alive_ms = unpack(ARGV)
version, oldest, needs = tonumber(version), tonumber(oldest), tonumber(needs)
local clock = redis.call('TIME')
local now_ms = clock[1] * 1000 + math.floor(clock[2] / 1000)

local stored_layout = redis.call('GET', shards_key)
local stored = redis.call('HMGET', schema_key, 'version', 'oldest', 'migrated', 'release')
-- An empty deployment starts with this program's version.
local at, at_oldest = tonumber(stored[1]) or version, tonumber(stored[2]) or oldest
local migrated = tonumber(stored[3]) or version

if at_oldest > version then return { 'too-old', at, at_oldest, stored[4] or '' } end
if migrated < needs then return { 'unmigrated', migrated } end
if stored_layout and stored_layout ~= layout then return { 'other-shards', stored_layout } end

local own = version .. ' ' .. program
local since = ('(%.0f'):format(now_ms - alive_ms)
local running = {}
for _, each in ipairs(redis.call('ZRANGEBYSCORE', programs_key, since, '+inf')) do
  if each ~= own then running[#running + 1] = each end
end

if oldest > at_oldest then
  local older = { 'others-too-old' }
  for _, each in ipairs(running) do
    if tonumber(each:match('^%d+')) < oldest then older[#older + 1] = each end
  end
  if #older > 1 then return older end
end

local reached = migrated
for _, each in ipairs(running) do reached = math.min(reached, tonumber(each:match('^%d+'))) end
reached = math.max(reached, math.min(migrated, at_oldest))

if program ~= '' then
  redis.call('ZADD', programs_key, now_ms, own)
  redis.call('ZREMRANGEBYSCORE', programs_key, '-inf', ('%.0f'):format(now_ms - alive_ms))
  running[#running + 1] = own
  redis.call('SET', shards_key, layout, 'NX')
  if not stored[1] or version > at then
    at, at_oldest = math.max(version, at), math.max(oldest, at_oldest)
    redis.call('HSET', schema_key, 'version', at, 'oldest', at_oldest, 'release', release)
    stored[4] = release
  end
  if reached ~= tonumber(stored[3]) then redis.call('HSET', schema_key, 'migrated', reached) end
end
return { 'welcome', at, at_oldest, reached, stored[4] or '', unpack(running) }
