-- Reads the workers that have reported lately, and their reports.
--
-- KEYS  workers  as in report-worker.lua
--       reports  as in report-worker.lua
-- Returns  ms now, then for each { worker id, ms of its last report, report as JSON, the request to drain ('' none),
--         what blocks it ('' nothing) }

local workers_key, reports_key = unpack(KEYS)
local clock = redis.call('TIME')
local reply = { clock[1] * 1000 + math.floor(clock[2] / 1000) }
local seen = redis.call('ZRANGE', workers_key, 0, -1, 'WITHSCORES')
for i = 1, #seen, 2 do
  local id = seen[i]
  local report, drain, blocked = unpack(redis.call('HMGET', reports_key, id, id .. ' drain', id .. ' blocked'))
  if report then reply[#reply + 1] = { id, tonumber(seen[i + 1]), report, drain or '', blocked or '' } end
end
return reply
