-- dropTasks: deletes ended tasks before their retention is over, because there is no room for newer ones. Needs
-- tasks_root, outbox_key, index_root, push_key, and agent-index.lua.
--
-- Invariant: a task stays that has not ended, or that somebody still needs. A reader of a dropped task gets the same
-- answer as for a task that has expired.
-- Cost: proportional to the tasks that are looked at and dropped, not to those that are kept.

-- Positions (time .. id) of ended tasks of an index, the oldest first. after, before: positions; limit: how many
local function oldest_ended(index, after, before, limit)
  local found = {}
  for letter in ('CFMXR'):gmatch('.') do
    local from, to = '(' .. letter .. after, '(' .. letter .. before
    for _, member in ipairs(redis.call('ZRANGEBYLEX', index, from, to, 'LIMIT', '0', limit)) do
      found[#found + 1] = member:sub(2)
    end
  end
  table.sort(found)
  for i = #found, limit + 1, -1 do found[i] = nil end
  return found
end

local function has_ended(state) return not state or state:upper() == state end

-- Whether somebody still needs an ended task: the task that called it goes on, its schedule continues from it, or its
-- webhooks have not got all its events.
local function is_needed(task_id)
  local task_key = tasks_root .. task_id
  local state, owner, caller_id, schedule, webhooks =
    unpack(redis.call('HMGET', task_key, 'state', 'owner', 'caller', 'schedule', 'webhooks'))
  if not has_ended(state) then return true end
  if caller_id and not has_ended(redis.call('HGET', tasks_root .. caller_id, 'state')) then return true end
  if schedule and redis.call('ZSCORE', outbox_key .. ':later', task_id .. ' ' .. owner) then return true end
  for number in (webhooks or ''):gmatch('%d+') do
    if redis.call('ZSCORE', push_key, task_id .. '.' .. number) then return true end
  end
  return false
end

-- Adds the keys under which the messages of a history are known. Those whose ids are escaped in JSON expire by
-- themselves. A text that only looks like an id names no message of this task.
local function add_keys_of_messages(gone, history, task_id, owner)
  local keys = {}
  for id in history:gmatch('"messageId":"([^"\\]+)"') do
    if #keys < 200 then keys[#keys + 1] = index_root:sub(1, -2) .. 'm:' .. owner .. ':' .. id:gsub(':', '\\u003a') end
  end
  if #keys == 0 then return end
  for n, known in ipairs(redis.call('MGET', unpack(keys))) do
    if known and known:match('^%S+ (%S+)') == task_id then gone[#gone + 1] = keys[n] end
  end
end

-- Adds the keys of the conversations that the task held.
local function add_conversations(gone, task_id, owner, context)
  local root = index_root:sub(1, -2)
  local of_context = root .. 'y:' .. owner:match('^(.*)/') .. ':' .. context
  for _, id in ipairs(redis.call('ZRANGE', of_context, '0', '99')) do
    local head = redis.call('HGET', root .. 'v:' .. id, 'head')
    if head and head:find('"taskId":"' .. task_id .. '"', 1, true) then
      gone[#gone + 1], gone[#gone + 2] = root .. 'v:' .. id, root .. 'v:' .. id .. ':e'
      redis.call('ZREM', of_context, id)
      redis.call('ZREM', root .. 'v', id)
    end
  end
end

-- Deletes an ended task that nobody needs. index, position: where it was found
local function drop_task(index, position)
  local task_id = position:sub(9)
  local task_key = tasks_root .. task_id
  local state, owner, time, context, listed, artifacts, history, long_history, has_side_keys =
    unpack(redis.call('HMGET', task_key, 'state', 'owner', 'time', 'context', 'listed', 'artifacts', 'h', '@h',
      'has_side_keys'))
  if not state then
    -- The record has expired.
    for letter in ('CFMXR'):gmatch('.') do redis.call('ZREM', index, letter .. position) end
    return
  end
  local gone = { task_key, task_key .. ':e', task_key .. ':d' }
  if has_side_keys then
    for name in ('scwlf'):gmatch('.') do gone[#gone + 1] = task_key .. ':' .. name end
    add_conversations(gone, task_id, owner, context)
  end
  for n = 1, tonumber(artifacts or 0) do
    local parts = redis.call('HGET', task_key, '@p' .. n)
    if parts then gone[#gone + 1] = parts end
  end
  if long_history then
    gone[#gone + 1], history = long_history, redis.call('GETRANGE', long_history, '0', '65535')
  end
  add_keys_of_messages(gone, history or '', task_id, owner)
  local of_owner, member = index_root .. ':' .. owner, state .. time .. task_id
  redis.call('ZREM', of_owner, member)
  redis.call('ZREM', of_owner .. ':' .. context, member)
  local listed_as = (LISTED_AS[state] or state) .. (listed or '') .. task_id
  redis.call('ZREM', agent_index(index_root, owner), listed_as)
  redis.call('ZREM', index_root:sub(1, -2) .. 'dead', task_id)
  redis.call('UNLINK', unpack(gone))
end
