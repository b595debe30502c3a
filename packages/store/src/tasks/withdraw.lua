-- withdraw: the agent answered with a plain message, and its caller was given that instead of a task. Lists leave the
-- task out from now on, reads tell it apart, and a retry of the message finds the same answer as long as it is kept.
--
-- KEYS  task        hash
--       index_root  as in record.lua
-- ARGV  task_id
--       owner
-- Returns  withdrawn (also when sent twice) | kept (it is not completed, has other messages or another owner)
-- Invariant: of a task that had one message and was completed by a message; its index entries stay, under the letter M.

--- @include "../redis/server.lua"

local task_key, index_root = unpack(KEYS)
local task_id, owner = unpack(ARGV)

local its_owner, state, time, context, accepted =
  unpack(redis.call('HMGET', task_key, 'owner', 'state', 'time', 'context', 'accepted'))
if its_owner ~= owner or accepted ~= '1' then return 'kept' end
if state == 'M' then return 'withdrawn' end
if state ~= 'C' then return 'kept' end

allow_out_of_memory(task_key)
redis.call('HSET', task_key, 'state', 'M')
local index = index_root .. ':' .. owner
for _, name in ipairs({ index, index .. ':' .. context }) do
  local was_listed = redis.call('ZREM', name, 'C' .. time .. task_id) == 1
  if was_listed then redis.call('ZADD', name, '0', 'M' .. time .. task_id) end
end
return 'withdrawn'
