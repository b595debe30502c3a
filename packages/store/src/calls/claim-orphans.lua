-- claimOrphans: takes called tasks and conversations whose caller has ended; the process that gets them ends them.
--
-- KEYS  orphans   zset: `<task> <w|d> <owner>` or `<conversation> v` → when it is claimed next
-- ARGV  claim_ms  how long another process does not get it
--       most      longest reply
-- Returns  members
-- Invariant: while a lease lasts, one process has the member.

--- @include "../redis/server.lua"

local orphans_key = unpack(KEYS)
local claim_ms, most = unpack(ARGV)
local claimed = redis.call('ZRANGEBYSCORE', orphans_key, '-inf', now_ms(), 'LIMIT', 0, most)
if #claimed > 0 then allow_out_of_memory(orphans_key) end
for _, member in ipairs(claimed) do redis.call('ZADD', orphans_key, now_ms() + claim_ms, member) end
return claimed
