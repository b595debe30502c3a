-- Resumes suspended turns whose time has come.
--
-- KEYS  suspended       zset, see suspended.lua
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
--       claim_ms        how long a task waits that cannot be resumed
--       limit           number of tasks at most
-- Returns  now in ms, number of tasks that were resumed, ms until the next one is due (-1: there is none), and for each
--          that cannot be resumed { 'damaged', id, the error }
-- Invariant: as suspended.lua.

local suspended_key, tasks_root, outbox_key, index_root, push_key, queues = unpack(KEYS)
local sweep_after_ms, kept_events, replay_ms, retention_ms, inline_bytes = unpack(ARGV, 1, 5)
local claim_ms, limit = unpack(ARGV, 6)

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/redis/claim.lua"
--- @include "../record/fields.lua"
--- @include "../record/commit.lua"
--- @include "../record/rules.lua"
--- @include "../record/suspended.lua"

local ids = claim(suspended_key, { due_ms = now_ms(), claim_ms = claim_ms, limit = limit, makes_room = true })
local index_changes, count = {}, 0
local rows = rows_of(ids, function(task_id)
  local record = load_record(task_id, tasks_root .. task_id)
  if not record or record.waits == '' then
    redis.call('ZREM', suspended_key, task_id)
    return nil
  end
  resume(record, root_of_agent(queues, record.owner), true)
  commit(record, index_changes)
  count = count + 1
end)
write_indexes(index_changes)
local next_one = redis.call('ZRANGE', suspended_key, '0', '0', 'WITHSCORES')[2]
return { now_ms(), count, next_one and math.max(0, next_one - now_ms()) or -1, unpack(rows) }
