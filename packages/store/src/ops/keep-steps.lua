-- keepSteps: steps that were copied for a new task live as long as the task.
--
-- KEYS  task          hash; made from its name: its steps <task>:s (hash)
-- Returns  kept | missing (no such task, or nothing was copied for it)
-- Invariant: copied steps go with their task, also when it has ended meanwhile.

local task_key = unpack(KEYS, 1, 1)
local steps_key = task_key .. ':s'

if redis.call('EXISTS', steps_key) == 0 then return 'missing' end
local left_ms = redis.call('PTTL', task_key)
if left_ms == -2 then
  redis.call('DEL', steps_key)
  return 'missing'
end
redis.call('HSET', task_key, 'has_side_keys', 1)
if left_ms == -1 then redis.call('PERSIST', steps_key) else redis.call('PEXPIRE', steps_key, left_ms) end
return 'kept'
