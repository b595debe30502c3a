-- Moves the time before which all ended tasks of a shard are in the archive, and lets it be kept for longer.
--
-- KEYS  archived  string: see archive-cursor.ts
-- ARGV  from      the time as the caller knows it; '' none
--       upto      the new one
--       kept_ms   ms that it is kept
-- Returns  1 it was moved, 0 somebody else has moved it meanwhile
-- Invariant: who copies tasks never skips what an operator wants to be copied again.

local archived = unpack(KEYS)
local from, upto, kept_ms = unpack(ARGV)

if (redis.call('GET', archived) or '') ~= from then return 0 end
redis.call('SET', archived, upto, 'PX', kept_ms)
return 1
