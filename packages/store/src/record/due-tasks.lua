-- Works on tasks that are due by a sorted set. Needs server.lua, claim.lua, fields.lua, commit.lua and tasks_root.
--
-- set_key: zset, task -> ms when it is due; claim_ms, limit: as in claim.lua
-- due_ms_of(record): when the task is due by its record; nil: never
-- work(record, index_changes): commits the record. Returns the row of the reply for the task, nil: none
-- Returns  now in ms, number of tasks that were worked on, ms until the next one is due (-1: there is none), and the
--   rows; of a task that cannot be worked on { 'damaged', id, the error }

local function work_on_due(set_key, claim_ms, limit, due_ms_of, work)
  local ids = claim(set_key, { due_ms = now_ms(), claim_ms = claim_ms, limit = limit, makes_room = true })
  local index_changes, count = {}, 0
  local rows = rows_of(ids, function(task_id)
    local record = load_record(task_id, tasks_root .. task_id)
    local due_ms = record and due_ms_of(record)
    if not due_ms then
      redis.call('ZREM', set_key, task_id)
      return nil
    end
    if due_ms > now_ms() then
      redis.call('ZADD', set_key, due_ms, task_id)
      return nil
    end
    local row = work(record, index_changes)
    count = count + 1
    return row
  end)
  write_indexes(index_changes)
  local next_one = redis.call('ZRANGE', set_key, '0', '0', 'WITHSCORES')[2]
  return { now_ms(), count, next_one and math.max(0, next_one - now_ms()) or -1, unpack(rows) }
end
