-- Deletes ended tasks before their retention is over, because there is no room for newer ones. Needs
-- tasks_root, outbox_key, index_root and push_key.
--
-- Invariant: a task stays that has not ended, or that somebody still needs. A reader of a dropped task gets the same
-- answer as for a task that has expired, which may be in the archive.
-- Cost: proportional to the tasks that are looked at and dropped, not to those that are kept.

--- @include "remove-task.lua"

-- Positions (time .. id) of ended tasks of an index, the oldest first. after, before: positions; limit: how many
local function oldest_ended(index, after, before, limit)
  local found = {}
  -- With an archive, only tasks that it has: see archiver.ts.
  local archived = redis.call('GET', outbox_key .. ':archived')
  if archived and archived < before then before = archived end
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

-- Where a JSON text ends whose first character is at `from`; nil: it is cut off. Looks at each character once: a client
-- may send a text of escaped quotation marks.
local function end_of_text(json, from)
  local at = json:find('["\\]', from)
  while at and json:byte(at) == 92 do at = json:find('["\\]', at + 2) end
  return at
end

-- The ids of the messages at the beginning of a history, as keys have them: without colons. A text that only looks like
-- an id names no message of this task.
local function message_ids(history)
  local found, at = {}, 1
  while at and #found < 200 do
    local _, before = history:find('"messageId":"', at, true)
    at = before and end_of_text(history, before + 1)
    if at then found[#found + 1] = history:sub(before + 1, at - 1):gsub(':', '\\u003a') end
  end
  return found
end

-- Deletes an ended task that nobody needs. index, position: where it was found
local function drop_task(index, position)
  local task_id = position:sub(9)
  local task_key = tasks_root .. task_id
  local state, history, long_history = unpack(redis.call('HMGET', task_key, 'state', 'h', '@h'))
  if state then
    -- One of its messages that is sent again is answered with what the archive has.
    if redis.call('EXISTS', outbox_key .. ':archived') == 1 then return remove_task(task_key, task_id) end
    history = history or long_history and redis.call('GETRANGE', long_history, '0', '65535') or ''
    return remove_task(task_key, task_id, message_ids(history))
  end
  -- The record has expired.
  for letter in ('CFMXR'):gmatch('.') do redis.call('ZREM', index, letter .. position) end
end
