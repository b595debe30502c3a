-- Counts the jobs of a queue, and those that wait by their levels.
--
-- KEYS  root   of the queue's keys, as in take-jobs.lua
-- Returns  { { jobs that wait before all levels, of the level high, normal, low }, running jobs, delayed jobs }
-- Invariant: nothing is written. The jobs that wait are those that BullMQ counts as waiting and prioritized.

local root = unpack(KEYS)

--- @include "@switchyard/redis/server.lua"
--- @include "fair-order.lua"
--- @include "running.lua"

local waiting_key = root .. 'prioritized'

-- Those that are parked (../places/parked.lua) are of their levels, too.
local function waiting(from, below)
  local count = 0
  for _, by in ipairs({ 0, PARKED }) do
    count = count + redis.call('ZCOUNT', waiting_key, ('%.0f'):format(from + by), ('(%.0f'):format(below + by))
  end
  return count
end

local first, high, low = waiting(0, BASE.high), waiting(BASE.high, BASE.normal), waiting(BASE.low, PARKED)
-- BullMQ's own tools add jobs to the list.
local normal = redis.call('ZCARD', waiting_key) + redis.call('LLEN', root .. 'wait') - first - high - low
local active = redis.call('HGET', running_key(root) .. ':queues', root)
return { { first, high, normal, low }, tonumber(active or 0), redis.call('ZCARD', root .. 'delayed') }
