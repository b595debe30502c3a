-- Reads the tenants of a queue whose waiting jobs reach beyond the current round of turns.
--
-- KEYS  root   of the queue's keys, as in add-jobs.lua
-- ARGV  limit  number of tenants to name of each level: those with the most jobs
-- Returns  the number of these tenants, and for each that is named { tenant, its jobs that wait }
-- Invariant: nothing is written. Jobs that were removed may count until the tenant's later ones are served.

local root = unpack(KEYS)
local limit = unpack(ARGV)

--- @include "@switchyard/store/queue/fair-order.lua"

local waiting, names = {}, {}
local function read(level)
  local key = tenants_key(root, level)
  local served = redis.call('ZSCORE', key, ' ') or ('%d'):format(BASE[level])
  local last = redis.call('ZREVRANGEBYSCORE', key, '+inf', '(' .. served, 'WITHSCORES', 'LIMIT', '0', limit)
  for at = 1, #last, 2 do
    local tenant = last[at]
    if not waiting[tenant] then names[#names + 1] = tenant end
    waiting[tenant] = (waiting[tenant] or 0) + last[at + 1] - served
  end
  return redis.call('ZCOUNT', key, '(' .. served, '+inf')
end

local count = read('normal')
-- A tenant with jobs of several levels counts once, if its names are few enough to tell.
for _, level in ipairs({ 'high', 'low' }) do count = math.max(count, read(level)) end
local reply = { math.max(count, #names) }
for _, tenant in ipairs(names) do reply[#reply + 1] = { tenant, waiting[tenant] } end
return reply
