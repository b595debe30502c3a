-- Finds the next jobs of the queue of an agent with limits, for which places must be taken. Those of groups
-- whose jobs are parked already are parked behind them.
--
-- KEYS  root   of the queue's keys, as in take-jobs.lua
-- ARGV  count  of jobs to find at most in a group that is parked; a few more of all others
--       kinds  as in take-jobs.lua
-- Returns  { { others that wait and are not parked, '1' if there are suspects among those that wait, ms until a delayed
--          job is due (-1 none) }, and for each job { id, tenant, key }, without the key if it is not known } …
-- Invariant: within a group, jobs keep their order.

local root = unpack(KEYS)
local count, kinds = unpack(ARGV)

--- @include "@switchyard/redis/server.lua"
--- @include "../queue/end-delays.lua"
--- @include "../queue/choose-jobs.lua"
--- @include "parked.lua"

-- They bound the duration of the script.
local MAX_GROUPS, MAX_SEEN, MORE = 16, 100, 4

count = tonumber(count)
local is_paused, has_levels, fetched = unpack(redis.call('HMGET', root .. 'meta', 'paused', 'levels', 'fetched'))
if is_paused then return { { 0, '', -1 } } end
allow_out_of_memory(root)
local due_in_ms = end_delays(root)
place_list(root)

local jobs = {}
local function note(job, tenant, key)
  job.tenant, job.key = tenant or '-', key
  jobs[#jobs + 1] = job
end

local groups = redis.call('ZRANGE', root .. 'parked', '0', MAX_GROUPS - 1)
for _, group in ipairs(groups) do
  for _, job in ipairs(first_parked(root, group, kinds, count)) do
    note(job, unpack(redis.call('HMGET', root .. job.id, 'tenant', 'key')))
  end
  -- The others are next.
  if #groups == MAX_GROUPS then redis.call('ZADD', root .. 'parked', 'XX', ('%.0f'):format(now_ms()), group) end
end

local unparked, seen = 0, {}
local function look_at(job)
  if seen[job.id] or unparked == count + MORE then return end
  seen[job.id] = true
  local tenant, key = unpack(redis.call('HMGET', root .. job.id, 'tenant', 'key'))
  local of_tenant, of_key = 't:' .. (tenant or '-'), 'k:' .. (key or '')
  local parked = #groups > 0 and redis.call('ZMSCORE', root .. 'parked', of_tenant, of_key) or {}
  if parked[1] or parked[2] then
    park(root, job.id, parked[1] and of_tenant or of_key)
  else
    unparked = unparked + 1
    note(job, tenant, key)
  end
end

-- If the next turn is left to a lower level, as in choose-jobs.lua, its first job comes before the other ordinary ones.
if has_levels and kinds == 'any' then
  for level, left in pairs(left_to_lower(tonumber(fetched or 0), 1)) do
    local first = left > 0 and first_of_level(root, level, 1)[1]
    if first then look_at({ id = first, score = BASE.high - 1 }) end
  end
end
local most_seen = #groups > 0 and MAX_SEEN or count + MORE
for _, job in ipairs(in_bands(root .. 'prioritized', kinds, most_seen, PARKED)) do look_at(job) end

table.sort(jobs, function(a, b) return a.score < b.score end)
local others = redis.call('ZCOUNT', root .. 'prioritized', '-inf', ('(%.0f'):format(PARKED)) - unparked
local reply = { { others, has_suspects(root) and '1' or '', due_in_ms } }
for i, job in ipairs(jobs) do reply[i + 1] = { job.id, job.tenant, job.key or nil } end
return reply
