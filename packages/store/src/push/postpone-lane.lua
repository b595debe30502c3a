-- postponeLane: the next delivery is tried again later.
--
-- KEYS  1 task (hash)   2 its webhooks (hash)   3 push (zset, channel)   and, made from it, dead push (zset)
-- ARGV  1 task id   2 lane   3 token of the run   4 attempts at it so far   5 ms until the next   6 lease ms
-- Returns  postponed | fenced

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, lane, token, attempts, delay_ms, lease_ms = unpack(ARGV)

--- @include "../redis/lua/clock.lua"
--- @include "../redis/lua/when-full.lua"
--- @include "../redis/lua/lanes.lua"

if lane_field(lane, 'run') ~= token then return 'fenced' end
go_on_when_full(webhooks_key)
if attempts ~= '0' then
  local since = (lane_field(lane, 'failed') or ''):match('^%d+ (%d+)$') or now_ms()
  redis.call('HSET', webhooks_key, lane .. ':failed', attempts .. ' ' .. since)
end
redis.call('HDEL', webhooks_key, lane .. ':silent')
redis.call('ZADD', push_key, 'XX', now_ms() + delay_ms + lease_ms, member(lane))
return 'postponed'
