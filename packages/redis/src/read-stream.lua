-- Reads entries of a stream with one field each, as many as fit into one reply. They may be large.
--
-- KEYS  stream
-- ARGV  from    id of the first entry
--       limit   number of entries at most
--       bytes   of values at most; two entries are returned in any case
-- Returns  entries as XRANGE has them

local stream_key = unpack(KEYS, 1, 1)
local from, limit, bytes = unpack(ARGV, 1, 3)
limit, bytes = tonumber(limit), tonumber(bytes)

local reply = {}
while true do
  local entries = redis.call('XRANGE', stream_key, from, '+', 'COUNT', '8')
  for _, entry in ipairs(entries) do
    bytes = bytes - #entry[2][2]
    if #reply == limit or (#reply >= 2 and bytes < 0) then return reply end
    reply[#reply + 1] = entry
  end
  if #entries < 8 then return reply end
  from = '(' .. entries[8][1]
end
