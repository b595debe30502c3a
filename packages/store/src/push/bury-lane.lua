-- buryLane: a webhook is given up; what it was not told stays in the stream, and its place is kept.
--
-- KEYS  task      hash
--       webhooks  hash, see lanes.lua
--       push      zset, channel; made from it: <push>:dead (zset)
-- ARGV  task_id
--       lane     its number
--       token    of the run
--       why      as JSON
-- Returns  buried | fenced
-- Invariant: it is dead until an operator redrives or drops it, and no job of it begins.

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, lane, token, why = unpack(ARGV)

--- @include "../redis/lua/clock.lua"
--- @include "../redis/lua/when-full.lua"
--- @include "../redis/lua/lanes.lua"

if lane_field(lane, 'run') ~= token then return 'fenced' end
go_on_when_full(webhooks_key)
redis.call('HSET', webhooks_key, lane .. ':dead', why)
store_lanes(without_lane(redis.call('HGET', task_key, 'lanes') or '', lane))
redis.call('ZREM', push_key, member(lane))
redis.call('ZADD', dead_key, now_ms(), member(lane))
return 'buried'
