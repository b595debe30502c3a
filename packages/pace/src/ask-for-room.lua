-- Whether a request may begin that counts against the limits of a name; otherwise when to ask again.
--
-- KEYS  pace         (hash) `requests_at`, `tokens_at` when all requests and tokens that were reserved have been earned
--                    at their rates; `paused_until`; `served` the tag of the last request that left the line; `mean_ms`
--                    how much time a request takes at its rate, on average
--       line         (zset) requests that wait -> tag: they go in its order
--       asks         (zset) the same requests -> when they ask again
--       open         (zset) requests with a reservation -> when they may begin
--       tenants      (hash) tenant -> its last tag; only while there is a line
-- ARGV  id           of the request
--       tenant
--       tag          from the last reply; '': it asks for the first time
--       tokens       that it will probably use
--       requests_per_minute  0: no limit
--       tokens_per_minute    0: no limit
--       burst_ms     unused time that is saved
-- Returns  { verdict, ms, ask_ms, tag }
--       go (it may begin after `ms`, and has a reservation)
--       | wait (its turn is in about `ms`; ask again after `ask_ms`)
-- Invariant: in any span of time, no more is reserved than the rate gives in that span and in `burst_ms`, and one
--       request. A request that asks twice has one reservation. A request of a dead process leaves the line.

local pace_key, line_key, asks_key, open_key, tenants_key = unpack(KEYS)
local id, tenant, tag = unpack(ARGV, 1, 3)
local tokens, requests_per_minute, tokens_per_minute, burst_ms = unpack(ARGV, 4, 7)

--- @include "pace.lua"

-- A reservation may begin this much later, so that nobody has to ask at the very moment.
local AHEAD_MS = 200
local MAX_WAIT_MS = 5000
-- Who is this late is not expected any more.
local LATE_MS = 2000
-- Those who wait ask at least this far from each other, and not before.
local MIN_APART_MS, MIN_WAIT_MS = 2, 10

local now = now_ms()
local begun = redis.call('ZSCORE', open_key, id)
if begun then return { 'go', math.max(0, math.ceil(begun - now)), 0, '' } end
-- A turn that runs ends, also while Redis is full.
allow_out_of_memory(pace_key)

burst_ms = tonumber(burst_ms)
local request_ms = ms_of(1, tonumber(requests_per_minute))
local tokens_ms = ms_of(tonumber(tokens), tonumber(tokens_per_minute))
local requests_at, tokens_at, paused_until, served, mean_ms =
  unpack(redis.call('HMGET', pace_key, 'requests_at', 'tokens_at', 'paused_until', 'served', 'mean_ms'))
requests_at = math.max(tonumber(requests_at or 0), now - burst_ms)
tokens_at = math.max(tonumber(tokens_at or 0), now - burst_ms)
local free_at = math.max(requests_at, tokens_at, tonumber(paused_until or 0))

for _, late in ipairs(redis.call('ZRANGEBYSCORE', asks_key, '-inf', now - LATE_MS, 'LIMIT', 0, 16)) do
  redis.call('ZREM', asks_key, late)
  redis.call('ZREM', line_key, late)
end

-- Nobody has used the room for a while: the first of the line may be busy or dead.
local is_unused = free_at <= now - burst_ms / 2
local first = redis.call('ZRANGE', line_key, 0, 0)[1]
local its_tag = redis.call('ZSCORE', line_key, id)
if free_at <= now + AHEAD_MS and (not first or first == id or is_unused) then
  local weight_ms = math.max(request_ms, tokens_ms)
  if its_tag then
    redis.call('ZREM', line_key, id)
    redis.call('ZREM', asks_key, id)
    served = math.max(tonumber(served or 0), tonumber(its_tag))
  end
  if redis.call('EXISTS', line_key) == 0 then redis.call('DEL', tenants_key) end
  redis.call('HSET', pace_key, 'requests_at', ms_text(requests_at + request_ms), 'tokens_at',
    ms_text(tokens_at + tokens_ms), 'served', ms_text(tonumber(served or 0)), 'mean_ms',
    ms_text(mean_ms and mean_ms * 0.9 + weight_ms * 0.1 or weight_ms))
  local begins = math.max(now, free_at)
  redis.call('ZADD', open_key, ms_text(begins), id)
  redis.call('ZREMRANGEBYSCORE', open_key, '-inf', now - KEPT_MS)
  redis.call('PEXPIRE', pace_key, KEPT_MS)
  redis.call('PEXPIRE', open_key, KEPT_MS)
  return { 'go', math.ceil(begins - now), 0, '' }
end

-- Tenants take turns, by what their requests cost: a tag is the tenant's last one and this cost.
if its_tag then
  tag = its_tag
else
  if tag == '' then
    local last = tonumber(redis.call('HGET', tenants_key, tenant) or 0)
    tag = ms_text(math.max(tonumber(served or 0), last) + math.max(request_ms, tokens_ms, 1))
    redis.call('HSET', tenants_key, tenant, tag)
  end
  redis.call('ZADD', line_key, tag, id)
end
local rank = redis.call('ZRANK', line_key, id)
local turn_ms = math.max(free_at - now, 0) + rank * math.max(tonumber(mean_ms or 0), MIN_APART_MS)
local ask_ms = math.min(math.max(turn_ms - AHEAD_MS / 2, MIN_WAIT_MS), MAX_WAIT_MS)
redis.call('ZADD', asks_key, ms_text(now + ask_ms), id)
for _, key in ipairs({ line_key, asks_key, tenants_key }) do redis.call('PEXPIRE', key, KEPT_MS) end
return { 'wait', math.ceil(turn_ms), math.ceil(ask_ms), tag }
