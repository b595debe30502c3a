-- removeLane: the receiver wants no more (410 Gone): the webhook is deleted.
--
-- KEYS  1 task (hash)   2 its webhooks (hash)   3 push (zset, channel)   and, made from it, dead push (zset)
-- ARGV  1 task id   2 lane   3 token of the run
-- Returns  removed | fenced

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, lane, token = unpack(ARGV)

--- @include "../redis/lua/lanes.lua"

if lane_field(lane, 'run') ~= token then return 'fenced' end
remove_webhook(lane)
return 'removed'
