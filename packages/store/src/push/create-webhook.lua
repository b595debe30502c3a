-- createWebhook: a client wants to be told of a task's events from here on.
--
-- KEYS  task      hash
--       webhooks  hash, see lanes.lua
--       push      zset, channel; made from it: <push>:dead (zset)
-- ARGV  task_id
--       owner
--       config_id
--       sealed     its config
--       max        webhooks that a task may have
-- Returns  created | missing (no such task) | too-many
-- Invariant: sent twice, it takes effect once. One with a known id replaces it and goes on where it was.

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, owner, config_id, sealed, max = unpack(ARGV)

--- @include "../redis/lua/clock.lua"
--- @include "../redis/lua/lanes.lua"

local its_owner, state, seq, lanes = unpack(redis.call('HMGET', task_key, 'owner', 'state', 'seq', 'lanes'))
if not its_owner or its_owner ~= owner then return 'missing' end
if not has_room(config_id, max) then return 'too-many' end

local lane, place, old = add_webhook(config_id, sealed, seq)
store_lanes(without_lane(lanes or '', old or '') .. ' ' .. lane)
if seq_of(place) < tonumber(seq) then mark_lane(lane, now_ms()) end
-- It ends with its task, which may have ended already.
if state:upper() == state then redis.call('PEXPIRE', webhooks_key, redis.call('PTTL', task_key)) end
return 'created'
