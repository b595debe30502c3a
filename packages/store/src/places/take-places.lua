-- Takes places for turns of an agent with limits, before their jobs are taken, whichever shard they are on.
--
-- KEYS  root        of the agent's places, <shard>q:@places~<agent>: on the shard of its name; made from it:
--         <root>groups (hash): group → its places: t:<tenant> or k:<key>
--         <root>starts_at (string): ms until which all starts so far have been earned at the agent's rate
--         <root>waited (string): somebody was refused lately, or has taken the last place
--         and the keys of running.lua, which count all places: a place is held as a job is
-- ARGV  lease_ms    as in take-jobs.lua, of the process on this shard
--       taker       the tokens of the places are <taker>:<number>:place, <taker>:<number + 1>:place …
--       number
--       count       of places to take at most
--       most        places that there are; 0: no limit
--       tenant_limit  places of a tenant; 0: no limit
--       key_limit   places of a key; 0: no limit
--       start_ms    between two starts; 0: no limit
--       burst_ms    unused time of starts that is saved; 0: none
-- EACH  place       <tenant> <key> <job id>: tenant and key are URI-encoded, and the key may be empty
-- Returns  { ms until the next start (0: now), places that are left (-1: there is no limit), and for each place its
--          token, or why there is none }
--       running | tenant | key | starts | slots (there are `count` already)
-- Invariant: there are never more places than one of the limits allows. A place lasts until it is freed, or the lease
--       of its process has ended. A command that is sent twice takes once.

local root = unpack(KEYS)
local lease_ms, taker, number, count, most, tenant_limit, key_limit, start_ms, burst_ms = unpack(ARGV, 1, 9)

--- @include "@switchyard/redis/server.lua"
--- @include "../queue/end-hold.lua"

-- Longer than it takes until queues whose jobs wait are looked at again (check-shard.lua).
local WAITED_MS = 5000
local FIRST = 10

count, most, tenant_limit = tonumber(count), tonumber(most), tonumber(tenant_limit)
key_limit, start_ms, burst_ms = tonumber(key_limit), tonumber(start_ms), tonumber(burst_ms)
local running, tokens, known = running_key(root), {}, {}
for i = 1, count do tokens[i] = taker .. ':' .. ('%.0f'):format(number + i - 1) .. ':place' end
local holder = holder_key(running, taker .. ':')
for i, job_key in ipairs(redis.call('HMGET', holder, unpack(tokens))) do
  if job_key then known[job_key] = tokens[i] end
end

local places = tonumber(redis.call('HGET', running .. ':queues', root) or 0)
local starts_at
if start_ms > 0 then
  -- It is later than this only if Redis' clock was set back, or the rate was lower.
  local earned = math.min(tonumber(redis.call('GET', root .. 'starts_at') or 0), now_ms() + start_ms)
  starts_at = math.max(earned, now_ms() - burst_ms)
end
local taken = 0
local function refusal(place)
  if taken == count then return 'slots' end
  if most > 0 and places >= most then return 'running' end
  if starts_at and starts_at > now_ms() then return 'starts' end
  local tenant, key = place:match('^(%S*) (%S*) ')
  local of_tenant, of_key = unpack(redis.call('HMGET', root .. 'groups', 't:' .. tenant, 'k:' .. key))
  if tenant_limit > 0 and tonumber(of_tenant or 0) >= tenant_limit then return 'tenant' end
  if key_limit > 0 and key ~= '' and tonumber(of_key or 0) >= key_limit then return 'key' end
  return nil
end

allow_out_of_memory(root)
local reply, is_refused = { 0, -1 }, false
for i = FIRST, #ARGV do
  local place = ARGV[i]
  local answer = known[root .. place] or next(known) and 'slots' or refusal(place)
  if not answer then
    taken, places = taken + 1, places + 1
    answer = tokens[taken]
    redis.call('HSET', holder, answer, root .. place)
    count_running(running, root, '1')
    count_place(root, place, 1)
    if starts_at then starts_at = starts_at + start_ms end
  elseif answer ~= 'slots' then
    is_refused = true
  end
  reply[#reply + 1] = answer
end
if taken > 0 then redis.call('ZADD', running, ('%.0f'):format(now_ms() + lease_ms), holder:sub(#running + 2)) end
if starts_at then
  reply[1] = math.max(0, math.ceil(starts_at - now_ms()))
  redis.call('SET', root .. 'starts_at', ('%.3f'):format(starts_at), 'PX', math.ceil(reply[1] + burst_ms + 1))
end
if most > 0 then reply[2] = math.max(0, most - places) end
if is_refused or reply[2] == 0 then redis.call('SET', root .. 'waited', '1', 'PX', WAITED_MS) end
return reply
