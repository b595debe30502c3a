-- Rejects messages that no worker has begun in their time to live.
--
-- KEYS  begin_by        zset, see begin-by.lua
--       tasks_root      prefix of the keys of tasks; made from it: the keys of record.lua
--       outbox          as in record.lua
--       index_root
--       push
--       queues          prefix of the keys of the shard's queues
-- ARGV  sweep_after_ms  as in record.lua
--       kept_events
--       replay_ms
--       retention_ms
--       inline_bytes
--       claim_ms        how long a task waits whose message cannot be rejected
--       limit           number of tasks at most
-- Returns  now in ms, number of messages that were rejected, ms until the next one is due (-1: there is none), and for
--          each task { 'rejected', id, owner } or { 'damaged', id, the error }
-- Invariant: as begin-by.lua. A message is begun or rejected, and never both.

local begin_by_key, tasks_root, outbox_key, index_root, push_key, queues = unpack(KEYS)
local sweep_after_ms, kept_events, replay_ms, retention_ms, inline_bytes = unpack(ARGV, 1, 5)
local claim_ms, limit = unpack(ARGV, 6)

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/redis/claim.lua"
--- @include "../record/fields.lua"
--- @include "../record/commit.lua"
--- @include "../record/rules.lua"
--- @include "../record/begin-by.lua"
--- @include "../queue/remove-job.lua"

local ids = claim(begin_by_key, { due_ms = now_ms(), claim_ms = claim_ms, limit = limit, makes_room = true })
local index_changes, count = {}, 0
local rows = rows_of(ids, function(task_id)
  local record = load_record(task_id, tasks_root .. task_id)
  local due_ms = record and begin_by_ms(record)
  if not due_ms then
    redis.call('ZREM', begin_by_key, task_id)
    return nil
  end
  if due_ms > now_ms() then
    redis.call('ZADD', begin_by_key, due_ms, task_id)
    return nil
  end
  local job = record.job
  reject_message(record)
  commit(record, index_changes)
  if record.inbox == 0 then
    remove_job(queue_of(record, root_of_agent(queues, record.owner)), task_id .. '.' .. job)
  end
  count = count + 1
  return { 'rejected', task_id, record.owner }
end)
write_indexes(index_changes)
local next_one = redis.call('ZRANGE', begin_by_key, '0', '0', 'WITHSCORES')[2]
return { now_ms(), count, next_one and math.max(0, next_one - now_ms()) or -1, unpack(rows) }
