-- Writes the changed record and the emitted events to Redis. Needs fields.lua, server.lua and of record.lua
-- outbox_key, index_root, push_key and the settings.

--- @include "texts.lua"
--- @include "events.lua"

--- @include "indexes.lua"

-- index_changes: of a script for several tasks, which writes them once, see indexes.lua; nil: they are written here
local function commit(record, index_changes)
  local task_id, task_key, loaded, changes = record.id, record.key, record.loaded, record.changes
  local moves = index_changes or {}
  local has_ended = is_terminal(record.state)
  local has_moved = record.state ~= loaded[STATE] or record.time ~= loaded[TIME]
  local before, after = listed_as(loaded[STATE]), listed_as(record.state)
  local was_listed, is_relisted = record.index_time, has_moved and before ~= after
  if is_relisted then record.index_time = record.time end
  -- An attempt that ends with its task has no field of its own: the end of the task says when.
  if loaded[TURN] and record.turn == '' and not has_ended then
    changes.fields['e' .. loaded[EPOCH]] = ('%.0f '):format(now_ms()) .. (changes.turn_end or 's')
  end
  write_texts(record)
  local events = changes.events
  if #events > 0 then record.incarnation = events[#events - 2] end
  write_fields(record)
  -- After the record is written: see append.lua, which writes the indexes also if the script fails later.
  if has_moved then
    local index = index_root .. ':' .. record.owner
    local old, new = loaded[STATE] .. loaded[TIME] .. task_id, record.state .. record.time .. task_id
    move(moves, index, old, new, has_ended)
    -- A context has an index from its second task on: see initial-task.lua.
    if record.context ~= task_id or record.has_context_index ~= 0 then
      move(moves, index .. ':' .. record.context, old, new, has_ended)
    end
    if is_relisted then
      old = before .. was_listed .. task_id
      move(moves, agent_index(index_root, record.owner), old, after .. record.time .. task_id, false)
    end
  end
  -- The inbox of a task that has ended is deleted as a whole, below.
  if changes.popped > 0 and not has_ended then redis.call('LPOP', task_key .. ':i', changes.popped) end
  if #events > 0 then publish(record) end
  if changes.in_outbox then
    redis.call('ZADD', outbox_key, now_ms() + (changes.check_after_ms or sweep_after_ms), task_id)
  end
  if changes.in_outbox == false then redis.call('ZREM', outbox_key, task_id) end
  if loaded[WAITS] and record.waits == '' then redis.call('ZREM', outbox_key .. ':suspended', task_id) end
  if loaded[BEGIN_BY] and record.begin_by == '' then redis.call('ZREM', outbox_key .. ':begin-by', task_id) end
  -- Tasks that wait for their client are listed, so that they do not wait for ever; see end-interrupted.lua.
  if is_waiting(record.state) then
    if record.inbox == 0 then redis.call('ZADD', outbox_key .. ':interrupted', 'NX', now_ms(), task_id) end
  elseif is_waiting(loaded[STATE]) then
    redis.call('ZREM', outbox_key .. ':interrupted', task_id)
  end

  -- Turns of other tasks may be suspended until this one ends, or asks: they are due now (suspended.lua).
  if record.has_other_keys ~= 0 and (has_ended or is_waiting(record.state)) then
    local waiting = redis.call('HGET', task_key, 'wakes')
    if waiting then
      for caller in waiting:gmatch('%S+') do redis.call('ZADD', outbox_key .. ':suspended', 'XX', '0', caller) end
      redis.call('HDEL', task_key, 'wakes')
    end
  end

  if not index_changes then write_indexes(moves) end

  if has_ended then
    --- @include "task-keys.lua"
    if loaded[LATER] then
      --- @include "scheduled-tasks.lua"
      remove_scheduled_task(outbox_key, task_key, task_id, record.owner)
    end
    if not is_terminal(loaded[STATE]) then
      --- @include "open-tasks.lua"
      count_ended(outbox_key, record.owner:match('^[^/]*'), 1)
    end
    -- Calls of the task that still run end with it; a detached call may outlive a completion.
    -- Most tasks have no side keys (calls, steps, webhooks), and skip this.
    if record.has_other_keys ~= 0 then
      local is_completed = record.state == 'C' or record.state == 'M'
      local calls, orphans_key = redis.call('HGETALL', task_key .. ':c'), outbox_key .. ':orphans'
      for i = 1, #calls, 2 do
        local called, call_mode = calls[i], calls[i + 1]
        if not is_completed or call_mode:sub(1, 1) ~= 'd' then
          redis.call('ZADD', orphans_key, now_ms(), called .. ' ' .. call_mode)
        end
      end
      if #calls > 0 then redis.call('ZADD', orphans_key .. ':marker', '0', '0') end
      redis.call('DEL', task_key .. ':c')
      -- The steps are kept, so that the task can be run again from one of them.
      for letter in KEPT_KEYS:gmatch('.') do redis.call('PEXPIRE', task_key .. ':' .. letter, retention_ms) end
    end
    redis.call('PEXPIRE', task_key .. ':e', replay_ms)
    redis.call('PEXPIRE', task_key, retention_ms)
    if record.messages > 1 then redis.call('DEL', task_key .. ':i') end
    local texts_of_task = long_texts(
      task_key, changes.fields['@h'] or loaded[HISTORY], changes.fields.artifacts or loaded[ARTIFACTS])
    if #texts_of_task > 0 then
      --- @include "expire-texts.lua"
      expire_texts(texts_of_task, retention_ms)
    end
  end
end
