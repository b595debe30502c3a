-- readEvents: events of a task's stream, as many as are worth one reply: large ones come one by one.
--
-- KEYS  events  the stream
-- ARGV  from    id from which on
--       most    events at most
--       bytes   of JSON at most, but two events at least
-- Returns  entries as XRANGE has them

local events_key = unpack(KEYS, 1, 1)
local from, most, bytes = unpack(ARGV, 1, 3)
most, bytes = tonumber(most), tonumber(bytes)

local reply = {}
while true do
  local entries = redis.call('XRANGE', events_key, from, '+', 'COUNT', '8')
  for _, entry in ipairs(entries) do
    bytes = bytes - #entry[2][2]
    if #reply == most or (#reply >= 2 and bytes < 0) then return reply end
    reply[#reply + 1] = entry
  end
  if #entries < 8 then return reply end
  from = '(' .. entries[8][1]
end
