-- Deletes an ended task.
--
-- KEYS  tasks_root   as in append.lua
--       outbox
--       index_root
--       push
-- ARGV  task_id
--       owner
--       names*       of the task's messages, as in remove-task.lua
-- Returns  deleted | live (it has not ended) | missing (this owner has no such task)
-- Invariant: everything is deleted, or nothing; of a task that is gone, the keys of its messages. A task that has not
-- ended is never changed.

local tasks_root, outbox_key, index_root, push_key = unpack(KEYS)
local task_id, owner = unpack(ARGV, 1, 2)
local task_key = tasks_root .. task_id

--- @include "@switchyard/redis/server.lua"
--- @include "../../record/remove-task.lua"

local its_owner, state = unpack(redis.call('HMGET', task_key, 'owner', 'state'))
local names = {}
for i = 3, #ARGV do names[i - 2] = ARGV[i] end
if its_owner ~= owner then
  -- The archive may have had it: its messages are forgotten as those of others are.
  local known = its_owner and {} or message_id_keys(index_root:sub(1, -2), owner, task_id, names)
  for _, key in ipairs(known) do redis.call('UNLINK', key) end
  return 'missing'
end
if state:upper() ~= state then return 'live' end
remove_task(task_key, task_id, names)
return 'deleted'
