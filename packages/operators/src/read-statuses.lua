-- Reads the statuses among the next events of a task, in one direction: four events at first, which are
-- all of most tasks. Events may be large, so after large ones each is read by itself.
--
-- KEYS  events      stream
-- ARGV  start       id; or '-': the first event, or '+': the last one, to read backwards
--       direction   1 | -1
--       limit       number of events to read
--       max_bytes   after which no more are read
-- Returns  { next start ('' if that was all), number of events that were read, their bytes, for each status
--          { seq, header, timestamp } }

local events_key = unpack(KEYS)
local start, direction, limit, max_bytes = unpack(ARGV)
local FIRST, MAX_AT_ONCE, LARGE = 4, 16, 65536

local command, stop = 'XRANGE', '+'
if direction == '-1' then command, stop = 'XREVRANGE', '-' end
local seen, bytes, statuses, at_once = 0, 0, {}, FIRST
while seen < tonumber(limit) and bytes < tonumber(max_bytes) do
  local before = bytes
  local entries = redis.call(command, events_key, start, stop, 'COUNT', at_once)
  for _, entry in ipairs(entries) do
    local id, fields = unpack(entry)
    local header, event = unpack(fields)
    seen, bytes = seen + 1, bytes + #event
    local at = event:sub(1, 17) == '{"statusUpdate":{' and event:match('"timestamp":"([^"]+)"')
    if at then statuses[#statuses + 1] = { tonumber(id:match('^%d+')), header, at } end
  end
  if #entries < at_once then return { '', seen, bytes, statuses } end
  start = '(' .. entries[#entries][1]
  at_once = bytes - before < LARGE and math.min(2 * at_once, MAX_AT_ONCE) or 1
end
return { start, seen, bytes, statuses }
