-- dropLane: an operator gives up for good a webhook that was given up.
--
-- KEYS  task      hash
--       webhooks  hash, see lanes.lua
--       push      zset, channel; made from it: <push>:dead (zset)
-- ARGV  task_id
--       lane     its number
-- Returns  dropped | unknown (it is not dead, or gone)
-- Invariant: what is not dead stays.

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, lane = unpack(ARGV)

--- @include "../redis/lua/lanes.lua"

redis.call('ZREM', dead_key, member(lane))
if not lane_field(lane, 'dead') then return 'unknown' end
remove_webhook(lane)
return 'dropped'
