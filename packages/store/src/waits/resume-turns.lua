-- Resumes suspended turns whose time has come.
--
-- KEYS  due             zset of suspended turns, see suspended.lua
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
-- Returns  as in due-tasks.lua, without rows for turns that were resumed
-- Invariant: as suspended.lua.

local due_key, tasks_root, outbox_key, index_root, push_key, queues = unpack(KEYS)
local sweep_after_ms, kept_events, replay_ms, retention_ms, inline_bytes = unpack(ARGV, 1, 5)
local claim_ms, limit = unpack(ARGV, 6)

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/redis/claim.lua"
--- @include "../record/fields.lua"
--- @include "../record/commit.lua"
--- @include "../record/rules.lua"
--- @include "../record/suspended.lua"
--- @include "../record/due-tasks.lua"

local function due_ms_of(record) return record.waits ~= '' and 0 or nil end

return work_on_due(due_key, claim_ms, limit, due_ms_of, function(record, index_changes)
  resume(record, root_of_agent(queues, record.owner), true)
  commit(record, index_changes)
end)
