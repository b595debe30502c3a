-- readShares: reads the tenants of a queue whose waiting jobs reach beyond the current round of turns.
--
-- KEYS  root   of the queue's keys, as in add-jobs.lua
-- ARGV  limit  number of tenants to name: those with the most jobs
-- Returns  the number of these tenants, and for each that is named { tenant, its jobs that wait }
-- Invariant: nothing is written. Jobs that were removed may count until the tenant's later ones are served.

local root = unpack(KEYS)
local limit = unpack(ARGV)

local served = redis.call('ZSCORE', root .. 'tenants', ' ') or '17179869184'
local reply = { redis.call('ZCOUNT', root .. 'tenants', '(' .. served, '+inf') }
local last = redis.call('ZREVRANGEBYSCORE', root .. 'tenants', '+inf', '(' .. served, 'WITHSCORES', 'LIMIT', '0', limit)
for at = 1, #last, 2 do reply[#reply + 1] = { last[at], last[at + 1] - served } end
return reply
