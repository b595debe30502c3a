-- Shows or withdraws a task, depending on whether its caller is given the task or a plain message.
-- Shown (h → s): it was hidden, and its caller is given it. Withdrawn (C → M): its agent answered with a message, and
-- its caller was given that instead; a retry of the caller's message gets the same answer as long as the task is kept.
--
-- KEYS  task        hash
--       index_root  as in record.lua
-- ARGV  task_id
--       owner
--       from        letter of its state
--       to
-- Returns  changed (also if the command is sent twice) | kept (it has another state or owner, or cannot be withdrawn
--          because it had more than one message)
-- Invariant: a task that a client was given can be read and listed. Its version does not change.

--- @include "@switchyard/redis/server.lua"

local task_key, index_root = unpack(KEYS)
local task_id, owner, from, to = unpack(ARGV)

local its_owner, state, time, context, messages =
  unpack(redis.call('HMGET', task_key, 'owner', 'state', 'time', 'context', 'messages'))
if its_owner ~= owner or (to == 'M' and messages ~= '1') then return 'kept' end
if state == to then return 'changed' end
if state ~= from then return 'kept' end

allow_out_of_memory(task_key)
redis.call('HSET', task_key, 'state', to)
local index = index_root .. ':' .. owner
for _, name in ipairs({ index, index .. ':' .. context }) do
  -- The new member is added first: removing the only member would delete the index, and with it its expiry.
  if redis.call('ZSCORE', name, from .. time .. task_id) then
    redis.call('ZADD', name, '0', to .. time .. task_id)
    redis.call('ZREM', name, from .. time .. task_id)
  end
end
return 'changed'
