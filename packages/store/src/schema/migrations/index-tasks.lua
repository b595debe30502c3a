-- indexTasks: adds tasks to the index of their agent that are from releases without this index.
--
-- KEYS  tasks_root
--       index_root  as in record.lua
-- ARGV  task_ids*
-- Returns  how many were not in it
-- Invariant: the index holds each task once. A task that is in it is not moved.

local tasks_root, index_root = unpack(KEYS)

--- @include "../../record/agent-index.lua"

local added = 0
for _, task_id in ipairs(ARGV) do
  local task_key = tasks_root .. task_id
  local state, time, owner, listed = unpack(redis.call('HMGET', task_key, 'state', 'time', 'owner', 'listed'))
  if state and not listed then
    redis.call('ZADD', agent_index(index_root, owner), '0', (LISTED_AS[state] or state) .. time .. task_id)
    redis.call('HSET', task_key, 'listed', time)
    added = added + 1
  end
end
return added
