-- Rejects messages that no worker has begun in their time to live.
--
-- KEYS  due             zset of messages with a time to live, see begin-by.lua
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
-- Returns  as in due-tasks.lua; for each message that was rejected { 'rejected', task, owner }
-- Invariant: as begin-by.lua. A message is begun or rejected, and never both.

local due_key, tasks_root, outbox_key, index_root, push_key, queues = unpack(KEYS)
local sweep_after_ms, kept_events, replay_ms, retention_ms, inline_bytes = unpack(ARGV, 1, 5)
local claim_ms, limit = unpack(ARGV, 6)

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/redis/claim.lua"
--- @include "../record/fields.lua"
--- @include "../record/commit.lua"
--- @include "../record/rules.lua"
--- @include "../record/begin-by.lua"
--- @include "../record/due-tasks.lua"
--- @include "../queue/remove-job.lua"

return work_on_due(due_key, claim_ms, limit, begin_by_ms, function(record, index_changes)
  local job = record.job
  reject_message(record)
  commit(record, index_changes)
  if record.inbox == 0 then
    remove_job(queue_of(record, root_of_agent(queues, record.owner)), record.id .. '.' .. job)
  end
  return { 'rejected', record.id, record.owner }
end)
