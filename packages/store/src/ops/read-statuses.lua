-- readStatuses: the statuses among a task's events: of long streams, those among the first and the last ones.
--
-- KEYS  events   stream
-- ARGV  most     events that are looked at from each end
-- Returns  of each, in order, { seq, mark, timestamp }

local events_key = unpack(KEYS)
local most = unpack(ARGV)

local seen, statuses = 0, {}
local function look(entries, from, to, step)
  for i = from, to, step do
    local id, fields = unpack(entries[i])
    local seq = tonumber(id:match('^%d+'))
    local at = fields[2]:sub(1, 17) == '{"statusUpdate":{' and fields[2]:match('"timestamp":"([^"]+)"')
    if at and seq > seen then statuses[#statuses + 1] = { seq, fields[1], at } end
    seen = math.max(seen, seq)
  end
end

local first = redis.call('XRANGE', events_key, '-', '+', 'COUNT', most)
look(first, 1, #first, 1)
if #first == tonumber(most) then
  local last = redis.call('XREVRANGE', events_key, '+', '-', 'COUNT', most)
  look(last, #last, 1, -1)
end
return statuses
