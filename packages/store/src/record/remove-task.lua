-- Deletes every key of an ended task, and takes it out of every index. The agent's memory of the context
-- stays. Needs server.lua, outbox_key, index_root and push_key.

--- @include "task-keys.lua"
--- @include "agent-index.lua"
--- @include "scheduled-tasks.lua"

-- The keys under which messages of the task are known. names: of messages, as keys have them. Another task may have
-- accepted a message with such a name since.
local function message_id_keys(root, owner, task_id, names)
  local found = {}
  for from = 1, #names, 200 do
    local keys = {}
    for i = from, math.min(from + 199, #names) do keys[#keys + 1] = root .. 'm:' .. owner .. ':' .. names[i] end
    for n, known in ipairs(redis.call('MGET', unpack(keys))) do
      if known and known:match('^%S+ (%S+)') == task_id then found[#found + 1] = keys[n] end
    end
  end
  return found
end

-- Takes the conversations that the task held out of their lists, and returns their keys.
local function remove_conversations(root, owner, context, task_id)
  local found, of_context = {}, root .. 'y:' .. owner:match('^(.*)/') .. ':' .. context
  for _, id in ipairs(redis.call('ZREVRANGE', of_context, '0', '999')) do
    local key = root .. 'v:' .. id
    local head = redis.call('HGET', key, 'head')
    if head and head:find('"taskId":"' .. task_id .. '"', 1, true) then
      found[#found + 1], found[#found + 2] = key, key .. ':e'
      redis.call('ZREM', of_context, id)
      redis.call('ZREM', root .. 'v', id)
    end
  end
  return found
end

local function remove_webhooks(task_key, task_id)
  for _, name in ipairs(redis.call('HKEYS', task_key .. ':w')) do
    local number = name:match('^(%d+):id$')
    if number then
      redis.call('ZREM', push_key, task_id .. '.' .. number)
      redis.call('ZREM', push_key .. ':dead', task_id .. '.' .. number)
    end
  end
end

-- names: of the task's messages, without those that have an idempotency key; nil: its messages stay known
local function remove_task(task_key, task_id, names)
  local state, owner, time, context, index_time, artifacts, history, retry_names, schedule, has_other_keys =
    unpack(redis.call('HMGET', task_key, 'state', 'owner', 'time', 'context', 'index_time', 'artifacts', '@h',
      'retry_names', 'schedule', 'has_other_keys'))
  local root, of_owner, member = index_root:sub(1, -2), index_root .. ':' .. owner, state .. time .. task_id
  local gone = { task_key }
  local function add(keys)
    for _, key in ipairs(keys) do gone[#gone + 1] = key end
  end

  redis.call('ZREM', of_owner, member)
  redis.call('ZREM', of_owner .. ':' .. context, member)
  redis.call('ZREM', agent_index(index_root, owner), listed_as(state) .. index_time .. task_id)
  if schedule then remove_scheduled_task(outbox_key, task_key, task_id, owner) end
  for letter in OTHER_KEYS:gmatch('.') do gone[#gone + 1] = task_key .. ':' .. letter end
  if has_other_keys then
    for letter in KEPT_KEYS:gmatch('.') do gone[#gone + 1] = task_key .. ':' .. letter end
    remove_webhooks(task_key, task_id)
    redis.call('ZREM', root .. 'dead', task_id)
    add(remove_conversations(root, owner, context, task_id))
  end
  add(long_texts(task_key, history, artifacts))
  if names then
    for name in (retry_names or ''):gmatch('[^\n]+') do names[#names + 1] = name end
    add(message_id_keys(root, owner, task_id, names))
  end
  for from = 1, #gone, 1000 do redis.call('UNLINK', unpack(gone, from, math.min(from + 999, #gone))) end
end
