-- holdMigration: one program at a time migrates, for as long as it says so in time.
--
-- KEYS  lock     string: the program that migrates
-- ARGV  program  its id
--       hold_ms  for which this counts; 0: it is done
-- Returns  1, or 0: another one migrates
-- Invariant: nobody takes, or releases, a lock that another one holds.

local lock_key = unpack(KEYS)
local program, hold_ms = unpack(ARGV)
local holder = redis.call('GET', lock_key)
if holder and holder ~= program then return 0 end
if tonumber(hold_ms) == 0 then
  redis.call('DEL', lock_key)
else
  redis.call('SET', lock_key, program, 'PX', hold_ms)
end
return 1
