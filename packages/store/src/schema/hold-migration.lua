-- holdMigration: one program at a time migrates, for as long as it says so in time.
--
-- KEYS  lock     string: the program that migrates
-- ARGV  program  its id
--       hold_ms  for which this counts
-- Returns  1, or 0: another one migrates
-- Invariant: nobody takes a lock that is held.

local lock_key = unpack(KEYS)
local program, hold_ms = unpack(ARGV)
local holder = redis.call('GET', lock_key)
if holder and holder ~= program then return 0 end
redis.call('SET', lock_key, program, 'PX', hold_ms)
return 1
