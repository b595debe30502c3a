-- buryLane: a webhook is given up; what it was not told stays in the stream, and its place is kept.
--
-- KEYS  1 task (hash)   2 its webhooks (hash)   3 push (zset, channel)   and, made from it, dead push (zset)
-- ARGV  1 task id   2 lane   3 token of the run   4 why, as JSON
-- Returns  buried | fenced

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
