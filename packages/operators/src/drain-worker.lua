-- Sets whether a worker must drain, for an operator.
--
-- KEYS  workers  as in report-worker.lua
--       reports  as in report-worker.lua
--       alive    as in announce.lua
-- ARGV  worker   its id
--       drain    the request as JSON; '' it must not drain (any more)
--       channel  on which the request is published
--       changed  channel on which a change of an agent's workers is published
-- Returns  1 | 0 (no such worker)
-- Invariant: a notification may be lost; the worker's next report returns the stored request.

--- @include "@switchyard/redis/server.lua"

local workers_key, reports_key, alive_key = unpack(KEYS, 1, 3)
local worker, drain, channel, changed = unpack(ARGV, 1, 4)
if not redis.call('ZSCORE', workers_key, worker) then return 0 end
allow_out_of_memory(workers_key)
if drain == '' then
  redis.call('HDEL', reports_key, worker .. ' drain')
else
  redis.call('HSET', reports_key, worker .. ' drain', drain)
  -- A draining worker takes no work, so it does not count as alive until announce.lua adds
  -- it again.
  local gone = 0
  for _, member in ipairs(redis.call('ZRANGE', alive_key, '0', '-1')) do
    if member:sub(-#worker - 1) == '/' .. worker then gone = gone + redis.call('ZREM', alive_key, member) end
  end
  if gone > 0 then redis.call('SPUBLISH', changed, worker) end
end
redis.call('SPUBLISH', channel, worker)
return 1
