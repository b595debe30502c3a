-- delete: deletes every key of an ended task, and removes it from all indexes.
--
-- KEYS  <record>         and, made from the task's key and named in its hash, all other keys of record.lua,
--                        delivery-queues.lua and begin.lua
--       dead             zset
--       conversations    zset, of its context
--       all_conversations  zset, of all principals
--       others*          the entries of accepted messages under the ids of its messages (strings); for each
--                        conversation: hash, stream
-- ARGV  task_id
--       owner
--       messages         how many of the other keys are of messages
--       conversation_ids*
-- Returns  deleted | live (it has not ended) | missing (this owner has no such task)
-- Invariant: everything is deleted, or nothing. A task that has not ended is never changed.

local task_key, events_key, inbox_key, outbox_key, index_root, push_key = unpack(KEYS, 1, 6)
local dead_key, conversations_key, all_conversations_key = unpack(KEYS, 7, 9)
local task_id, owner, messages = unpack(ARGV, 1, 3)
messages = tonumber(messages)

local its_owner, state, time, context, artifacts, listed =
  unpack(redis.call('HMGET', task_key, 'owner', 'state', 'time', 'context', 'artifacts', 'listed'))
if its_owner ~= owner then return 'missing' end
if state:upper() ~= state then return 'live' end

local gone = { task_key, events_key, inbox_key, task_key .. ':s', task_key .. ':c', task_key .. ':w', task_key .. ':d',
  task_key .. ':l', task_key .. ':f' }

local names = { '@h' }
for n = 1, tonumber(artifacts or 0) do names[n + 1] = '@p' .. n end
for _, name in ipairs(names) do
  local outside = redis.call('HGET', task_key, name)
  if outside then gone[#gone + 1] = outside end
end

-- Another task may have accepted a message with the same id, after the entry for this task had expired.
for i = 10, 9 + messages do
  local known = redis.call('GET', KEYS[i])
  if known and known:match('^%S+ (%S+)') == task_id then gone[#gone + 1] = KEYS[i] end
end
for i = 10 + messages, #KEYS do gone[#gone + 1] = KEYS[i] end
for i = 4, #ARGV do
  redis.call('ZREM', conversations_key, ARGV[i])
  redis.call('ZREM', all_conversations_key, ARGV[i])
end

-- Those that were replaced or deleted have left both lists (close_queue in delivery-queues.lua).
for _, name in ipairs(redis.call('HKEYS', task_key .. ':w')) do
  local number = name:match('^(%d+):id$')
  if number then
    redis.call('ZREM', push_key, task_id .. '.' .. number)
    redis.call('ZREM', push_key .. ':dead', task_id .. '.' .. number)
  end
end
redis.call('ZREM', index_root .. ':' .. owner, state .. time .. task_id)
redis.call('ZREM', index_root .. ':' .. owner .. ':' .. context, state .. time .. task_id)
--- @include "../../record/agent-index.lua"
if listed then
  -- Under any letter: a process of an earlier version ends a task and leaves its entry as it was.
  local entries = {}
  for letter in ('oiaCFXR'):gmatch('.') do entries[#entries + 1] = letter .. listed .. task_id end
  redis.call('ZREM', agent_index(index_root, owner), unpack(entries))
end
redis.call('ZREM', outbox_key, task_id)
redis.call('ZREM', dead_key, task_id)
--- @include "../../record/scheduled-tasks.lua"
remove_scheduled_task(outbox_key, task_key, task_id, owner)
for _, key in ipairs(gone) do redis.call('UNLINK', key) end
return 'deleted'
