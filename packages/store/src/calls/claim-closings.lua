-- claimClosings: what tasks that ended had called for, and still goes on: to be ended by whoever asks.
--
-- KEYS  closing   zset: task, blank, `w` | `d`, blank, owner; or conversation, blank, `v` → when to look after it
-- ARGV  lease_ms  ms until it is given to another process, if this one does not end it
--       most      at most so many
-- Returns  its members
-- Invariant: of all who ask, one gets it.

--- @include "../redis/lua/clock.lua"
--- @include "../redis/lua/when-full.lua"

local closing_key = unpack(KEYS)
local lease_ms, most = unpack(ARGV)
local claimed = redis.call('ZRANGEBYSCORE', closing_key, '-inf', now_ms(), 'LIMIT', 0, most)
if #claimed > 0 then go_on_when_full(closing_key) end
for _, member in ipairs(claimed) do redis.call('ZADD', closing_key, now_ms() + lease_ms, member) end
return claimed
