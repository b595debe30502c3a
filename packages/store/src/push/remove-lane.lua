-- removeLane: the receiver wants no more (410 Gone): the webhook is deleted.
--
-- KEYS  task      hash
--       webhooks  hash, see lanes.lua
--       push      zset, channel; made from it: <push>:dead (zset)
-- ARGV  task_id
--       lane     its number
--       token    of the run
-- Returns  removed | fenced

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, lane, token = unpack(ARGV)

--- @include "../redis/lua/lanes.lua"

if lane_field(lane, 'run') ~= token then return 'fenced' end
remove_webhook(lane)
return 'removed'
