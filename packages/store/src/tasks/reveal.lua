-- reveal: the caller of a task that was hidden gets it as a task: lists and reads show it from now on.
--
-- KEYS  task        hash
--       index_root  as in record.lua
-- ARGV  task_id
--       owner
-- Returns  revealed | kept (it is not hidden, or no longer, or has another owner)
-- Invariant: a task that a client has been given can be read and listed.

--- @include "../redis/server.lua"

local task_key, index_root = unpack(KEYS)
local task_id, owner = unpack(ARGV)

local its_owner, state, time, context = unpack(redis.call('HMGET', task_key, 'owner', 'state', 'time', 'context'))
if its_owner ~= owner or state ~= 'h' then return 'kept' end

allow_out_of_memory(task_key)
redis.call('HSET', task_key, 'state', 's')
local index = index_root .. ':' .. owner
for _, name in ipairs({ index, index .. ':' .. context }) do
  local was_hidden = redis.call('ZREM', name, 'h' .. time .. task_id) == 1
  if was_hidden then redis.call('ZADD', name, '0', 's' .. time .. task_id) end
end
return 'revealed'
