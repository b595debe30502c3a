-- postponeLane: the next delivery is tried again later.
--
-- KEYS  task      hash
--       webhooks  hash, see lanes.lua
--       push      zset, channel; made from it: <push>:dead (zset)
-- ARGV  task_id
--       lane      its number
--       token     of the run
--       attempts  at it so far
--       delay_ms  until the next
--       lease_ms  that the lane may be silent
-- Returns  postponed | fenced
-- Invariant: it stays in `push`, so that a job that is lost is added again.

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
