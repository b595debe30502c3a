-- endStep: a step has its result.
--
--- @include "../redis/lua/record.lua"
--
-- KEYS  1-6 as in record.lua, and, made from KEYS[1], its steps <task>:s as in begin-step.lua
-- ARGV  1-6 as in record.lua   7 fencing token of the turn   8 key of the step   9 its result (JSON; '' nothing)   10 bytes that all results may have
-- Returns  done | full (the results of this turn are too large together) | fenced
-- Invariant: a step has one result, the first.

local fence, key, result, max_bytes = ARGV[7], ARGV[8], ARGV[9], tonumber(ARGV[10])

local record = load_record()
if not record or fence ~= record.turn then return 'fenced' end
if redis.call('HEXISTS', steps_key, 'result ' .. key) == 1 then return 'done' end
local bytes = tonumber(redis.call('HGET', steps_key, 'bytes') or 0) + #key + #result
if bytes > max_bytes then return 'full' end
redis.call('HSET', steps_key, 'bytes', bytes, 'result ' .. key, result)
redis.call('HDEL', steps_key, 'mark ' .. key)
return 'done'
