-- dropLane: an operator gives up for good a webhook that was given up.
--
-- KEYS  1 task (hash)   2 its webhooks (hash)   3 push (zset, channel)   and, made from it, dead push (zset)
-- ARGV  1 task id   2 lane
-- Returns  dropped | unknown (it is not dead, or gone)

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, lane = unpack(ARGV)

--- @include "../redis/lua/lanes.lua"

redis.call('ZREM', dead_key, member(lane))
if not lane_field(lane, 'dead') then return 'unknown' end
remove_webhook(lane)
return 'dropped'
