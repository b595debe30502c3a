-- claimOrphans: claims called tasks and conversations whose caller has ended. The process that claims them ends them.
--
-- KEYS  orphans   zset: `<task> <w|d> <owner>` or `<conversation> v` → when it can be claimed again
-- ARGV  claim_ms  how long no other process can claim it
--       limit     number of members at most
-- Returns  members
-- Invariant: while a claim lasts, one process has the member.

--- @include "../redis/server.lua"

local orphans_key = unpack(KEYS)
local claim_ms, limit = unpack(ARGV)
local claimed = redis.call('ZRANGEBYSCORE', orphans_key, '-inf', now_ms(), 'LIMIT', 0, limit)
if #claimed > 0 then allow_out_of_memory(orphans_key) end
for _, member in ipairs(claimed) do redis.call('ZADD', orphans_key, now_ms() + claim_ms, member) end
return claimed
