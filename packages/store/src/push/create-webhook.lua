-- createWebhook: a client wants the events of a task from here on.
--
-- KEYS  <delivery-queues>
-- ARGV  task_id
--       owner
--       config_id
--       encrypted  its config
--       max        webhooks that a task may have
-- Returns  created | missing (no such task, or its client was not given it) | too-many
-- Invariant: sent twice, it takes effect once. One with a known id replaces it and goes on at its cursor.

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, owner, config_id, encrypted, max = unpack(ARGV)

--- @include "../redis/server.lua"
--- @include "../record/delivery-queues.lua"

local its_owner, state, seq, tip, webhooks =
  unpack(redis.call('HMGET', task_key, 'owner', 'state', 'seq', 'tip', 'webhooks'))
if not its_owner or its_owner ~= owner or state == 'h' or state == 'M' then return 'missing' end
if not has_room(config_id, max) then return 'too-many' end

local number, cursor, old = add_webhook(config_id, encrypted, cursor_at(seq, tip))
store_webhooks(without(webhooks or '', old or '') .. ' ' .. number)
if not is_at(cursor, seq, tip) then mark_due(number, now_ms()) end
-- It ends with its task, which may have ended already.
if state:upper() == state then redis.call('PEXPIRE', webhooks_key, redis.call('PTTL', task_key)) end
return 'created'
