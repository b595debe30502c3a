-- Reads the beginning of the results of steps, for operators.
--
-- KEYS  steps      see begin-step.lua
-- ARGV  max_bytes  to read of each result
--       names*     of the steps
-- Returns  for each step { bytes of its result, -1: it has none, the beginning of the result }

local steps_key = unpack(KEYS)
local max_bytes = tonumber((unpack(ARGV)))

local results = {}
for i = 2, #ARGV do
  local result = redis.call('HGET', steps_key, 'result step ' .. ARGV[i])
  results[i - 1] = result and { #result, result:sub(1, max_bytes) } or { -1, '' }
end
return results
