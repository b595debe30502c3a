-- Opens a conversation with another agent, in a turn of the first one.
--
-- KEYS  task          hash, of that turn
--       calls         of the task, hash, see caller.lua
--       conversation  hash: `owner`, `context`, `head` (JSON, never changes), `seq` number of its events, `turn` number
--                     of the next turn, `ended` '1'
--       index         conversations of the context, zset: id → ms of its end, +inf before
--       all           conversations of all principals, zset: id → ms of its last event
-- ARGV  fence         fencing token of the turn
--       id
--       owner
--       context       as JSON text
--       head
-- Returns  opened (also if the command is sent twice) | fenced
-- Invariant: a conversation that has not ended is among the calls of its task, so that it ends with the task.

--- @include "@switchyard/redis/server.lua"

local task_key, calls_key, conversation_key, index_key, all_key = unpack(KEYS)
local fence, id, owner, context, head = unpack(ARGV)
if redis.call('HGET', task_key, 'turn') ~= fence then return 'fenced' end
if redis.call('EXISTS', conversation_key) == 1 then return 'opened' end
redis.call('HSET', task_key, 'has_other_keys', 1)
redis.call('HSET', calls_key, id, 'v')
redis.call('HSET', conversation_key, 'owner', owner, 'context', context, 'head', head, 'seq', 0, 'turn', 0)
redis.call('ZADD', index_key, '+inf', id)
redis.call('PERSIST', index_key)
redis.call('ZADD', all_key, now_ms(), id)
redis.call('PERSIST', all_key)
return 'opened'
