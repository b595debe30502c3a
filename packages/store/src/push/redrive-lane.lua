-- redriveLane: an operator has a webhook that was given up tried again, from where it stopped.
--
-- KEYS  task      hash
--       webhooks  hash, see lanes.lua
--       push      zset, channel; made from it: <push>:dead (zset)
-- ARGV  task_id
--       lane     its number
-- Returns  redriven | unknown (it is not dead, or gone)
-- Invariant: it goes on at its place, with a new job.

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, lane = unpack(ARGV)

--- @include "../redis/lua/clock.lua"
--- @include "../redis/lua/lanes.lua"

if not lane_field(lane, 'dead') then
  redis.call('ZREM', dead_key, member(lane))
  return 'unknown'
end
redis.call('HINCRBY', webhooks_key, lane .. ':job', 1)
redis.call('HDEL', webhooks_key, lane .. ':dead', lane .. ':failed', lane .. ':silent')
redis.call('ZREM', dead_key, member(lane))
store_lanes((redis.call('HGET', task_key, 'lanes') or '') .. ' ' .. lane)
mark_lane(lane, now_ms())
return 'redriven'
