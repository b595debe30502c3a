-- Removes ended tasks that are past their retention from the index of their agent.
--
-- KEYS  index         see agent-index.lua
-- ARGV  retention_ms  ms that an ended task is kept
--       copied        time before which all tasks are in the archive, and may be removed; '~' there is none
--       limit         number of tasks of each state to remove in one step
-- Returns  the highest number that was removed of one state
-- Invariant: a task that has not ended stays.

--- @include "@switchyard/redis/timestamps.lua"

local index = unpack(KEYS)
local retention_ms, copied, limit = unpack(ARGV)
local clock = redis.call('TIME')
local kept = sortable(math.max(0, clock[1] * 1000 + math.floor(clock[2] / 1000) - retention_ms))
if copied < kept then kept = copied end

local left = 0
for state in ('CFXR'):gmatch('.') do
  local old = redis.call('ZRANGEBYLEX', index, '[' .. state, '(' .. state .. kept, 'LIMIT', 0, limit)
  if #old > 0 then redis.call('ZREM', index, unpack(old)) end
  left = math.max(left, #old)
end
return left
