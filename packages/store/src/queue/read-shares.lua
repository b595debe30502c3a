-- readShares: the tenants that wait in a queue with more than a turn.
--
-- KEYS  root   of the queue's keys, as in add-jobs.lua
-- ARGV  most   at most so many of them are named, those with the most jobs
-- Returns  how many they are, and of each { tenant, its jobs that wait }
-- Invariant: it changes nothing. Jobs that were removed count until the tenant's later ones are taken.

local root = unpack(KEYS)
local most = unpack(ARGV)

local taken = redis.call('ZSCORE', root .. 'tenants', ' ') or '17179869184'
local reply = { redis.call('ZCOUNT', root .. 'tenants', '(' .. taken, '+inf') }
local last = redis.call('ZREVRANGEBYSCORE', root .. 'tenants', '+inf', '(' .. taken, 'WITHSCORES', 'LIMIT', '0', most)
for at = 1, #last, 2 do reply[#reply + 1] = { last[at], last[at + 1] - taken } end
return reply
