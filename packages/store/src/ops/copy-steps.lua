-- copySteps: a task that is about to be made gets results of the steps of another one.
--
-- KEYS  from          steps of a task (hash, see begin-step.lua)
--       to            those of the new one
-- ARGV  expire_ms     until keep-steps.lua keeps them, if the task is made
--       steps*        their names
-- Returns  copied | unknown (one of them has no result, or they belong to a later message than the first)
-- Invariant: all of them or none.

local from_key, to_key = unpack(KEYS)
local expire_ms = unpack(ARGV, 1, 1)

if redis.call('HGET', from_key, 'message') ~= '1' then return 'unknown' end
local fields, bytes = { 'message', 1 }, 0
for i = 2, #ARGV do
  local key = 'step ' .. ARGV[i]
  local result = redis.call('HGET', from_key, 'result ' .. key)
  if not result then return 'unknown' end
  bytes = bytes + #key + #result
  fields[#fields + 1], fields[#fields + 2] = 'result ' .. key, result
end
redis.call('HSET', to_key, 'bytes', bytes, unpack(fields))
redis.call('PEXPIRE', to_key, expire_ms)
return 'copied'
