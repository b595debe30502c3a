-- Copies results of steps of a task for a new one that will be made.
--
-- KEYS  from          steps of a task (hash, see begin-step.lua)
--       to            steps of the new task
-- ARGV  expire_ms     until the new task is made, which keeps them: see make-tasks.lua
--       steps*        names of the steps, in order
-- Returns  copied | unknown (one of them has no result, or they belong to a later message than the first)
-- Invariant: all results are copied, or none.

local from_key, to_key = unpack(KEYS)
local expire_ms = unpack(ARGV, 1, 1)

if redis.call('HGET', from_key, 'message') ~= '1' then return 'unknown' end
local results, bytes = {}, 0
for i = 2, #ARGV do
  local key = 'step ' .. ARGV[i]
  local result = redis.call('HGET', from_key, 'result ' .. key)
  if not result then return 'unknown' end
  bytes = bytes + #key + #result
  results[i - 1] = result
end
-- One by one: there may be too many for the arguments of one command.
for i, result in ipairs(results) do
  local key = 'step ' .. ARGV[i + 1]
  redis.call('HSET', to_key, 'result ' .. key, result, 'order ' .. key, i)
end
redis.call('HSET', to_key, 'message', 1, 'bytes', bytes, 'begun', #results)
redis.call('PEXPIRE', to_key, expire_ms)
return 'copied'
