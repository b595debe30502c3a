-- Creates a webhook, which gets the events of a task from now on.
--
-- KEYS  <delivery-queues>
-- ARGV  task_id
--       owner
--       config_id
--       encrypted  the configuration
--       max        number of webhooks that a task may have
-- Returns  created | missing (no such task, or its client was not given it) | too-many
-- Invariant: a command that is sent twice takes effect once. A webhook with a known id replaces the one that had it,
-- and continues at its cursor.

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, owner, config_id, encrypted, max = unpack(ARGV)

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/store/record/delivery-queues.lua"

local its_owner, state, seq, incarnation, webhooks =
  unpack(redis.call('HMGET', task_key, 'owner', 'state', 'seq', 'incarnation', 'webhooks'))
if not its_owner or its_owner ~= owner or state == 'h' or state == 'M' then return 'missing' end
if not has_room(config_id, max) then return 'too-many' end

local number, cursor, old = add_webhook(config_id, encrypted, cursor_at(seq, incarnation))
store_webhooks(without(webhooks or '', old or '') .. ' ' .. number)
if not is_at(cursor, seq, incarnation) then mark_due(number, now_ms()) end
-- The webhooks expire with their task, which may have ended already.
if state:upper() == state then redis.call('PEXPIRE', webhooks_key, redis.call('PTTL', task_key)) end
return 'created'
