-- advanceLane: what lies between two places was delivered.
--
-- KEYS  task      hash
--       webhooks  hash, see lanes.lua
--       push      zset, channel; made from it: <push>:dead (zset)
-- ARGV  task_id
--       lane      its number
--       token     of the run
--       from      place before
--       to        place after
--       lease_ms  that the lane may be silent
-- Returns  more | idle (all is told: complete the job) | fenced (another run delivers, or the webhook is gone)
-- Invariant: a place only grows, and the mark goes in the same step in which the last event is told.

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, lane, token, from, to, lease_ms = unpack(ARGV)

--- @include "../redis/lua/clock.lua"
--- @include "../redis/lua/when-full.lua"
--- @include "../redis/lua/lanes.lua"

local place, run = unpack(redis.call('HMGET', webhooks_key, lane .. ':place', lane .. ':run'))
local seq = tonumber(redis.call('HGET', task_key, 'seq') or 0)
-- `to` already: this command was sent twice.
if not place or run ~= token or (place ~= from and place ~= to) then return 'fenced' end

go_on_when_full(webhooks_key)
redis.call('HSET', webhooks_key, lane .. ':place', to)
redis.call('HDEL', webhooks_key, lane .. ':failed', lane .. ':silent')
if seq_of(to) < seq then
  redis.call('ZADD', push_key, 'XX', now_ms() + lease_ms, member(lane))
  return 'more'
end
if redis.call('ZSCORE', push_key, member(lane)) then rest_lane(lane) end
return 'idle'
