-- claimClosings: what tasks that ended had called for, and still goes on: to be ended by whoever asks.
--
-- KEYS  1 closing (zset: task, blank, `w` | `d`, blank, owner; or conversation, blank, `v` → when it is to be looked after)
-- ARGV  1 ms until it is given to another, if this one does not end it   2 at most so many
-- Returns  its members
-- Invariant: of all who ask, one gets it.

--- @include "../redis/lua/clock.lua"
--- @include "../redis/lua/when-full.lua"

local claimed = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now_ms(), 'LIMIT', 0, ARGV[2])
if #claimed > 0 then go_on_when_full(KEYS[1]) end
for _, member in ipairs(claimed) do redis.call('ZADD', KEYS[1], now_ms() + ARGV[1], member) end
return claimed
