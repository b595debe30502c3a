-- Takes, renews or releases the lock under which one program at a time migrates.
--
-- KEYS  lock     string: id of the program that migrates
-- ARGV  program  its id
--       hold_ms  until the lock expires; 0: release it
-- Returns  1, or 0: another program holds the lock
-- Invariant: no program takes, or releases, a lock that another one holds.

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
