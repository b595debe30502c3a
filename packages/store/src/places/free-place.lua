-- Gives a place back: its turn has ended, or has not begun.
--
-- KEYS  root      of the agent's places, as in take-places.lua
-- ARGV  place     as in take-places.lua
--       token     of the place
--       start_ms  its start did not happen: what it took of the rate; 0: it did
-- Returns  freed | wanted (and somebody may wait for it) | fenced (the lease of its process had ended)
-- Invariant: a place is freed once.

local root = unpack(KEYS)
local place, token, start_ms = unpack(ARGV)

--- @include "@switchyard/redis/server.lua"
--- @include "../queue/end-hold.lua"

if not end_hold(root, place, token) then return 'fenced' end
local starts_at = start_ms ~= '0' and redis.call('GET', root .. 'starts_at')
if starts_at then
  redis.call('SET', root .. 'starts_at', ('%.3f'):format(starts_at - start_ms), 'KEEPTTL')
end
return redis.call('EXISTS', root .. 'waited') == 1 and 'wanted' or 'freed'
