-- indexTasks: tasks of releases that had no index of all tasks of an agent come into it.
--
-- KEYS  tasks_root
--       index_root  as in record.lua
-- ARGV  task_ids*
-- Returns  how many were not in it
-- Invariant: the index holds a task once. One that is in it stays where it is.

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
