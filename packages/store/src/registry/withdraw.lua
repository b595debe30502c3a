-- Removes a worker that stops. Its agents stay announced.
--
-- KEYS  alive    as in announce.lua
-- ARGV  channel  on which a change is published
--       worker   its id
--       agents*  ids of its agents
-- Returns  number of its agents of which it was an alive worker
-- Invariant: a worker that has stopped does not count as alive.

local alive_key = unpack(KEYS, 1, 1)
local channel, worker = unpack(ARGV, 1, 2)
local gone = 0
for i = 3, #ARGV do
  local agent = unpack(ARGV, i, i)
  gone = gone + redis.call('ZREM', alive_key, agent .. '/' .. worker)
end
if gone > 0 then redis.call('SPUBLISH', channel, worker) end
return gone
